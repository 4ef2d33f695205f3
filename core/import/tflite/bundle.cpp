#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/files/zip_archive.h"
#include "core/import/formats.h"
#include "core/import/tflite/flat_table.h"

namespace hw {
namespace {

/// A TFLite model inside a LiteRT-LM file.
struct LiteRtLmModel {
  std::string name{};        ///< What its section says of it, such as "prefill_decode".
  std::string_view bytes{};  ///< In place.
};

// "LITERTLM", version as three numbers, four bytes, where the header ends; then a flatbuffer.
constexpr std::string_view kMagic = "LITERTLM";
constexpr std::size_t kMajorAt = 8;
constexpr std::size_t kEndAt = 24;
constexpr std::size_t kHeaderAt = 32;
constexpr std::uint64_t kMostHeader = std::uint64_t{16} << 20U;

// Fields of its schema, litertlm_header_schema.fbs.
constexpr int kSections = 1, kObjects = 0;
namespace section_field {
constexpr int kItems = 0, kBegin = 1, kEnd = 2, kType = 3;
}  // namespace section_field
namespace item_field {
constexpr int kKey = 0, kValueType = 1, kValue = 2;
}  // namespace item_field
constexpr std::uint8_t kModelSection = 3;
constexpr std::uint8_t kStringValue = 9;

/// The purpose of a model that the section states; empty: none.
std::string modelType(const FlatTable& section) {
  const auto items = section.vector<FlatTable>(section_field::kItems);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const FlatTable item = items.at(i, "an item");
    if (item.text(item_field::kKey) != "model_type") continue;
    if (item.number<std::uint8_t>(item_field::kValueType, 0) != kStringValue) continue;
    const auto value = item.table(item_field::kValue, "a value");
    if (value) return value->text(0);
  }
  return {};
}

std::vector<LiteRtLmModel> readModels(std::string_view bytes, const FlatBytes& header) {
  std::vector<LiteRtLmModel> models;
  std::set<std::string> names;
  const auto sections = FlatTable::root(header).table(kSections, "the sections");
  if (!sections) refuse("the LiteRT-LM file lists no sections", "header");
  const auto objects = sections->vector<FlatTable>(kObjects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    header.spend(sizeof(LiteRtLmModel));
    const FlatTable section = objects.at(i, "a section");
    if (section.number<std::uint8_t>(section_field::kType, 0) != kModelSection) continue;
    const auto begin = section.number<std::uint64_t>(section_field::kBegin, 0);
    const auto end = section.number<std::uint64_t>(section_field::kEnd, 0);
    if (begin > end || end > bytes.size()) {
      refuse(fmt::format("section {} is from byte {} to {}; the file has {}", i, begin, end,
                         bytes.size()),
             "header");
    }
    std::string name = modelType(section);
    if (name.empty() || names.contains(name)) name = fmt::format("section {}", i);
    names.insert(name);
    models.push_back({std::move(name), bytes.substr(begin, end - begin)});
  }
  if (models.empty()) {
    refuse("the LiteRT-LM file has no section with a TFLite model", "header",
           ErrorCode::unsupported);
  }
  return models;
}

/// True if `bytes` begin as a LiteRT-LM file (.litertlm) does: models of a language model, its
/// tokenizer and settings, each in a section.
bool isLiteRtLm(std::string_view bytes) { return bytes.starts_with(kMagic); }

/// The models in it, in the order of their sections: at least one. Names are unique.
Result<std::vector<LiteRtLmModel>> liteRtLmModels(std::string_view bytes) {
  return unlessRefused([&] {
    const FlatBytes file(bytes);
    const auto major = file.number<std::uint32_t>(kMajorAt, "the version");
    if (major != 1) {
      refuse(fmt::format("version {} of LiteRT-LM files is not known; expected 1", major),
             fmt::format("byte {}", kMajorAt), ErrorCode::unsupported);
    }
    const auto end = file.number<std::uint64_t>(kEndAt, "the end of the header");
    if (end < kHeaderAt || end > bytes.size() || end > kMostHeader) {
      refuse(fmt::format("the header ends at byte {}; expected {} to {}", end, kHeaderAt,
                         std::min<std::uint64_t>(bytes.size(), kMostHeader)),
             fmt::format("byte {}", kEndAt));
    }
    return readModels(bytes, FlatBytes(bytes.substr(kHeaderAt, end - kHeaderAt)));
  });
}

/// Larger members are read in place only, that is, not packed.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{256} << 20U;
/// Bundles inside are small: they hold what is stored, or are not looked into.
constexpr std::uint64_t kMostPackedBundle = std::uint64_t{32} << 20U;
/// Bundles hold bundles, but not for ever.
constexpr int kDeepestArchive = 3;
/// As many members are looked at, inner bundles included, and as many of those.
constexpr std::size_t kMostMembers = 10'000;
constexpr int kMostArchives = 16;
constexpr std::size_t kMagicSize = 8;

/// A model inside: the members that lead to it, from the outside in, or its own bytes.
struct Found {
  std::string name{};  ///< "hand.task/detector.tflite".
  std::vector<ZipMember> path{};
  std::string_view place{};  ///< Of a LiteRT-LM file: that part of it.

  std::string_view lastName() const { return path.empty() ? name : path.back().name; }
};

/// The bytes of a member: in place, or unpacked into `room`.
std::string_view contents(std::string_view bytes, const ZipMember& member, std::string& room) {
  if (member.method == 0 && !member.encrypted) return zipPayload(bytes, member);
  if (member.size > kMostUnpacked) return {};
  room = zipUnpack(bytes, member, static_cast<std::size_t>(member.size));
  return room;
}

class ModelFinder {
 public:
  /// `firstOnly`: stops at the first one.
  explicit ModelFinder(bool firstOnly) : firstOnly_(firstOnly) {}

