#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/run/run.h"

namespace hw {

/// A graph and the order of its operators: what stages before planning may rewrite.
struct Program {
  std::shared_ptr<const Graph> graph{};
  Schedule schedule{};
};

/// A part of a run, under whose name progress is told.
struct Stage {
  std::string_view name;
  double begins;  ///< Where in the whole, for progress.
  /// For those that come first: turns one program into another, as the request says. Everything
  /// behind them sees the last one only.
  Result<Program> (*rewrite)(Program program, const RunRequest& request) = nullptr;
};

/// The stages of every run, in order: rewrites, then sharing storage, planning and simulating.
std::span<const Stage> stageCatalog();

}  // namespace hw
