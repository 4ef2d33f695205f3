#pragma once

#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/run/options.h"
#include "core/run/run.h"

namespace hw::test {

/// The figures are drawn with nothing shared and nothing rounded.
inline RunRequest figureRequest(const std::string& allocator) {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.alignment = Bytes(1);
  request.alias = AliasRules::none();
  if (request.allocator.info->name == "partition") {
    for (const Platform& platform : platformCatalog()) {
      if (platform.name == "two-devices") request.platform = platform;
    }
  }
  return request;
}

/// A sample planned so, with or without what its method records.
inline std::shared_ptr<const Run> figure(const std::string& sample, const std::string& allocator,
                                         bool record) {
  const auto model = std::make_shared<const Model>(openModel("samples:" + sample, {}).value());
  auto run = execute(model, figureRequest(allocator), {.record = record});
  INFO(sample << " by " << allocator);
  REQUIRE(run);
  return *run;
}

}  // namespace hw::test
