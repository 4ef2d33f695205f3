#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/tflite/model.h"

namespace hw {

/// A tensor of a subgraph that is written anew.
struct NewTensor {
  /// The tensor of the old first subgraph whose name and quantization it has; -1: none.
  std::int32_t like = -1;
  std::vector<std::int32_t> shape{};
  std::int32_t type = 0;
  std::uint32_t buffer = 0;
};

/// A whole number in the options of an operator: the field, and its bytes, 1 or 4.
struct NewOption {
  std::uint16_t field = 0;
  int width = 4;
  std::int32_t value = 0;
};

/// An operator of a subgraph that is written anew.
struct NewOp {
  TfliteOpCode code{};
  std::vector<std::int32_t> inputs{};
  std::vector<std::int32_t> outputs{};
  /// The operator of the old first subgraph whose code and options it has; -1: its own.
  std::int32_t like = -1;
  std::uint8_t optionsType = 0;  ///< Which table its own options are: a number of the schema.
  std::vector<NewOption> options{};
};

struct NewSubgraph {
  std::vector<NewTensor> tensors{};
  std::vector<NewOp> ops{};
  std::vector<std::int32_t> inputs{};
  std::vector<std::int32_t> outputs{};
};

/// A TFLite file that is written anew in part; all else is as it was.
///
/// References in a flatbuffer lead forwards only, so what is new stands in front of the old bytes,
/// which follow as they are:
///
///     | header | what is new | padding | the old file, byte for byte |
///
/// Offsets from the start of the file are moved along: of weights behind the flatbuffer, of large
/// options of operators, and the directory of a zip archive at the end. Throws Refusal where the
/// file is damaged.
class TfliteRewrite {
 public:
  explicit TfliteRewrite(std::string_view file);
  ~TfliteRewrite();

  /// The number of a new buffer with these bytes; the same for the same bytes.
  std::uint32_t addBuffer(const std::string& bytes);
  /// These subgraphs instead of those of the file. Signatures, which name tensors by their numbers,
  /// go.
  void setSubgraphs(std::vector<NewSubgraph> subgraphs);
  /// `offsets` as the metadata OfflineMemoryAllocation, in place of what the file had of that kind:
  /// one for each tensor of all subgraphs, -1 where the runtime decides.
  void setPlan(const std::vector<std::int32_t>& offsets);

  std::string write() const;

 private:
  class Places;
  class Front;
  struct Old;

  std::string_view file_;
  std::unique_ptr<const Places> places_;
  std::unique_ptr<const Old> old_;
  std::vector<std::string> buffers_;
  std::map<std::string, std::uint32_t> known_;
  std::vector<NewSubgraph> subgraphs_;
  std::vector<std::int32_t> offsets_;
};

/// The TFLite file `file` with `offsets` as its plan; everything else is as it was. Fails where
/// its tables share bytes, so that it cannot be written anew.
Result<std::string> withOfflinePlan(std::string_view file,
                                    const std::vector<std::int32_t>& offsets);

}  // namespace hw
