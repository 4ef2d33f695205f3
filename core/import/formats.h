#pragma once

#include <string_view>

#include "core/import/importer.h"

namespace hw {

/// The importers themselves, one file each; everyone else goes through `importerCatalog`.
bool acceptsOnnx(std::string_view bytes);
Result<Model> readOnnx(std::string_view bytes, const ImportOptions& options);

bool acceptsTflite(std::string_view bytes);
Result<Model> readTflite(std::string_view bytes, const ImportOptions& options);

/// A zip archive with TFLite models inside.
bool acceptsTfliteBundle(std::string_view bytes);
Result<Model> readTfliteBundle(std::string_view bytes, const ImportOptions& options);

bool acceptsGraphJson(std::string_view bytes);
Result<Model> readGraphJson(std::string_view bytes, const ImportOptions& options);

bool acceptsProblemCsv(std::string_view bytes);
Result<Model> readProblemCsv(std::string_view bytes, const ImportOptions& options);

/// `bytes` without the byte order mark that some editors put before UTF-8.
constexpr std::string_view withoutByteOrderMark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

}  // namespace hw
