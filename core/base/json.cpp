#include "core/base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

bool isTable(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& row) { return row.is_object(); });
}

/// The library's words, without the number of the error and its own idea of the place.
std::string notJson(std::string_view reason) {
  const std::string_view mark = reason.find("] parse error") == reason.npos ? "] " : ": ";
  const auto at = reason.find(mark);
  return "not valid JSON: " +
         printable(reason.substr(at == std::string_view::npos ? 0 : at + mark.size()));
}

using ListKeys = std::span<const std::string_view>;

/// Makes a document of what the parser meets, and stops it where the document is beyond `limits`.
/// Elements of `lists` are not kept; those of `list` are visited, and nothing behind it is read.
class JsonBuilder {
 public:
  JsonBuilder(std::string_view text, const DocumentLimits& limits, ListKeys lists = {},
              const JsonList* list = nullptr)
      : text_(text), limits_(limits), lists_(lists), list_(list) {}

  ParsedJson document{};
  Error error{};  ///< Why the parser was stopped.

  // Functions that the parser calls by these names; false stops it.
  // NOLINTBEGIN(readability-identifier-naming)
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return fits(value) && add(std::move(value)); }
  bool binary(ParsedJson::binary_t&) { return false; }  // Of other formats than text.
  bool start_object(std::size_t) { return open(ParsedJson::object()); }
  bool start_array(std::size_t) {
    const bool apart = isApart();
    const bool wanted = apart && list_ != nullptr && where(open_.size()) == list_->path;
    if (!open(ParsedJson::array())) return false;
    if (apart) apart_ = {.level = open_.size(), .wanted = wanted};
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() {
    const bool last = apart_.wanted && open_.size() == apart_.level;
    if (open_.size() == apart_.level) apart_ = {};
    return close() && !last;
  }
  // NOLINTEND(readability-identifier-naming)

  bool key(std::string& name) {
    if (!fits(name)) return false;
    auto& members = open_.back()->get_ref<ParsedJson::object_t&>();
    const auto [place, isNew] = members.emplace(std::move(name), nullptr);
    if (!isNew) {
      return stop(fail(ErrorCode::malformed,
                       fmt::format("the key '{}' is there twice", printable(place->first, 80)),
                       where(open_.size() - 1)));
    }
    members_.back() = &*place;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const ParsedJson::exception& reason) {
    return stop(fail(ErrorCode::malformed, notJson(reason.what()), placeInText(text_, byte)));
  }

 private:
  using Member = ParsedJson::object_t::value_type;

  bool stop(tl::unexpected<Error> reason) {
    error = std::move(reason.value());
    return false;
  }

  bool fits(const std::string& text) {
    return text.size() <= limits_.text || stop(tooLongText(limits_, where(open_.size())));
  }

  bool add(ParsedJson value) {
    if (place(std::move(value)) == nullptr) return false;
    complete();
    return true;
  }

  /// An array that begins here is one of the lists.
  bool isApart() const {
    if (lists_.empty() || open_.empty() || members_.back() == nullptr) return false;
    return std::ranges::all_of(open_, [](const ParsedJson* each) { return each->is_object(); }) &&
           std::ranges::find(lists_, members_.back()->first) != lists_.end();
  }

  /// The last value is whole.
  void complete() {
    if (apart_.level == 0 || open_.size() != apart_.level) return;
    if (apart_.wanted) list_->visit(open_.back()->back(), apart_.passed);
    open_.back()->clear();
    ++apart_.passed;
  }

  ParsedJson* place(ParsedJson value) {
    if (++values_ > limits_.values) {
      stop(tooManyValues(limits_, where(open_.size())));
      return nullptr;
    }
    ParsedJson* at = &document;
    if (!open_.empty() && open_.back()->is_array()) {
      at = &open_.back()->get_ref<ParsedJson::array_t&>().emplace_back();
    } else if (!open_.empty()) {
      at = &members_.back()->second;
    }
    *at = std::move(value);
    return at;
  }

  bool open(ParsedJson empty) {
    if (open_.size() == limits_.depth) return stop(tooDeep(limits_, where(open_.size())));
    ParsedJson* const at = place(std::move(empty));
    if (at == nullptr) return false;
    open_.push_back(at);
    members_.push_back(nullptr);
    return true;
  }

  bool close() {
    open_.pop_back();
    members_.pop_back();
    complete();
    return true;
  }

  /// The names of what lies within each other, down to the member or element that was read last in
  /// the first `levels` of them.
  std::string where(std::size_t levels) const {
    std::string path;
    for (std::size_t i = 0; i < levels; ++i) {
      if (open_[i]->is_array()) {
        const std::size_t before = i + 1 == apart_.level ? apart_.passed : 0;
        path += fmt::format("[{}]", before + std::max<std::size_t>(open_[i]->size(), 1) - 1);
      } else if (members_[i] != nullptr) {
        path += (path.empty() ? "" : ".") + printable(members_[i]->first, 80);
      }
    }
    return path.empty() ? "at the top" : printable(path);
  }

  /// The list that is being read, one at a time: there are only objects around it.
  struct Apart {
    std::size_t level = 0;   ///< How many are open inside of it, itself included; 0: none.
    std::size_t passed = 0;  ///< Elements so far.
    bool wanted = false;
  };

  std::string_view text_;
  const DocumentLimits& limits_;
  ListKeys lists_;
  const JsonList* list_;
  Apart apart_;
  std::vector<ParsedJson*> open_;  ///< Objects and arrays, each in the one before.
  std::vector<Member*> members_;   ///< Of each that is an object, the member that is being read.
  std::size_t values_ = 0;
};

}  // namespace

