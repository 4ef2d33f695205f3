#include "core/import/tflite/litert_lm.h"

#include <fmt/format.h>

#include <set>

#include "core/base/text.h"
#include "core/import/tflite/flat_table.h"

namespace hw {
namespace {

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

/// What the section says that its model is for; empty: nothing.
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

}  // namespace

bool isLiteRtLm(std::string_view bytes) { return bytes.starts_with(kMagic); }

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

}  // namespace hw
