#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

namespace hw {

/// The files that a bench was named (`count` arguments, the program's own first), or else those
/// models of the corpus that are `wanted`, by name; none where there is no corpus.
inline std::vector<std::filesystem::path> namedOrCorpusModels(
    int count, char** arguments,
    const std::function<bool(const std::filesystem::path& corpus,
                             const std::filesystem::path& model)>& wanted) {
  std::vector<std::filesystem::path> files(arguments + 1, arguments + count);
  if (!files.empty()) return files;
  const char* given = std::getenv("HIGHWATER_CORPUS");
  const std::filesystem::path corpus = given ? given : "../shared/corpus";
  for (const char* kind : {"onnx", "tflite"}) {
    if (!std::filesystem::exists(corpus / kind)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(corpus / kind)) {
      if (wanted(corpus, entry.path())) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// `wanted` above: whose name ends as its folder is called, so that notes beside them are left out.
inline bool isModelFile(const std::filesystem::path&, const std::filesystem::path& model) {
  return model.extension().string() == "." + model.parent_path().filename().string();
}

}  // namespace hw
