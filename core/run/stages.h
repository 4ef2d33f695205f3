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
  std::optional<OrderAccount> order{};  ///< What the schedule comes to, unless it was given.
};

/// What rewriting goes by.
struct Rewriting {
  const RunRequest& request;
  const StorageOptions& sharing;  ///< How storage is shared behind it.
  std::stop_token stop{};
};

/// A part of a run, under whose name progress is told.
struct Stage {
  std::string_view name;
  double begins;  ///< Where in the whole, for progress.
  /// For those that come first: turns one program into another, as was asked. Everything
  /// behind them sees the last one only.
  Result<Program> (*rewrite)(Program program, const Rewriting& rewriting) = nullptr;
};

/// The stages of every run, in order: rewrites, then sharing storage, planning and simulating.
std::span<const Stage> stageCatalog();

}  // namespace hw
