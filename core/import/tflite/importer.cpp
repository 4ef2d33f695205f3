#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/files/zip_archive.h"
#include "core/import/formats.h"
#include "core/import/tflite/inference.h"
#include "core/import/tflite/model.h"
#include "core/import/tflite/own_plan.h"
#include "core/import/tflite/reader.h"

namespace hw {
namespace {

/// The choice of the user: a subgraph, and the signature it was chosen by.
struct Entry {
  std::size_t subgraph = 0;
  const TfliteSignature* signature = nullptr;
};

std::string entryNames(const TfliteFile& file) {
  constexpr std::size_t kNamed = 12;
  std::string names = joinText(file.signatures(), ", ",
                               [](const TfliteSignature& each) { return printable(each.key); });
  for (std::size_t i = 0; i < std::min(file.subgraphCount(), kNamed); ++i) {
    const std::string name = file.subgraphName(i);
    names += (names.empty() ? "" : ", ") + std::to_string(i);
    if (!name.empty()) names += fmt::format(" ({})", printable(name));
  }
  if (file.subgraphCount() > kNamed) {
    names += fmt::format(" and {} more", file.subgraphCount() - kNamed);
  }
  return names;
}

const TfliteSignature* signatureOf(const TfliteFile& file, std::size_t subgraph) {
  const auto& all = file.signatures();
  const auto found = std::ranges::find(all, subgraph, &TfliteSignature::subgraph);
  return found == all.end() ? nullptr : &*found;
}

/// The entry that `--subgraph` names: a signature, a subgraph's name, or its number.
Result<Entry> chooseEntry(const TfliteFile& file, const std::string& wanted) {
  const std::size_t count = file.subgraphCount();
  if (wanted.empty()) return Entry{0, signatureOf(file, 0)};
  for (const TfliteSignature& signature : file.signatures()) {
    if (signature.key != wanted) continue;
    if (signature.subgraph < count) return Entry{signature.subgraph, &signature};
    return fail(ErrorCode::malformed,
                fmt::format("signature '{}' leads to subgraph {}; the model has {}",
                            printable(wanted), signature.subgraph, count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (file.subgraphName(i) == wanted) return Entry{i, signatureOf(file, i)};
  }
  const auto number = parseInteger(wanted);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(count)) {
    const auto index = static_cast<std::size_t>(*number);
    return Entry{index, signatureOf(file, index)};
  }
  return fail(ErrorCode::invalidArgument,
              fmt::format("the model has no subgraph or signature '{}'; it has {}",
                          printable(wanted), entryNames(file)));
}

/// Every way into the file: its signatures, then the subgraphs that none of them leads to.
void listParts(const TfliteFile& file, const Entry& entry, Model& model) {
  constexpr std::size_t kMost = 256;
  const auto add = [&](std::string key, std::string label, bool isThis) {
    if (model.parts.size() >= kMost) return;
    if (isThis) model.part = model.parts.size();
    model.parts.push_back({std::move(key), std::move(label)});
  };
  for (const TfliteSignature& signature : file.signatures()) {
    add(signature.key, fmt::format("signature {}", printable(signature.key)),
        &signature == entry.signature);
  }
  for (std::size_t i = 0; i < std::min(file.subgraphCount(), kMost); ++i) {
    if (signatureOf(file, i) != nullptr) continue;
    const std::string name = file.subgraphName(i);
    add(std::to_string(i),
        name.empty() ? fmt::format("subgraph {}", i)
                     : fmt::format("subgraph {}: {}", i, printable(name)),
        i == entry.subgraph && entry.signature == nullptr);
  }
  if (model.parts.size() == 1) model.parts.clear();
}

/// Notes on what else is in the file, for people.
std::vector<std::string> fileNotes(const TfliteFile& file, const Entry& entry) {
  std::vector<std::string> notes;
  if (const auto members = zipDirectory(file.bytes().all()); members && !members->empty()) {
    constexpr std::size_t kNamed = 4;
    std::string names;
    for (std::size_t i = 0; i < std::min(members->size(), kNamed); ++i) {
      names += (i == 0 ? "" : ", ") + printable((*members)[i].name);
    }
    notes.push_back(fmt::format("{} files are attached to the model: {}{}", members->size(), names,
                                members->size() > kNamed ? " and more" : ""));
  }
  if (file.subgraphCount() > 1 || file.signatures().size() > 1) {
    notes.push_back(fmt::format("this is {} of the file; --subgraph chooses among {}",
                                entry.signature != nullptr
                                    ? "signature " + printable(entry.signature->key)
                                    : fmt::format("subgraph {}", entry.subgraph),
                                entryNames(file)));
  }
  if (file.outsideBuffers() > 0) {
    notes.push_back(fmt::format("{} weights lie behind the flatbuffer", file.outsideBuffers()));
  }
  if (file.lostBuffers() > 0) {
    notes.push_back(
        fmt::format("{} of them end outside the file: it is cut short", file.lostBuffers()));
  }
  return notes;
}

/// The digest of all but the weights; of what lies behind them all, no more than counts anywhere.
std::string digestWithoutWeights(const TfliteFile& file) {
  const std::string_view bytes = file.bytes().all();
  Sha256 digest;
  std::size_t at = 0;
  for (const auto& [begin, end] : file.payloads()) {
    if (begin > at) digest.update(bytes.substr(at, begin - at));
    at = std::max(at, end);
  }
  digest.update(bytes.substr(at, kHashedWhole));
  return digest.hex();
}

Result<Model> readFlatbuffer(std::string_view bytes, const ImportOptions& options) {
  const TfliteFile file(bytes);
  HW_TRY(entry, chooseEntry(file, options.subgraph));
  TfliteInference inference(file, options.dimensions);
  const auto& aliases =
      entry.signature != nullptr ? entry.signature->inputs : std::map<std::string, std::int32_t>();
  HW_TRY(shapes, inference.entry(entry.subgraph, aliases));
  std::vector<std::string> notes = fileNotes(file, entry);
  notes.insert(notes.end(), inference.notes().begin(), inference.notes().end());

  TfliteOfflinePlan plan = readOfflinePlan(file, entry.subgraph);
  notes.insert(notes.end(), plan.notes.begin(), plan.notes.end());
  if (readsViews(file, plan.offsets)) return partsModel(file, entry.subgraph, plan.offsets);
  std::string name = file.subgraphName(entry.subgraph);
  TfliteReader reader(file, std::move(name), options.closedBodies);
  HW_TRY(graph, std::move(reader).read({.subgraph = entry.subgraph,
                                        .shapes = std::move(shapes),
                                        .offsets = std::move(plan.offsets),
                                        .notes = std::move(notes),
                                        .release = options.release}));
  Model model;
  listParts(file, entry, model);
  if (bytes.size() > kHashedWhole) model.sha256 = digestWithoutWeights(file);
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

}  // namespace

bool acceptsTflite(std::string_view bytes) {
  constexpr std::size_t kMagicAt = 4;
  return bytes.size() >= 8 && bytes.substr(kMagicAt).starts_with("TFL3");
}

Result<Model> readTflite(std::string_view bytes, const ImportOptions& options) {
  return unlessRefused([&] { return readFlatbuffer(bytes, options); });
}

}  // namespace hw
