#include "core/import/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/files/file.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "samples:";
constexpr const char* kIndex = "index.json";

struct Catalogue {
  fs::path folder;
  std::vector<SampleInfo> samples;
};

/// The folder of samples of an installed program: PREFIX/bin/highwater, PREFIX/share/….
fs::path installedFolder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "share" / "highwater" / "samples";
}

Result<fs::path> findFolder() {
  // Somebody who names a folder wants that one, or to know that it is wrong.
  const char* chosen = std::getenv("HIGHWATER_SAMPLES");
  std::vector<fs::path> places = {HIGHWATER_SOURCE_SAMPLES, installedFolder()};
  if (chosen != nullptr && *chosen != '\0') places = {chosen};

  std::string tried;
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place / kIndex, ignored)) return place;
    tried += fmt::format("{}'{}'", tried.empty() ? "" : " and ", place.string());
  }
  return fail(ErrorCode::unreadable,
              fmt::format("there are no sample models: no {} in {}; the environment variable "
                          "HIGHWATER_SAMPLES names another folder",
                          kIndex, tried));
}

std::string textAt(const Json& entry, const char* key) {
  const auto found = entry.is_object() ? entry.find(key) : entry.end();
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// {"allocator": "free-list", "l2": "1MiB"}; an option that repeats has a list of texts.
Result<void> readSampleOptions(const Json& entry, SampleInfo& info) {
  const auto options = entry.is_object() ? entry.find("options") : entry.end();
  if (options == entry.end()) return {};
  const auto bad = [&] {
    return fail(ErrorCode::malformed,
                fmt::format("sample '{}': \"options\" needs texts by the names of options",
                            printable(info.name)));
  };
  if (!options->is_object()) return bad();
  for (const auto& [name, value] : options->items()) {
    std::vector<std::string>& texts = info.options[name];
    for (const Json& text : value.is_array() ? value : Json::array({value})) {
      if (!text.is_string()) return bad();
      texts.push_back(text.get<std::string>());
    }
  }
  return {};
}

Result<std::vector<SampleInfo>> readIndex(const std::string& path) {
  HW_TRY(text, readFile(path));
  const Result<Json> index = parseJson(text);
  if (!index) {
    return fail(index.error().code, path + ": " + index.error().message, index.error().where);
  }
  if (!index->is_object() || !index->contains("samples") || !(*index)["samples"].is_array()) {
    return fail(ErrorCode::malformed, path + ": expected an object with an array \"samples\"");
  }
  std::vector<SampleInfo> samples;
  for (const auto& entry : (*index)["samples"]) {
    SampleInfo info{textAt(entry, "name"), textAt(entry, "file"), textAt(entry, "summary"), {}};
    if (info.name.empty() || info.file.empty() || info.file.find('/') != std::string::npos) {
      return fail(ErrorCode::malformed,
                  path + ": a sample needs a \"name\" and the \"file\" beside the index",
                  fmt::format("samples[{}]", samples.size()));
    }
    if (const auto read = readSampleOptions(entry, info); !read) {
      return fail(read.error().code, path + ": " + read.error().message,
                  fmt::format("samples[{}]", samples.size()));
    }
    samples.push_back(std::move(info));
  }
  return samples;
}

Result<Catalogue> readCatalogue() {
  HW_TRY(folder, findFolder());
  HW_TRY(samples, readIndex((folder / kIndex).string()));
  return Catalogue{folder, std::move(samples)};
}

Error unknownSample(const std::string& name, const std::vector<SampleInfo>& samples) {
  std::vector<std::string> names;
  for (const SampleInfo& sample : samples) names.push_back(sample.name);
  const auto closest = closestWord(name, names);
  return {ErrorCode::invalidArgument,
          closest ? fmt::format("no sample is called '{}'; did you mean '{}'?", printable(name),
                                *closest)
                  : fmt::format("no sample is called '{}'; there are {}", printable(name),
                                fmt::join(names, ", ")),
          {}};
}

}  // namespace

std::vector<SampleInfo> sampleCatalog() {
  Result<Catalogue> catalogue = readCatalogue();
  return catalogue ? std::move(catalogue->samples) : std::vector<SampleInfo>();
}

Result<Model> openModel(const std::string& name, const ImportOptions& options,
                        const std::stop_token& stop) {
  if (!name.starts_with(kPrefix)) return loadModel(name, options, stop);
  HW_TRY(catalogue, readCatalogue());
  const std::string sample = name.substr(kPrefix.size());
  const auto found = std::ranges::find(catalogue.samples, sample, &SampleInfo::name);
  if (found == catalogue.samples.end()) {
    return tl::unexpected<Error>(unknownSample(sample, catalogue.samples));
  }
  Result<Model> model = loadModel((catalogue.folder / found->file).string(), options);
  if (!model) return model;
  model->name = found->name;
  model->path = name;
  model->options = found->options;
  return model;
}

}  // namespace hw
