#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "core/run/run.h"

namespace hw {

/// A format we can write of a run: for menus, `list exporters` and the conformance tests.
struct ExporterInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view ending;   ///< ".plan.json", for file dialogs.
  std::string_view command;  ///< How the command line writes it.
  /// True if `run` can be written so: a planning problem has no graph.
  bool (*applies)(const Run& run) = nullptr;
  /// Fails, with nothing written, where this plan cannot be said so.
  Result<void> (*write)(const Run& run, std::ostream& out) = nullptr;
};

std::span<const ExporterInfo> exporterCatalog();

}  // namespace hw
