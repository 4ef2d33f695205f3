#include "core/shrink/rewrites.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr RewriteInfo kRewrites[] = {
    {"order", &Rewrites::order, "operators run in the order of least peak",
     [](const RunRequest& request) { return request.order == OpOrder::leastPeak; },
     [](RunRequest& request) {
       request.order = OpOrder::leastPeak;
       request.moves.clear();
     }},
    {"in-place", &Rewrites::inPlace, "all that may share storage does, outputs with inputs too",
     [](const RunRequest& request) { return request.alias.inPlace; },
     [](RunRequest& request) {
       const bool always = request.alias.always;
       request.alias = AliasRules::all();
       request.alias.always = always;
     }},
    {"overlap", &Rewrites::overlap, "outputs overlap inputs as far as the unit's kernels allow it",
     [](const RunRequest& request) { return request.overlap; },
     [](RunRequest& request) { request.overlap = true; }},
    {"tile", &Rewrites::tile, "operators run in parts",
     [](const RunRequest& request) { return request.tile != TileRule::off; },
     [](RunRequest& request) { request.tile = TileRule::lines; }},
    {"recompute", &Rewrites::recompute, "operators run again instead of keeping what they made",
     [](const RunRequest& request) { return request.recompute; },
     [](RunRequest& request) { request.recompute = true; }},
};

std::vector<std::string_view> namesIn(const Rewrites& rewrites) {
  std::vector<std::string_view> names;
  for (const RewriteInfo& info : kRewrites) {
    if (rewrites.*(info.flag)) names.push_back(info.name);
  }
  return names;
}

}  // namespace

std::span<const RewriteInfo> rewriteCatalog() { return kRewrites; }

std::string rewritesText(const Rewrites& rewrites, std::string_view separator) {
  const auto names = namesIn(rewrites);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, separator));
}

std::size_t countOf(const Rewrites& rewrites) { return namesIn(rewrites).size(); }

std::pair<std::size_t, std::size_t> placeOf(const Rewrites& rewrites) {
  const auto first = std::ranges::find_if(
      kRewrites, [&](const RewriteInfo& info) { return rewrites.*(info.flag); });
  return {countOf(rewrites), static_cast<std::size_t>(first - std::begin(kRewrites))};
}

Result<Rewrites> parseRewrites(std::string_view text) {
  if (text == "all") return Rewrites::all();
  Rewrites rewrites;
  for (const std::string_view word : splitText(text, ',')) {
    const auto* info = std::ranges::find(kRewrites, word, &RewriteInfo::name);
    if (info == std::end(kRewrites)) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("'{}' is not a rewrite; expected all, or some of {}",
                              printable(word, 80), rewritesText(Rewrites::all())));
    }
    rewrites.*(info->flag) = true;
  }
  return rewrites;
}

RunRequest withRewrites(RunRequest request, const Rewrites& rewrites) {
  for (const RewriteInfo& info : kRewrites) {
    if (rewrites.*(info.flag) && !info.has(request)) info.add(request);
  }
  return request;
}

}  // namespace hw
