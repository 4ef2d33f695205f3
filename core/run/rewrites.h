#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/run/stages.h"

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

/// A rewrite of a program. A new one is a file that carries it out and a row of the catalogue:
/// runs, notes, shrink and advice go by the rows.
struct RewriteInfo {
  std::string_view name{};         ///< In options and files: "in-place".
  bool Rewrites::*flag = nullptr;  ///< Null, like the next three: shrink does not try it.
  std::string_view meaning{};
  bool (*has)(const RunRequest& request) = nullptr;  ///< Whether it was asked for already.
  void (*add)(RunRequest& request) = nullptr;        ///< Asks for it.
  RunStage stage{};  ///< Carries it out before storage is shared; none: planning does it.
  /// A sentence on what it came to in `program`, or why nothing was done that `asked` wants; may be
  /// empty.
  std::string (*note)(const RunRequest& asked, const Program& program) = nullptr;
  /// Why it cannot do anything for `asked`; empty where it may. Null: it may always.
  std::string (*whyNot)(const RunRequest& asked) = nullptr;
};

/// All rewrites; the stages say in which order they are carried out.
std::span<const RewriteInfo> rewriteCatalog();
/// Those that shrink tries, in the order of tables.
std::span<const RewriteInfo> shrinkingRewrites();

/// "order, in-place"; "none" of none. `separator` stands between two.
std::string rewritesText(const Rewrites& rewrites, std::string_view separator = ", ");
/// The number of them.
std::size_t countOf(const Rewrites& rewrites);
/// As tables have them: nothing first, each alone as in the catalogue, then several.
std::pair<std::size_t, std::size_t> placeOf(const Rewrites& rewrites);
/// A list of names, or "all"; errors name what is none and say what there is.
Result<Rewrites> parseRewrites(std::string_view text);

/// `request` with all of them.
RunRequest withRewrites(RunRequest request, const Rewrites& rewrites);

}  // namespace hw
