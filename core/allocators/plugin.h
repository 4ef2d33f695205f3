#pragma once

#include <string>
#include <string_view>

#include "core/allocators/catalog.h"

namespace hw {

/// `plugin:FILE`: an allocator in a shared library (include/highwater/allocator_plugin.h). It runs
/// in a process of its own, highwater-plugin-host, which lies beside the program or where
/// HIGHWATER_PLUGIN_HOST says; what it answers is validated before anybody sees it. Fails when the
/// file does not exist.
Result<AllocatorChoice> pluginChoice(const std::string& file);

/// The permission of texts that are not from the command line to name plug-ins, whose code runs.
enum class Plugins { refuse, allow };

/// Fails where `list`, allocators as `parseAllocators` takes them, has a plug-in and `plugins` does
/// not allow it.
Result<void> checkPlugins(std::string_view list, Plugins plugins);

}  // namespace hw
