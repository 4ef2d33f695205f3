#include "core/report/op_document.h"

#include <fmt/format.h>

#include "core/graph/op_table.h"
#include "core/import/op_facts.h"
#include "core/import/tflite_rules.h"

namespace hw {
namespace {

constexpr std::string_view kIntroduction = R"(# What is known about operators

Written by `highwater list ops`; a test compares the two. One table serves the
importers (shapes), the aliasing (views, in place) and the cost model (work).

- **Shape**: the rule by which the shapes of the outputs come about. *TFLite rule*: used once a
  dimension is bound. *only if the file says*: not known ahead of time. *depends on data*: taken at
  the most it can be.
- **Values**: small results are computed ahead of time, since shapes are made of them.
- **Work**: multiply-accumulates by the rule named; *elements* counts the elements touched instead.
- **In place**: the inputs a kernel may write over (`--alias all`); *data* is input 0 unless the
  column Work says otherwise.
- **View**: needs no copy where the layout allows (`--alias views`, the default).

An operator that is not listed takes the shapes the file declares; its work is the elements it
touches. Sizes that depend on data (NonZero, Compress, Unique, NonMaxSuppression, TopK, Range,
ImageDecoder and ONNX Runtime's search loops) are described in [onnx.md](onnx.md).
)";

std::string workText(const OpInfo& info) {
  std::string text(workKindName(info.work));
  if (info.data != 0) text += fmt::format(", data is input {}", info.data);
  if (info.weight != 1) text += fmt::format(", weight is input {}", info.weight);
  return text;
}

bool isValued(const OpInfo& info) {
  if (info.domain == "tflite") return evaluatesTflite(info.type);
  return info.domain.empty() && evaluatesSmall(info.type);
}

std::string title(std::string_view domain) {
  if (domain.empty()) return "Standard operators, and others without a domain";
  if (domain == "tflite") return "TFLite";
  if (domain == "custom") return "TFLite, custom";
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
          "\n## {}\n\n| Operator | Shape | Values | Work | In place | View |\n"
          "|---|---|---|---|---|---|\n",
          title(info.domain));
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", info.type, shapeKindName(info.shape),
                        isValued(info) ? "yes" : "", workText(info), inPlaceName(info.inPlace),
                        viewFamilyName(info.view));
  }
  return text;
}

Json opTableJson() {
  Json list = Json::array();
  for (const OpInfo& info : opTable()) {
    list.push_back({{"type", std::string(info.type)},
                    {"domain", std::string(info.domain)},
                    {"shape", std::string(shapeKindName(info.shape))},
                    {"values", isValued(info)},
                    {"work", std::string(workKindName(info.work))},
                    {"in_place", std::string(inPlaceName(info.inPlace))},
                    {"view", std::string(viewFamilyName(info.view))}});
  }
  return list;
}

}  // namespace hw
