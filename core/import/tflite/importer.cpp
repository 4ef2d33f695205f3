#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/files/zip_archive.h"
#include "core/import/formats.h"
#include "core/import/tflite/inference.h"
#include "core/import/tflite/model.h"
#include "core/import/tflite/reader.h"

namespace hw {
namespace {

/// The plan that a converter wrote into a file for TensorFlow Lite Micro to follow.
struct TfliteOfflinePlan {
  /// By subgraph, and by its tensors; nothing: the runtime decides. Without a plan, and behind the
  /// subgraphs that it is for, empty.
  std::vector<std::vector<std::optional<Bytes>>> offsets{};
  std::vector<std::string> notes{};
};

constexpr std::string_view kName = "OfflineMemoryAllocation";
constexpr std::size_t kHeader = 3;

std::int32_t wordAt(std::string_view bytes, std::size_t index) {
  std::int32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof(word), sizeof(word));
  return word;
}

/// Tensors of each subgraph that a plan of `count` is for: all of them where it is for more than
/// the first one has. The others are unpacked only then.
std::vector<std::size_t> sizesOf(const TfliteFile& file, std::size_t count) {
  std::vector<std::size_t> sizes = {file.subgraph(0).tensors.size()};
  for (std::size_t i = 1; i < file.subgraphCount() && count > sizes.front(); ++i) {
    sizes.push_back(file.subgraph(i).tensors.size());
  }
  return sizes;
}

/// Reads the metadata "OfflineMemoryAllocation": int32 numbers, little-endian,
///
///   version 1 | subgraph | count n | offset of tensor 0 | ... | offset of tensor n - 1
///
/// where an offset of -1 is left to the runtime, and the tensors are those of all subgraphs, one
/// after the other, or of the first one alone. Anything else is noted and left out. Notes are about
/// `subgraph`.
TfliteOfflinePlan readOfflinePlan(const TfliteFile& file, std::size_t subgraph) {
  TfliteOfflinePlan plan;
  const auto buffer = file.metadata(kName);
  if (!buffer) return plan;
  const auto refuse = [&](const std::string& why) {
    plan.notes.push_back(fmt::format("the plan in the file ({}) is left out: {}", kName, why));
    return plan;
  };
  const std::string_view bytes = file.bufferBytes(*buffer);
  const std::size_t words = bytes.size() / sizeof(std::int32_t);
  if (words < kHeader) return refuse("it is cut short");
  const std::int32_t count = wordAt(bytes, 2);
  if (count < 0 || static_cast<std::size_t>(count) > words - kHeader) {
    return refuse(fmt::format("it lists {} tensors and holds {}", count, words - kHeader));
  }
  const std::vector<std::size_t> sizes = sizesOf(file, static_cast<std::size_t>(count));
  const std::size_t tensors = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const bool fewer = sizes.size() == 1;
  if (fewer ? static_cast<std::size_t>(count) > tensors
            : static_cast<std::size_t>(count) != tensors) {
    return refuse(fmt::format("it is for {} tensors; the model has {}", count, tensors));
  }
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    auto& offsets = plan.offsets.emplace_back(size);
    for (std::size_t i = 0; i < size && next < static_cast<std::size_t>(count); ++i, ++next) {
      const std::int32_t offset = wordAt(bytes, kHeader + next);
      if (offset >= 0) offsets[i] = Bytes(offset);
    }
  }
  if (subgraph >= plan.offsets.size()) return plan;
  const auto given = std::ranges::count_if(plan.offsets[subgraph],
                                           [](const auto& offset) { return offset.has_value(); });
  if (given == 0 && subgraph > 0) return plan;
  plan.notes.push_back(fmt::format(
      "the file brings a plan of its own with {} offsets; --allocator embedded follows it", given));
  return plan;
}

/// Tensors that operators read and nobody makes, at offsets of a plan and with the name of one that
/// is made: views of its rows, as `shrink --runtime tflm` writes them. Scratch of accelerators has
/// names of its own.
std::size_t viewsOf(const TfliteFile& file, std::size_t subgraph, const TfliteOfflinePlan& plan) {
  if (subgraph >= plan.offsets.size()) return 0;
  const TfliteSubgraph& graph = file.subgraph(subgraph);
  std::vector<bool> made = madeIn(graph);
  for (const std::int32_t input : graph.inputs) {
    if (input >= 0 && static_cast<std::size_t>(input) < made.size()) {
      made[static_cast<std::size_t>(input)] = true;
    }
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i] && !graph.tensors[i].name.empty()) names.insert(graph.tensors[i].name);
  }
  std::vector<bool> views(made.size());
  for (const TfliteOp& op : graph.ops) {
    for (const std::int32_t input : op.inputs) {
      const auto at = static_cast<std::size_t>(input);
      if (input < 0 || at >= made.size() || made[at]) continue;
      const TfliteTensor& tensor = graph.tensors[at];
      views[at] = !tensor.isVariable && !file.isStored(tensor.buffer) &&
                  plan.offsets[subgraph][at].has_value() && names.contains(tensor.name);
    }
  }
  return static_cast<std::size_t>(std::ranges::count(views, true));
}

/// The choice of the user: a subgraph, and the signature it was chosen by.
struct Entry {
  std::size_t subgraph = 0;
  const TfliteSignature* signature = nullptr;
};

std::string entryNames(const TfliteFile& file) {
  constexpr std::size_t kNamed = 12;
  std::string names;
  for (const TfliteSignature& signature : file.signatures()) {
    names += (names.empty() ? "" : ", ") + printable(signature.key);
  }
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
  if (const std::size_t views = viewsOf(file, entry.subgraph, plan)) {
    return fail(ErrorCode::unsupported,
                fmt::format("its operators run in parts: {} tensors are views into the bytes of "
                            "others, which tflite-micro runs as they are; open the model that it "
                            "was made from",
                            views));
  }
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
