#include "core/import/measured/executorch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/csv.h"
#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::string_view kEventName = "event_name";

/// How a table of the Inspector parts its cells.
enum class CellEnd { tab, bar, comma, blanks };

CellEnd cellEndOf(std::string_view header) {
  if (header.find('\t') != std::string_view::npos) return CellEnd::tab;
  if (header.find("│") != std::string_view::npos) return CellEnd::bar;
  if (header.find('|') != std::string_view::npos) return CellEnd::bar;
  return header.find(',') != std::string_view::npos ? CellEnd::comma : CellEnd::blanks;
}

/// The parts of `line` between separators, without blanks around them.
std::vector<std::string> cellsBetween(std::string_view line, std::string_view separator) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = line.find(separator, at);
    cells.emplace_back(trimText(line.substr(at, end - at)));
    at = end == std::string_view::npos ? end : end + separator.size();
  }
  return cells;
}

std::vector<std::string> cellsOf(std::string_view line, CellEnd end) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  switch (end) {
    case CellEnd::tab:
      return cellsBetween(line, "\t");
    case CellEnd::bar:
      return cellsBetween(line, line.find("│") != std::string_view::npos ? "│" : "|");
    case CellEnd::comma: {
      CsvReader reader(line);
      const auto any = reader.next();
      if (!any || !*any) return {};
      return {reader.fields().begin(), reader.fields().end()};
    }
    case CellEnd::blanks:
      break;
  }
  std::vector<std::string> cells = cellsBetween(line, "  ");
  std::erase(cells, "");
  return cells;
}

/// Microseconds of a unit of the Inspector's; nothing: it has no such unit. 0: cycles.
std::optional<double> microsecondsOf(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"cycles", 0}};
  const auto* at = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  return at == std::end(kUnits) ? std::nullopt : std::optional(at->second);
}

/// The columns that count.
struct InspectorColumns {
  std::size_t name = 0;
  std::size_t time = 0;
  std::optional<std::size_t> types{};  ///< The operators that a delegate's kernel stands for.
  double micros = 0;                   ///< Of the unit of its times; 0: cycles.
};

Result<InspectorColumns> columnsOf(const std::vector<std::string>& titles) {
  InspectorColumns columns;
  std::optional<double> micros;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const std::string_view title = titles[i];
    if (title == kEventName) columns.name = i;
    if (title == "op_types") columns.types = i;
    if (title.substr(0, 5) != "avg (") continue;
    micros = microsecondsOf(title.substr(5, title.size() - 6));
    columns.time = i;
  }
  if (!micros) {
    return fail(ErrorCode::malformed,
                "expected a column 'avg (ms)', or with another unit of ExecuTorch's Inspector");
  }
  columns.micros = *micros;
  return columns;
}

/// "addmm" of "native_call_addmm.out", "aten.addmm.default" and "quantized::addmm.out".
std::string kernelOf(std::string_view name) {
  constexpr std::string_view kCall = "native_call_";
  if (name.substr(0, kCall.size()) == kCall) name.remove_prefix(kCall.size());
  if (const std::size_t colon = name.rfind("::"); colon != std::string_view::npos) {
    name.remove_prefix(colon + 2);
  }
  if (name.substr(0, 5) == "aten.") name.remove_prefix(5);
  return std::string(name.substr(0, name.find('.')));
}

/// The kernel of an event; empty: the event is none.
std::string kernelOfEvent(const std::string& name, std::string_view types) {
  if (name.rfind("native_call_", 0) == 0) return kernelOf(name);
  const bool around = name == "OPERATOR_CALL" || name == "DELEGATE_CALL" || name.empty() ||
                      name.rfind("Method::", 0) == 0 || name.rfind("Program::", 0) == 0;
  // Of a delegate's: "['aten.convolution.default', 'aten.relu.default']".
  const std::size_t quote = types.find('\'');
  if (around || quote == std::string_view::npos) return {};
  return kernelOf(types.substr(quote + 1, types.find('\'', quote + 1) - quote - 1));
}

