#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/document_limits.h"
#include "core/base/result.h"

/// For those who read TOML; slow to compile, so for .cpp files only.

namespace hw {

/// Goes over TOML once, without recursion: its levels, values and texts. A dotted key or header
/// counts a level a part, as the parser makes a table of each.
class TomlCheck {
 public:
  /// Both outlive it.
  TomlCheck(std::string_view text, const DocumentLimits& limits) : text_(text), limits_(limits) {}

  /// Fails where the text is beyond the limits; what is not TOML is left to the parser.
  Result<void> run() {
    HW_DO(checkSize(limits_, text_.size()));
    while (at_ < text_.size()) HW_DO(step());
    return {};
  }

 private:
  /// The document, an inline table or an array.
  struct Level {
    std::size_t depth = 0;  ///< Of the level itself.
    bool table = true;
    bool inKey = true;      ///< Between the start of an entry and its '='.
    std::size_t parts = 1;  ///< Of that key.
  };

  Result<void> step() {
    switch (text_[at_]) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return {};
      case '"':
      case '\'':
        return skipString();
      case '\n':
        if (levels_.size() == 1) endStatement();
        break;
      case '=':
        levels_.back().inKey = false;
        return count();
      case ',':
        startEntry();
        return count();
      case '.':
        return dot();
      case '[':
        return open(false);
      case '{':
        return open(true);
      case ']':
      case '}':
        close();
        break;
      default:
        return word();
    }
    ++at_;
    return {};
  }

  /// A header's tables are around all that follows, up to the next header.
  void endStatement() {
    Level& document = levels_.front();
    if (header_) document.depth = document.parts;
    header_ = false;
    startEntry();
  }

  void startEntry() {
    levels_.back().inKey = levels_.back().table;
    levels_.back().parts = 1;
  }

  Result<void> count() {
    ++at_;
    if (++values_ > limits_.values) return tooManyValues(limits_, here());
    return {};
  }

  Result<void> dot() {
    ++at_;
    if (levels_.back().inKey) ++levels_.back().parts;
    return depthOfEntry() > limits_.depth ? tooDeep(limits_, here()) : Result<void>();
  }

  Result<void> open(bool table) {
    ++at_;
    if (levels_.size() == 1 && levels_.front().inKey && !table) {
      header_ = true;
      levels_.front().depth = 0;
      return {};
    }
    levels_.push_back({.depth = depthOfEntry(), .table = table, .inKey = table});
    return depthOfEntry() > limits_.depth ? tooDeep(limits_, here()) : Result<void>();
  }

  void close() {
    if (levels_.size() > 1) levels_.pop_back();
  }

  std::size_t depthOfEntry() const {
    const Level& level = levels_.back();
    return level.depth + (level.table ? level.parts : 1);
  }

  /// A bare key, a number, or the space between them.
  Result<void> word() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of("#\"'\n=,.[]{}", at_), text_.size());
    return at_ - begin > limits_.text ? tooLongText(limits_, here()) : Result<void>();
  }

  Result<void> skipString() {
    const std::size_t begin = at_;
    const char quote = text_[at_];
    const bool lines = text_.substr(at_).starts_with(std::string(3, quote));
    for (at_ += lines ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;  // What is escaped.
      } else if (text_[at_] == quote &&
                 (!lines || text_.substr(at_).starts_with(std::string(3, quote)))) {
        at_ += lines ? 3 : 1;
        break;
      } else if (text_[at_] == '\n' && !lines) {
        break;
      }
    }
    // Up to two quotes may stand before the three that end it.
    while (lines && at_ < text_.size() && text_[at_] == quote) ++at_;
    at_ = std::min(at_, text_.size());
    return at_ - begin > limits_.text ? tooLongText(limits_, here()) : Result<void>();
  }

  std::string here() const { return placeInText(text_, at_); }

  std::string_view text_;
  const DocumentLimits& limits_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  bool header_ = false;
  std::vector<Level> levels_ = {{}};
};

inline std::string tomlPlace(const toml::source_region& source) {
  return fmt::format("line {}, column {}", source.begin.line, source.begin.column);
}

[[noreturn]] inline void refuse(std::string message, const toml::source_region& source) {
  refuse(std::move(message), tomlPlace(source));
}

/// The result of `read` on the document, or why it is none, or why `read` refused. Nothing beyond
/// kTomlLimits reaches the parser: its tables are destroyed level by level, on the stack.
template <class Read>
auto readToml(std::string_view text, const Read& read) {
  return unlessRefused([&] {
    if (auto within = TomlCheck(text, kTomlLimits).run(); !within)
      throw Refusal{std::move(within).error()};
    try {
      return read(toml::parse(text));
    } catch (const toml::parse_error& error) {
      refuse(fmt::format("not TOML: {}", error.description()), tomlPlace(error.source()));
    }
  });
}

}  // namespace hw
