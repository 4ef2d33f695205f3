#pragma once

#include <string_view>

namespace hw {

// Files of core/shrink/c/text: C that is written as it is, and what stands around it.

extern const std::string_view kKernelTypes;
extern const std::string_view kReferenceKernels;
extern const std::string_view kNetworkHeader;
extern const std::string_view kNetworkSource;

}  // namespace hw
