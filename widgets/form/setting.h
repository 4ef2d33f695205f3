#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/run/options.h"
#include "core/run/run.h"

namespace hw {

/// One thing that a run can be told, as somebody changes it: an option of the command line, or a
/// parameter of the allocator. All texts are those of the command line.
struct Setting {
  std::string name{};   ///< "align"; of a parameter "allocator:moves".
  std::string label{};  ///< What people call it.
  std::string help{};
  std::string type{};  ///< What it takes: "SIZE".
  OptionGroup group = OptionGroup::allocator;
  /// The values to offer, the one in force among them; none: any text will do.
  std::vector<std::string> values{};
  bool closed = false;     ///< Nothing else is accepted.
  std::string now{};       ///< The value in force.
  std::string standard{};  ///< The default.
  std::string whyNot{};    ///< Reason that it cannot be changed here; empty: it can.
  /// The request of the run with another value, or what is wrong with it.
  std::function<Result<RunRequest>(const std::string&)> with{};

  bool isStandard() const { return now == standard; }
};

/// Everything that can be changed in `run`, in the order of the table of options: parameters come
/// after their allocator. How the model was opened and what has several values is not among it.
std::vector<Setting> settingsOf(const std::shared_ptr<const Run>& run);

}  // namespace hw
