#pragma once

#include <string>

#include "core/allocators/catalog.h"

namespace hw {

/// `plugin:FILE`: an allocator in a shared library (include/highwater/allocator_plugin.h). It runs
/// in a process of its own, highwater-plugin-host, which lies beside the program or where
/// HIGHWATER_PLUGIN_HOST says; what it answers is validated before anybody sees it. Fails when the
/// file does not exist.
Result<AllocatorChoice> pluginChoice(const std::string& file);

}  // namespace hw
