#include "core/machine/foreign/ini_file.h"

#include <fmt/format.h>

#include "core/base/document_limits.h"
#include "core/base/result.h"
#include "core/base/text.h"

namespace hw {
namespace {

std::string iniPlace(std::size_t line) { return fmt::format("line {}", line); }

/// Keys are the same in any case; others than letters of ASCII stay as they are.
std::string lowerKey(std::string_view key) {
  std::string lower(key);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::string IniFile::Value::where() const { return iniPlace(line); }

IniFile::IniFile(std::string_view text) {
  const auto within = [](Result<void> checked) {
    if (!checked) throw Refusal{std::move(checked).error()};
  };
  within(checkSize(kIniLimits, text.size()));
  std::size_t number = 0;
  std::size_t values = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimText(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.size() > kIniLimits.text) within(tooLongText(kIniLimits, iniPlace(number)));
    if (++values > kIniLimits.values) within(tooManyValues(kIniLimits, iniPlace(number)));
    if (line.front() == '[') {
      if (line.back() != ']') refuse("a section has no ']' at its end", iniPlace(number));
      Section section{.name = std::string(line.substr(1, line.size() - 2)), .line = number};
      if (!places_.emplace(section.name, sections_.size()).second) {
        refuse(fmt::format("section '{}' is there twice", printable(section.name, 80)),
               iniPlace(number));
      }
      sections_.push_back(std::move(section));
      continue;
    }
    const std::size_t equals = line.find_first_of("=:");
    if (equals == std::string_view::npos) {
      refuse(fmt::format("expected 'key = value' or '[section]', found '{}'", printable(line, 40)),
             iniPlace(number));
    }
    if (sections_.empty()) refuse("a key stands before the first [section]", iniPlace(number));
    Section& section = sections_.back();
    const std::string key = lowerKey(trimText(line.substr(0, equals)));
    Value value{.text = std::string(trimText(line.substr(equals + 1))), .line = number};
    if (!section.values.emplace(key, std::move(value)).second) {
      refuse(fmt::format("'{}' is in section '{}' twice", printable(key, 80),
                         printable(section.name, 80)),
             iniPlace(number));
    }
  }
}

const IniFile::Section* IniFile::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &sections_[place->second];
}

std::optional<IniFile::Value> IniFile::value(const Section& section, std::string_view key) const {
  const Section* at = &section;
  for (std::size_t steps = 0;; ++steps) {
    if (const auto found = at->values.find(key); found != at->values.end()) return found->second;
    const auto parent = at->values.find("inherit");
    if (parent == at->values.end()) return std::nullopt;
    if (steps == sections_.size()) {
      refuse(fmt::format("section '{}' inherits from itself", printable(section.name, 80)),
             parent->second.where());
    }
    at = find(parent->second.text);
    if (at == nullptr) {
      refuse(fmt::format("there is no section '{}' to inherit from",
                         printable(parent->second.text, 80)),
             parent->second.where());
    }
  }
}

}  // namespace hw
