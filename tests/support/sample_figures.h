#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "core/base/json.h"
#include "core/files/file.h"

namespace hw::test {

/// What the generating script says a sample amounts to: the script computes shapes, lifetimes and
/// MACs on its own, so this is an oracle that shares no code with the program.
inline Json sampleFigures(const std::string& name) {
  const auto text = readFile(HIGHWATER_SOURCE_DIR "/sample_graphs/index.json");
  REQUIRE(text);
  const auto index = parseJson(*text);
  REQUIRE(index);
  for (const auto& entry : (*index)["samples"]) {
    if (entry["name"] == name) return entry["figures"];
  }
  FAIL("no figures for " << name);
  return {};
}

}  // namespace hw::test
