#pragma once

#include <string>
#include <string_view>

#include "core/shrink/tflm/row_shrink.h"

namespace hw {

/// A network as C99, and what it is made of.
struct CText {
  std::string source{};
  std::string header{};
  std::size_t calls = 0;     ///< Of functions of operators, those in a loop once.
  std::int64_t constants{};  ///< Bytes of weights and tables.
};

/// What the text is told beside the model.
struct CFileNames {
  std::string prefix{};  ///< Of all names: an identifier.
  std::string header{};  ///< "net.h".
  std::string model{};   ///< The name of the model, for a comment.
};

/// The names for a C file at `path`, such as "out/net.c": what is no letter or digit becomes "_" in
/// the prefix, "net". Fails where its header could not be included by name.
Result<CFileNames> cFileNames(std::string_view path, const std::string& model);

/// The text of C in which `plan`, of the model in `file`, runs. `ascending`: the plan counts on
/// kernels that make rows from the top to the bottom. Throws Refusal, naming operator and reason,
/// on what no kernel does, and where the file is damaged.
CText cText(const TfliteFile& file, const RowModel& model, const RowPlan& plan, bool ascending,
            const CFileNames& names);

/// Looks for C files that make the results of `file`, a TFLite file of int8, bit for bit, in a
/// small arena. Chosen is the smallest; with a budget, the one within it with the fewest
/// multiplications. Fails, naming operator and reason, on what no kernel does.
Result<RuntimeShrink> shrinkForC(std::string_view file, const CFileNames& names,
                                 const RuntimeSearchOptions& options);

}  // namespace hw
