#pragma once

#include <optional>
#include <string>

#include "core/exchange/tflm/offline_plan.h"

namespace hw {

/// A file that a runtime loads a plan from.
struct RuntimeFile {
  enum class Kind { tflite, header };
  std::string bytes{};
  std::optional<TflmPlan> tflm{};  ///< What tflite-micro makes of the plan; of TFLite models only.
};

/// The plan of `run` as the TFLite model with the plan inside, or as a C header. Reads the model's
/// file. Fails where the plan does not fit, cannot be said so, or the model is no TFLite file that
/// should become one. `library`: the kernels that tflite-micro is built with.
Result<RuntimeFile> runtimeFile(const Run& run, RuntimeFile::Kind kind,
                                KernelLibrary library = KernelLibrary::reference);

}  // namespace hw
