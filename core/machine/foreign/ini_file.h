#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hw {

/// What Python's configparser makes of a file of sections, `[NAME]`, and `key = value` below them:
/// keys are the same in any case, lines that begin with '#' or ';' are comments, and nothing may
/// be there twice. What is no such file, or beyond kIniLimits, is refused (base/refusal.h), with
/// its line.
class IniFile {
 public:
  struct Value {
    std::string text{};
    std::size_t line = 0;

    std::string where() const;
  };
  struct Section {
    std::string name{};
    std::size_t line = 0;
    std::map<std::string, Value, std::less<>> values{};
  };

  explicit IniFile(std::string_view text);

  /// In the order of the file.
  const std::vector<Section>& sections() const { return sections_; }
  /// By name; null if there is none.
  const Section* find(std::string_view name) const;
  /// The value of a key, in lower case, in a section, or in the one whose name is its `inherit`,
  /// and so on. A section that inherits from itself, or from one that is not there, is refused.
  std::optional<Value> value(const Section& section, std::string_view key) const;

 private:
  std::vector<Section> sections_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace hw
