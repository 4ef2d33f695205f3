#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// A TFLite model inside a LiteRT-LM file.
struct LiteRtLmModel {
  std::string name{};        ///< What its section says of it, such as "prefill_decode".
  std::string_view bytes{};  ///< In place.
};

/// Whether `bytes` begin as a LiteRT-LM file (.litertlm) does: models of a language model, its
/// tokenizer and settings, each in a section.
bool isLiteRtLm(std::string_view bytes);

/// The models in it, in the order of their sections: at least one. Names are unique.
Result<std::vector<LiteRtLmModel>> liteRtLmModels(std::string_view bytes);

}  // namespace hw
