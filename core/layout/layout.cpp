#include "core/layout/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layout/relayer.h"

namespace hw {
namespace {

/// Why there is nothing to do, where no operator works on images channels first.
std::string whyNothing(const Graph& graph) {
  const bool last = std::ranges::any_of(graph.ops, [](const Op& op) {
    return op.domain == "tflite" || op.intAttribute("channels_last", 0) != 0;
  });
  if (last || graph.format == "tflite")
    return "the model's images have their channels last already";
  return "no operator that is known to have such a form works on images of four dimensions";
}

std::string countOf(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", groupDigits(static_cast<std::int64_t>(count)),
                     count == 1 ? one : several);
}

}  // namespace

Result<Relaid> channelsLast(std::shared_ptr<const Graph> graph) {
  if (graph->tiling) {
    return Relaid{std::move(graph), {.whyNot = "its operators were rewritten already"}};
  }
  Relayer relayer(graph);
  if (!relayer.hasImages()) {
    std::string why = whyNothing(*graph);
    return Relaid{std::move(graph), {.whyNot = std::move(why)}};
  }
  return std::move(relayer).run();
}

std::string layoutText(const LayoutAccount& account) {
  if (!account.whyNot.empty()) return "nothing is held in another layout: " + account.whyNot;
  std::string text =
      "images are held channels last, for " +
      countOf(account.images, "operator that works on them", "operators that work on them");
  if (account.folded > 0) {
    text += "; " + countOf(account.folded, "Transpose is not needed", "Transposes are not needed");
  }
  if (account.transposes > 0) {
    text +=
        fmt::format("; {} added, which {} {} bytes",
                    countOf(account.transposes, "Transpose is", "Transposes are"),
                    account.transposes == 1 ? "moves" : "move", groupDigits(account.moved.count()));
  }
  if (account.views > 0) {
    text += "; " + countOf(account.views, "view is added", "views are added");
  }
  return text;
}

}  // namespace hw
