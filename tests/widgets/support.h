#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace hw::test {

/// One buffer of a run made by hand: a tensor of the same name fills it.
struct Piece {
  std::string name;
  std::int64_t size = 1;
  std::int64_t begin = 0;
  std::int64_t end = 1;
};

/// A run with one pool, L2, in which every piece lies as low as it can, in the order given. Every
/// step has an operator of its own. Complete: graph, storage, plan, story, trace, timeline.
std::shared_ptr<const Run> makeRun(const std::vector<Piece>& pieces,
                                   std::optional<Bytes> capacity = {});

/// `count` pieces of random size and lifetime; the same for the same seed.
std::shared_ptr<const Run> randomRun(std::uint64_t seed, std::size_t count, std::int64_t steps);

/// a 4 bytes in step 0, b 6 in 0 and 1, c 3 in 1 (reuses part of a's place), d 10 in 2:
///
///   10 | b b .
///    4 | a c .      d covers [0, 10) in step 2
std::shared_ptr<const Run> smallRun();

/// A request with `allocator` for `platform`, or for the default one.
RunRequest requestBy(const std::string& allocator, const std::string& platform = {});

/// A sample, opened once for all tests.
std::shared_ptr<const Model> sampleModel(const std::string& sample);

/// A sample planned as `request` says.
std::shared_ptr<const Run> sampleRun(const std::string& sample,
                                     const RunRequest& request = defaultRequest());

/// A model file, planned as `request` says.
std::shared_ptr<const Run> fileRun(const std::string& bytes, const RunRequest& request);

/// A sample planned with `allocator` for a machine with a DMA engine, on which buffers move.
std::shared_ptr<const Run> movedRun(const std::string& sample = "squeezenet",
                                    const std::string& allocator = "greedy-by-size",
                                    const std::string& platform = "ethos-u65-512");

/// `run`, as if every op had run, in no time.
std::shared_ptr<const Run> timed(const Run& run);

}  // namespace hw::test
