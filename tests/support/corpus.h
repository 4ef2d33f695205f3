#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hw {

/// The folder `name` of the corpus of real models and problems, which HIGHWATER_CORPUS names or
/// which lies beside the project. Where it is not there, a warning says that tests are skipped.
inline std::optional<std::filesystem::path> corpusFolder(const char* name = "") {
  const char* given = std::getenv("HIGHWATER_CORPUS");
  const std::filesystem::path corpus =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(HIGHWATER_SOURCE_DIR) / "../shared/corpus";
  if (std::filesystem::is_directory(corpus / name)) return corpus / name;
  WARN("skipped: no corpus (set HIGHWATER_CORPUS to its folder)");
  return std::nullopt;
}

/// The files of a folder in alphabetical order.
inline std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// The files in a folder of the corpus whose names begin and end so, in order; none without a
/// corpus.
inline std::vector<std::filesystem::path> corpusFiles(const char* folder,
                                                      const std::string& prefix = "",
                                                      const std::string& ending = "") {
  const auto path = corpusFolder(folder);
  if (!path) return {};
  std::vector<std::filesystem::path> files = filesIn(*path);
  std::erase_if(files, [&](const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    return !name.starts_with(prefix) || !name.ends_with(ending);
  });
  return files;
}

}  // namespace hw
