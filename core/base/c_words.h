#pragma once

#include <string>
#include <string_view>

namespace hw {

// What C takes as letters and digits, whatever the language of the machine.

constexpr bool isCLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
constexpr bool isCDigit(char c) { return c >= '0' && c <= '9'; }

/// `name` for a comment of C, at most 80 characters of it: nothing that could end the comment,
/// begin another or continue a line.
std::string cComment(std::string_view name);

}  // namespace hw
