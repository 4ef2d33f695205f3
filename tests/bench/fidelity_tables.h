#pragma once

#include <fmt/format.h>

namespace hw::bench {

/// The heading of a table in Markdown, and its columns: "| model | ours |".
inline void title(const char* what, const char* columns) {
  fmt::print("\n{}\n\n{}\n|", what, columns);
  for (const char* at = columns + 1; *at != 0; ++at) {
    if (*at == '|') fmt::print("---|");
  }
  fmt::print("\n");
}

/// "+1.2 %": how far ours is above theirs.
inline std::string errorText(double ours, double theirs) {
  return fmt::format("{:+.1f} %", 100 * (ours / theirs - 1));
}

/// Cycles by the shape of an array beside those of SCALE-Sim, ZigZag and Vela.
void arrays();

/// Boards of MLPerf Tiny by laws that are fitted to one of them.
void boards();

}  // namespace hw::bench
