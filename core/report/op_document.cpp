#include "core/report/op_document.h"

#include <fmt/format.h>

#include "core/graph/op_table.h"
#include "core/import/op_facts.h"

namespace hw {
namespace {

constexpr std::string_view kIntroduction = R"(# What is known about operators

Written by `highwater list ops`; a test compares the two. One table serves the
importers (shapes), the aliasing (views, in place) and the cost model (work).

- **Shape**: how the shapes of the outputs come about. *ONNX library*: by its rule for the newest
  version of the operator it knows. *only if the file says*: not known ahead of time.
- **Values**: small results are computed ahead of time, since shapes are made of them.
- **Work**: multiply-accumulates by the rule named; *elements* counts the elements touched instead.
- **In place**: the inputs a kernel may write over (`--alias all`).
- **View**: needs no copy where the layout allows (`--alias views`, the default).
- **TFLite**: the operators of that format that become this one.

An operator that is not listed takes the shapes the file declares; its work is the elements it
touches. Sizes that depend on data (NonZero, Compress, Unique, NonMaxSuppression, TopK, Range,
ImageDecoder and ONNX Runtime's search loops) are described in [onnx.md](onnx.md).
)";

std::string workText(const OpInfo& info) {
  const std::string name(workKindName(info.work));
  if (info.work != WorkKind::convolution || info.weight == 1) return name;
  return fmt::format("{}, weight is input {}", name, info.weight);
}

std::string shapeText(const OpInfo& info) {
  if (!info.like.empty()) return fmt::format("ONNX library, as {}", info.like);
  return std::string(shapeKindName(info.shape));
}

std::string title(std::string_view domain) {
  if (domain.empty()) return "Standard operators, and those only TFLite or old files have";
  return fmt::format("Domain `{}`", domain);
}

}  // namespace

std::string opDocument() {
  std::string text(kIntroduction);
  std::optional<std::string_view> domain;
  for (const OpInfo& info : opTable()) {
    if (domain != info.domain) {
      domain = info.domain;
      text += fmt::format(
          "\n## {}\n\n| Operator | Shape | Values | Work | In place | View | TFLite |\n"
          "|---|---|---|---|---|---|---|\n",
          title(info.domain));
    }
    const bool valued = info.domain.empty() && evaluatesSmall(info.type);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", info.type, shapeText(info),
                        valued ? "yes" : "", workText(info), inPlaceName(info.inPlace),
                        viewFamilyName(info.view), info.tflite);
  }
  return text;
}

Json opTableJson() {
  Json list = Json::array();
  for (const OpInfo& info : opTable()) {
    list.push_back({{"type", std::string(info.type)},
                    {"domain", std::string(info.domain)},
                    {"shape", shapeText(info)},
                    {"values", info.domain.empty() && evaluatesSmall(info.type)},
                    {"work", std::string(workKindName(info.work))},
                    {"in_place", std::string(inPlaceName(info.inPlace))},
                    {"view", std::string(viewFamilyName(info.view))},
                    {"tflite", std::string(info.tflite)}});
  }
  return list;
}

}  // namespace hw
