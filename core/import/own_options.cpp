#include "core/import/own_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {

Result<void> addOwnOption(Model& model, std::string_view option, std::string_view text,
                          std::string_view where) {
  if (std::ranges::find(kOwnOptions, option) == std::end(kOwnOptions)) {
    return fail(ErrorCode::malformed,
                fmt::format("a file cannot ask for option '{}'; expected one of {}",
                            printable(option), fmt::join(kOwnOptions, ", ")),
                std::string(where));
  }
  if (trimText(text).empty()) return {};
  if (option == "allocator" && text.find("plugin") != std::string_view::npos) {
    return fail(
        ErrorCode::malformed,
        fmt::format("the file asks for allocator '{}'; a plug-in has to be named by whoever "
                    "opens it",
                    printable(text)),
        std::string(where));
  }
  model.options[std::string(option)] = {std::string(trimText(text))};
  model.optionPlaces[std::string(option)] = where;
  return {};
}

}  // namespace hw
