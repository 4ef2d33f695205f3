#include "core/base/c_words.h"

#include <algorithm>

#include "core/base/text.h"

namespace hw {

std::string cComment(std::string_view name) {
  std::string text = printable(name, 80);
  std::ranges::replace_if(
      text,
      [](char c) {
        return !isCLetter(c) && !isCDigit(c) &&
               std::string_view(" _-.,:;()[]").find(c) == std::string_view::npos;
      },
      '_');
  return text;
}

}  // namespace hw