  void search(std::string_view bytes, const Found& outer) {
    const auto members = zipDirectory(bytes);
    if (!members) return;
    for (const ZipMember& member : *members) {
      if (looked_++ >= kMostMembers || (firstOnly_ && !found.empty())) return;
      if (member.encrypted) continue;
      const std::string start = zipUnpack(bytes, member, kMagicSize);
      Found inner = outer;
      inner.name += (outer.path.empty() ? "" : "/") + member.name;
      inner.path.push_back(member);
      if (acceptsTflite(start))
        found.push_back(std::move(inner));
      else if (mayBeArchive(member, start) && inner.path.size() < kDeepestArchive &&
               archives_++ < kMostArchives) {
        std::string room;
        if (member.method == 0 || member.size <= kMostPackedBundle) {
          search(contents(bytes, member, room), inner);
        }
      }
    }
  }

  std::vector<Found> found;

 private:
  /// Other bytes may come before an archive.
  static bool mayBeArchive(const ZipMember& member, std::string_view start) {
    return start.starts_with("PK\x03\x04") || member.name.ends_with(".task");
  }

  bool firstOnly_;
  std::size_t looked_ = 0;
  int archives_ = 0;
};

std::string namesOf(const std::vector<Found>& all) {
  constexpr std::size_t kNamed = 12;
  std::string names;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    names += (i == 0 ? "" : ", ") + printable(all[i].name);
  }
  if (all.size() > kNamed) names += fmt::format(" and {} more", all.size() - kNamed);
  return names;
}

/// The model that `--subgraph MODEL[:SUBGRAPH]` names, by its whole path or its last part; the
/// first one when it names none, and then all of it is meant for that model.
const Found& chosen(const std::vector<Found>& all, std::string& subgraph) {
  for (const bool whole : {true, false}) {
    for (const Found& model : all) {
      const std::string_view name = whole ? model.name : model.lastName();
      if (!subgraph.starts_with(name)) continue;
      if (subgraph.size() > name.size() && subgraph[name.size()] != ':') continue;
      subgraph.erase(0, std::min(subgraph.size(), name.size() + 1));
      return model;
    }
  }
  return all.front();
}

/// At least one.
Result<std::vector<Found>> modelsIn(std::string_view bytes) {
  if (isLiteRtLm(bytes)) {
    HW_TRY(parts, liteRtLmModels(bytes));
    std::vector<Found> found;
    for (LiteRtLmModel& part : parts) {
      found.push_back({.name = std::move(part.name), .place = part.bytes});
    }
    return found;
  }
  ModelFinder finder(false);
  finder.search(bytes, {});
  if (finder.found.empty()) {
    return fail(ErrorCode::unsupported, "the zip archive holds no TFLite model");
  }
  return std::move(finder.found);
}

/// The models of the bundle, the one that was read with its own parts.
void listParts(const std::vector<Found>& all, const Found& model, Model& read) {
  constexpr std::size_t kMost = 256;
  const std::vector<ModelPart> inner = std::exchange(read.parts, {});
  const std::size_t chosenPart = std::exchange(read.part, 0);
  for (const Found& found : all) {
    const bool isThis = &found == &model;
    if (read.parts.size() >= kMost) break;
    if (isThis) read.part = read.parts.size() + chosenPart;
    if (!isThis || inner.empty()) read.parts.push_back({found.name, printable(found.name)});
    if (!isThis) continue;
    for (const ModelPart& part : inner) {
      read.parts.push_back(
          {found.name + ":" + part.key, printable(found.name) + ", " + part.label});
    }
  }
  if (read.parts.size() == 1) read.parts.clear();
}

}  // namespace

bool acceptsTfliteBundle(std::string_view bytes) {
  if (isLiteRtLm(bytes)) return true;
  ModelFinder finder(true);
  finder.search(bytes, {});
  return !finder.found.empty();
}

Result<Model> readTfliteBundle(std::string_view bytes, const ImportOptions& options) {
  HW_TRY(models, modelsIn(bytes));
  ImportOptions inner = options;
  const Found& model = chosen(models, inner.subgraph);
  const bool names = inner.subgraph != options.subgraph;
  // Each room holds what the next one lies in.
  std::vector<std::string> rooms(model.path.size());
  std::string_view within = model.path.empty() ? model.place : bytes;
  for (std::size_t i = 0; i < model.path.size(); ++i) {
    within = contents(within, model.path[i], rooms[i]);
  }
  Result<Model> read =
      acceptsTflite(within)
          ? readTflite(within, inner)
          : fail(ErrorCode::unsupported, "the model is packed, and larger than 256 MiB unpacked");
  if (!read) {
    Error error = read.error();
    if (!names && error.code == ErrorCode::invalidArgument && !options.subgraph.empty()) {
      error.message += fmt::format("; the bundle's models are {}", namesOf(models));
    }
    error.where = printable(model.name) + (error.where.empty() ? "" : ", " + error.where);
    return tl::unexpected<Error>(std::move(error));
  }
  if (bytes.size() > kHashedWhole && read->sha256.empty()) read->sha256 = sha256(within);
  listParts(models, model, *read);
  read->name = std::filesystem::path(model.lastName()).stem().string();
  Graph graph = *read->graph;
  graph.notes.insert(graph.notes.begin(),
                     fmt::format("this is {}, 1 of {} models in the bundle{}",
                                 printable(model.name), models.size(),
                                 models.size() > 1 ? "; --subgraph MODEL[:SUBGRAPH] "
                                                     "chooses among " +
                                                         namesOf(models)
                                                   : ""));
  read->graph = std::make_shared<const Graph>(std::move(graph));
  return read;
}

}  // namespace hw
