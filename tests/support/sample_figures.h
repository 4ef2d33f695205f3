#pragma once

#include <string>

#include "core/base/json.h"
#include "core/files/file.h"
#include "tests/support/must.h"

namespace hw::test {

/// What the generating script says a sample amounts to: the script computes shapes, lifetimes and
/// MACs on its own, so this is an oracle that shares no code with the program.
inline Json sampleFigures(const std::string& name) {
  const auto text = test::must(readFile(HIGHWATER_SOURCE_DIR "/sample_graphs/index.json"));
  const auto index = test::must(parseJson(text));
  for (const auto& entry : index["samples"]) {
    if (entry["name"] == name) return entry["figures"];
  }
  FAIL("no figures for " << name);
  return {};
}

}  // namespace hw::test