struct AtenClass {
  OpClass kind{};
  std::string_view kernels{};  ///< Between blanks.
};

constexpr AtenClass kAten[] = {
    {OpClass::convolution, " convolution conv1d conv2d conv3d conv_transpose2d "},
    {OpClass::product,
     " addmm mm bmm linear matmul baddbmm scaled_dot_product_attention lstm gru "},
    {OpClass::pooling,
     " max_pool2d max_pool2d_with_indices avg_pool2d adaptive_avg_pool2d adaptive_max_pool2d "
     "upsample_nearest2d upsample_bilinear2d mean sum amax amin argmax argmin "},
    {OpClass::activation,
     " relu relu6 leaky_relu prelu hardtanh clamp sigmoid tanh gelu silu elu hardswish hardsigmoid "
     "softmax log_softmax softplus mish exp log sqrt rsqrt neg abs erf floor ceil reciprocal sin "
     "cos logical_not bitwise_not "},
    {OpClass::elements,
     " add sub rsub mul div pow maximum minimum where native_layer_norm "
     "native_group_norm native_batch_norm native_batch_norm_legit_no_training layer_norm "
     "group_norm batch_norm quantize_per_tensor quantize_per_channel dequantize_per_tensor "
     "dequantize_per_channel eq ne lt le gt ge logical_and logical_or to "},
    {OpClass::movement,
     " view permute transpose t reshape slice select cat split split_with_sizes expand clone "
     "squeeze unsqueeze embedding gather index index_select constant_pad_nd to_dim_order "
     "dim_order_ops repeat stack unbind alias flatten "},
};

}  // namespace

std::optional<OpClass> classOfAten(std::string_view kernel) {
  while (kernel.substr(0, 1) == "_") kernel.remove_prefix(1);
  for (const std::string_view end : {"_", "_copy"}) {
    if (kernel.size() > end.size() && kernel.substr(kernel.size() - end.size()) == end) {
      kernel.remove_suffix(end.size());
    }
  }
  const std::string word = fmt::format(" {} ", kernel);
  const auto* row = std::ranges::find_if(kAten, [&](const AtenClass& each) {
    return each.kernels.find(word) != std::string_view::npos;
  });
  return row == std::end(kAten) ? std::nullopt : std::optional(row->kind);
}

Result<std::optional<OperatorTimes>> readInspectorTable(std::string_view text) {
  const std::vector<std::string_view> lines = splitText(text, '\n');
  const auto isHeader = [](std::string_view line) {
    return line.find(kEventName) != std::string_view::npos &&
           line.find("avg") != std::string_view::npos;
  };
  const auto header = std::ranges::find_if(lines, isHeader);
  if (header == lines.end()) return std::nullopt;
  const CellEnd end = cellEndOf(*header);
  const std::vector<std::string> titles = cellsOf(*header, end);
  HW_TRY(columns, columnsOf(titles));
  OperatorTimes times;
  for (auto line = header + 1; line != lines.end(); ++line) {
    const std::vector<std::string> cells = cellsOf(*line, end);
    if (cells.size() != titles.size()) continue;  // A rule between rows, or text behind the table.
    const std::string& name = cells[columns.name];
    const std::string kernel =
        kernelOfEvent(name, columns.types ? std::string_view(cells[*columns.types]) : "");
    if (kernel.empty()) continue;
    const auto amount = parseNumber(cells[columns.time]);
    if (!amount || *amount < 0 || *amount > MeasuredSpan::kMost / 1e6) {
      return fail(ErrorCode::malformed,
                  fmt::format("event '{}' has the time '{}', which is no number up to 1e9",
                              printable(name, 60), printable(cells[columns.time], 40)),
                  fmt::format("line {}", line - lines.begin() + 1));
    }
    times.profile.ops.push_back({.name = name, .kind = classOfAten(kernel)});
    times.spans.push_back(columns.micros > 0 ? MeasuredSpan{*amount * columns.micros, false}
                                             : MeasuredSpan{*amount, true});
  }
  return times;
}

}  // namespace hw
