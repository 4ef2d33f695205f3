#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/import/importer.h"

namespace hw {

/// A model that ships with the program: `samples:NAME`.
struct SampleInfo {
  std::string name;
  std::string file;     ///< Inside the samples folder.
  std::string summary;  ///< One line: what it shows.
  /// The options with which it was drawn: `Model::options`.
  std::map<std::string, std::vector<std::string>, std::less<>> options{};
};

/// The samples of the samples folder, by name. The folder is HIGHWATER_SAMPLES, or sample_graphs of
/// the source tree the program was built from, or share/highwater/samples beside the program.
std::vector<SampleInfo> sampleCatalog();

/// `samples:NAME`, a path, or "-".
Result<Model> openModel(const std::string& name, const ImportOptions& options,
                        const std::stop_token& stop = {});

}  // namespace hw
