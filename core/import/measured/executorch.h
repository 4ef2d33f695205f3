#pragma once

#include <optional>
#include <string_view>

#include "core/import/measured/operator_times.h"
#include "core/ops/op_table.h"

namespace hw {

/// The class of a kernel of ExecuTorch, by its name without namespace and overload ("addmm").
/// Nothing: it is unknown here.
std::optional<OpClass> classOfAten(std::string_view kernel);

/// Mean times of the kernels of a table of ExecuTorch's Inspector: `save_data_to_tsv`, `to_csv` of
/// its data frame, or what `print_data_tabular` prints. Events that are no kernels are left out:
/// loading, whole methods, whole delegates. Nothing: `text` is no such table. Fails where its times
/// have no unit, and with the line where one cannot be read.
Result<std::optional<OperatorTimes>> readInspectorTable(std::string_view text);

}  // namespace hw
