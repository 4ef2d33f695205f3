#pragma once

#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/widgets/support.h"

namespace hw::test {

/// The figures are drawn with nothing shared and nothing rounded.
inline RunRequest figureRequest(const std::string& allocator) {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.alignment = Bytes(1);
  request.alias = AliasRules::none();
  if (request.allocator.info->name == "partition") {
    request.platform = findPlatform("two-devices").value();
  }
  return request;
}

/// A sample planned so, with or without what its method records.
inline std::shared_ptr<const Run> figure(const std::string& sample, const std::string& allocator,
                                         bool record) {
  auto run = execute(sampleModel(sample), figureRequest(allocator), {.record = record});
  INFO(sample << " by " << allocator);
  REQUIRE(run);
  return *run;
}

}  // namespace hw::test