std::string jsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string jsonLine(const ParsedJson& json) {
  return json.dump(-1, ' ', false, ParsedJson::error_handler_t::replace);
}

std::string jsonDocument(const Json& object) {
  std::string text = "{";
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    text += first ? "\n  " : ",\n  ";
    first = false;
    text += jsonLine(Json(key)) + ": ";
    if (!isTable(value)) {
      text += jsonLine(value);
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      text += (i == 0 ? "[\n    " : ",\n    ") + jsonLine(value[i]);
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

Result<ParsedJson> parseJson(std::string_view text, const DocumentLimits& limits) {
  HW_DO(checkSize(limits, text.size()));
  JsonBuilder builder(text, limits);
  if (!ParsedJson::sax_parse(text.begin(), text.end(), &builder)) {
    return tl::unexpected(std::move(builder.error));
  }
  return std::move(builder.document);
}

Result<ParsedJson> parseJson(std::string_view text, ListKeys lists) {
  HW_DO(checkSize(kJsonLimits, text.size()));
  JsonBuilder builder(text, kJsonLimits, lists);
  if (!ParsedJson::sax_parse(text.begin(), text.end(), &builder)) {
    return tl::unexpected(std::move(builder.error));
  }
  return std::move(builder.document);
}

void visitJsonList(std::string_view text, ListKeys lists, const JsonList& list) {
  JsonBuilder builder(text, kJsonLimits, lists, &list);
  ParsedJson::sax_parse(text.begin(), text.end(), &builder);
}

void JsonNode::expected(std::string_view what) const {
  refuse("expected {}, found {}", what, printable(jsonLine(value), 40));
}

const std::string& JsonNode::text() const {
  if (!value.is_string()) expected("a string");
  return value.get_ref<const std::string&>();
}

bool JsonNode::flag() const {
  if (!value.is_boolean()) expected("true or false");
  return value.get<bool>();
}

std::int64_t JsonNode::count(std::int64_t most) const {
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : value.is_number_integer() && value.get<std::int64_t>() >= 0;
  if (!fits) expected(fmt::format("a whole number from 0 to {}", most));
  return value.get<std::int64_t>();
}

const JsonNode& JsonNode::object() const {
  if (!value.is_object()) expected("an object");
  return *this;
}

JsonNode JsonNode::element(std::size_t index) const {
  return {value[index], fmt::format("{}[{}]", where, index)};
}

std::optional<JsonNode> JsonNode::find(const char* key) const {
  const auto member = value.find(key);
  if (member == value.end() || member->is_null()) return std::nullopt;
  return JsonNode{*member, where.empty() ? key : where + "." + key};
}

std::string JsonNode::text(const char* key) const {
  const auto member = find(key);
  return member ? member->text() : std::string();
}

std::optional<std::int64_t> JsonNode::count(const char* key, std::int64_t most) const {
  const auto member = find(key);
  return member ? std::optional(member->count(most)) : std::nullopt;
}

std::optional<Bytes> JsonNode::bytes(const char* key) const {
  const auto number = count(key, kMaxBytes.count());
  return number ? std::optional(Bytes(*number)) : std::nullopt;
}

std::optional<Step> JsonNode::step(const char* key) const {
  const auto number = count(key, kMaxStep.count());
  return number ? std::optional(Step(*number)) : std::nullopt;
}

void JsonLists::forEach(const JsonNode& object, const char* key,
                        const std::function<void(const JsonNode&)>& visit) const {
  const auto list = object.find(key);
  if (!list) return;
  if (!list->value.is_array()) list->expected("an array");
  visitJsonList(text, keys, {list->where, [&](const ParsedJson& element, std::size_t index) {
                               visit({element, fmt::format("{}[{}]", list->where, index)});
                             }});
}

}  // namespace hw
