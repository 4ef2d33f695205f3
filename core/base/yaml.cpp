#include "core/base/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/text.h"

namespace hw {
namespace {

std::string yamlPlace(const YAML::Mark& mark) {
  return fmt::format("line {}, column {}", mark.line + 1, mark.column + 1);
}

/// A plain scalar.
ParsedJson yamlScalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  if (const auto number = parseInteger(text)) {  // As the library has them from JSON.
    if (*number < 0) return *number;
    return static_cast<std::uint64_t>(*number);
  }
  if (!text.starts_with("0x")) return text;
  std::uint64_t bits = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 2, end, bits, 16);
  return read.ec == std::errc() && read.ptr == end ? ParsedJson(bits) : ParsedJson(text);
}

/// Makes a document of what the parser meets, and stops it where that is beyond the limits: it goes
/// no deeper then.
class YamlBuilder : public YAML::EventHandler {
 public:
  explicit YamlBuilder(const DocumentLimits& limits) : limits_(limits) {}

  ParsedJson take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse("a second document begins; expected one", yamlPlace(mark));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, anchor, nullptr, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuseAnchor(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (value.size() > limits_.text) stop(tooLongText(limits_, yamlPlace(mark)));
    const bool plain = tag.empty() || tag == "?";
    add(mark, anchor, plain ? yamlScalar(value) : ParsedJson(value), value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, ParsedJson::array());
  }
  void OnSequenceEnd() override { levels_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, ParsedJson::object());
  }
  void OnMapEnd() override { levels_.pop_back(); }

 private:
  struct Level {
    ParsedJson* value = nullptr;
    std::optional<std::string> key{};  ///< Of a map: the one whose value comes next.
  };

  [[noreturn]] static void stop(tl::unexpected<Error> error) { throw Refusal{error.value()}; }

  [[noreturn]] static void refuseAnchor(const YAML::Mark& mark) {
    refuse("anchors and aliases are not read; expected each value in its place", yamlPlace(mark),
           ErrorCode::unsupported);
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, ParsedJson empty) {
    if (levels_.size() == limits_.depth) stop(tooDeep(limits_, yamlPlace(mark)));
    if (!levels_.empty() && levels_.back().value->is_object() && !levels_.back().key) {
      refuse("a key is a list or a map; expected a text", yamlPlace(mark));
    }
    levels_.push_back({add(mark, anchor, std::move(empty), "")});
  }

  /// A value, or a key of the map that is open, which is a text as it stands.
  ParsedJson* add(const YAML::Mark& mark, YAML::anchor_t anchor, ParsedJson value,
                  const std::string& text) {
    if (anchor != YAML::NullAnchor) refuseAnchor(mark);
    if (++values_ > limits_.values) stop(tooManyValues(limits_, yamlPlace(mark)));
    if (levels_.empty()) return &(document_ = std::move(value));
    Level& level = levels_.back();
    if (level.value->is_array()) {
      level.value->push_back(std::move(value));
      return &level.value->back();
    }
    if (!level.key) {
      if (level.value->contains(text)) {
        refuse(fmt::format("the key '{}' is there twice", printable(text, 40)), yamlPlace(mark));
      }
      level.key = text;
      return nullptr;
    }
    ParsedJson& member = (*level.value)[*level.key] = std::move(value);
    level.key.reset();
    return &member;
  }

  const DocumentLimits& limits_;
  ParsedJson document_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
  std::size_t documents_ = 0;
};

}  // namespace

Result<ParsedJson> parseYaml(std::string_view text, const DocumentLimits& limits) {
  HW_DO(checkSize(limits, text.size()));
  return unlessRefused([&]() -> Result<ParsedJson> {
    YamlBuilder builder(limits);
    try {
      std::istringstream stream{std::string(text)};
      YAML::Parser parser(stream);
      while (parser.HandleNextDocument(builder)) continue;
    } catch (const YAML::Exception& error) {
      return fail(ErrorCode::malformed, "not valid YAML: " + printable(error.msg),
                  error.mark.is_null() ? "" : yamlPlace(error.mark));
    }
    return builder.take();
  });
}

}  // namespace hw
