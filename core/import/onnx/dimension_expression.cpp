#include "core/import/onnx/dimension_expression.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/text.h"

namespace hw {
namespace {

using Number = std::optional<std::int64_t>;

bool isOperator(char letter) {
  constexpr std::string_view kOperators = "+-*/(), ";
  return kOperators.find(letter) != std::string_view::npos;
}

Number floorDivide(std::int64_t a, std::int64_t b) {
  if (b <= 0) return std::nullopt;
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Recursive descent: sum = product {(+|-) product}, product = factor {(*|/|//) factor}.
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const NameLookup& lookup)
      : text_(text), lookup_(lookup) {}

  Number whole() {
    const Number value = sum();
    skipSpace();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char letter) {
    skipSpace();
    if (at_ == text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }

  Number sum() {
    Number value = product();
    while (value) {
      const bool adds = take('+');
      if (!adds && !take('-')) break;
      const Number next = product();
      // The least number has no negative.
      if (!next || *next == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      value = checkedAdd(*value, adds ? *next : -*next);
    }
    return value;
  }

  Number product() {
    Number value = factor();
    while (value) {
      const bool multiplies = take('*');
      if (!multiplies && !take('/')) break;
      if (!multiplies) take('/');  // `//` is the same division.
      const Number next = factor();
      if (!next) return std::nullopt;
      value = multiplies ? checkedMul(*value, *next) : floorDivide(*value, *next);
    }
    return value;
  }

  Number factor() {
    constexpr int kDeepest = 32;
    if (++depth_ > kDeepest) return std::nullopt;
    const Number value = take('(') ? closed(sum()) : nameOrCall();
    --depth_;
    return value;
  }

  Number closed(Number value) { return take(')') ? value : std::nullopt; }

  Number nameOrCall() {
    skipSpace();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !isOperator(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) return std::nullopt;
    if (take('(')) return call(name);
    if (const auto number = parseInteger(name)) return number;
    return lookup_(name);
  }

  /// Functions that sympy prints: floor(a/b), Max(a, b), Min(a, b).
  Number call(std::string name) {
    std::vector<std::int64_t> arguments;
    do {
      const Number argument = sum();
      if (!argument) return std::nullopt;
      arguments.push_back(*argument);
    } while (take(','));
    if (!take(')')) return std::nullopt;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == "floor" && arguments.size() == 1) return arguments[0];
    if (name == "max") return *std::ranges::max_element(arguments);
    if (name == "min") return *std::ranges::min_element(arguments);
    return std::nullopt;
  }

  std::string_view text_;
  const NameLookup& lookup_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluateDimension(std::string_view text, const NameLookup& lookup) {
  constexpr std::size_t kLongest = 1'000;
  if (text.size() > kLongest) return std::nullopt;
  const Number value = ExpressionReader(text, lookup).whole();
  return value && *value >= 0 ? value : std::nullopt;
}

bool isPlainName(std::string_view name) { return std::ranges::none_of(name, isOperator); }

}  // namespace hw
