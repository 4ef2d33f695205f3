#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/import/importer.h"

namespace hw::bench {

/// The files of a folder of the corpus with that ending, by name; none where there is no corpus,
/// which it says.
inline std::vector<std::filesystem::path> corpusFiles(const char* folder,
                                                      const char* ending = ".csv") {
  const char* given = std::getenv("HIGHWATER_CORPUS");
  const std::filesystem::path path =
      std::filesystem::path(given ? given : "../shared/corpus") / folder;
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ending) files.push_back(entry.path());
    }
  } else {
    fmt::print("no corpus (HIGHWATER_CORPUS names its folder)\n");
  }
  std::ranges::sort(files);
  return files;
}

/// Nothing where the file is no problem, which it says.
inline std::optional<Problem> loadProblem(const std::filesystem::path& path) {
  auto model = loadModel(path.string(), {});
  if (!model || !model->problem) {
    fmt::print("{} cannot be read\n", path.string());
    return std::nullopt;
  }
  return std::move(*model->problem);
}

/// Seconds that MiniMalloc needs for the same question on a machine like ours.
inline const std::map<std::string, double>& miniMallocSeconds() {
  static const std::map<std::string, double> kSeconds = {
      {"minimalloc_A", 3.33}, {"minimalloc_B", 2.34}, {"minimalloc_D", 1.74},
      {"minimalloc_E", 2.48}, {"minimalloc_G", 0.84}, {"minimalloc_H", 1.18},
      {"minimalloc_J", 0.64}};
  return kSeconds;
}

}  // namespace hw::bench
