#pragma once

#include <string>

#include "app/cli/arguments.h"
#include "app/cli/outcome.h"
#include "core/run/run.h"

namespace hw::cli {

/// --stage, --tick and --theme: how the method planned, as a page or as a picture.
class StageOptions {
 public:
  explicit StageOptions(Arguments& arguments);

  bool wanted() const { return !file_.empty(); }
  /// Whether what was asked for can be asked for, before anything is planned.
  Outcome<void> check() const;
  /// Of a run with records.
  Outcome<void> write(const Run& run) const;

 private:
  Outcome<std::string> picture(const Run& run) const;

  std::string file_;
  std::string tick_;
  std::string theme_;
};

}  // namespace hw::cli
