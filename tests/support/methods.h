#pragma once

#include <memory>
#include <string>

#include "core/run/run.h"

namespace hw::test {

/// A sample of the project, by the stem of its file.
std::shared_ptr<const Model> sample(const std::string& name);

/// The configuration of the worked examples in docs/methods.md: alignment 1, no aliases, unbounded
/// pools.
RunRequest workedRequest(const std::string& allocator);

/// `allocator` on `platform`, with that platform's memories.
RunRequest requestOn(const Platform& platform, const std::string& allocator);

/// `execute`, which has to succeed.
std::shared_ptr<const Run> mustRun(const std::shared_ptr<const Model>& model,
                                   const RunRequest& request);

/// The place of a list of a record by its name; the test fails when there is none.
std::size_t listNamed(const MethodRecord& record, const std::string& name);

/// "x16 t0 0 t1 16": every stay's root tensor and flat offset, in stay order.
std::string offsets(const Run& run);

/// The story as a person would tell it: "fresh x [0,4); 0: fresh t0 [4,20), release x; …".
std::string happenings(const Run& run);

}  // namespace hw::test
