#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/run/run_request.h"

namespace hw {

/// Rewrites of a program that may make it need less memory.
struct Rewrites {
  bool order = false;
  bool inPlace = false;
  bool overlap = false;
  bool tile = false;
  bool recompute = false;

  static Rewrites all() { return {true, true, true, true, true}; }
  friend bool operator==(const Rewrites&, const Rewrites&) = default;
};

/// One of them.
struct RewriteInfo {
  std::string_view name;  ///< In options and files: "in-place".
  bool Rewrites::*flag;
  std::string_view meaning;
  /// The program has it already, as it was asked for.
  bool (*has)(const RunRequest& request);
  /// Asks for it.
  void (*add)(RunRequest& request);
};

std::span<const RewriteInfo> rewriteCatalog();

/// "order, in-place"; "none" of none. `separator` stands between two.
std::string rewritesText(const Rewrites& rewrites, std::string_view separator = ", ");
/// How many.
std::size_t countOf(const Rewrites& rewrites);
/// As tables have them: nothing first, each alone as in the catalogue, then several.
std::pair<std::size_t, std::size_t> placeOf(const Rewrites& rewrites);
/// A list of names, or "all"; errors name what is none and say what there is.
Result<Rewrites> parseRewrites(std::string_view text);

/// `request` with all of them.
RunRequest withRewrites(RunRequest request, const Rewrites& rewrites);

}  // namespace hw
