#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/dtype.h"
#include "core/graph/graph.h"
#include "core/import/tflite/flat_table.h"
#include "core/ops/op_facts.h"

namespace hw {

// Facts of the TFLite file format: which field of which table holds what, and what the numbers
// stand for. Version 3 of the schema; fields are only ever added to it.

/// Operator codes with a meaning of their own to the importer.
enum class TfliteOpCode : std::int32_t {
  add = 0,
  conv2d = 3,
  depthwiseConv2d = 4,
  embeddingLookup = 7,
  fullyConnected = 9,
  reshape = 22,
  resizeBilinear = 23,
  call = 31,
  custom = 32,
  pad = 34,
  stridedSlice = 45,
  split = 49,
  delegate = 51,
  less = 58,
  padV2 = 60,
  slice = 65,
  transposeConv = 67,
  sparseToDense = 68,
  shape = 77,
  fill = 94,
  resizeNearest = 97,
  mirrorPad = 100,
  splitV = 102,
  quantize = 114,
  branch = 118,
  loop = 119,
  scatterNd = 122,
  callOnce = 129,
  conv3d = 132,
  conv3dTranspose = 141,
  variableHandle = 142,
  readVariable = 143,
  assignVariable = 144,
  dynamicUpdateSlice = 151,
  stablehloLoop = 200,
  composite = 206,
};

/// The custom operator that turns boxes and scores into detections, which runtimes bring along.
inline constexpr std::string_view kDetectionPostprocess = "TFLite_Detection_PostProcess";

/// "CONV_2D"; "BUILTIN_999" for a code that is newer than this program.
std::string tfliteOpName(std::int32_t code);

/// The Dtype of a tensor type number; unknown when it is newer than this program.
Dtype tfliteDtype(std::int32_t type);

/// Bits of one element of a tensor type, also of those that have no Dtype; 0: no fixed size.
int tfliteBits(std::int32_t type);

/// The axis along which rows of a tensor lie one after the other: the first one of a matrix, the
/// second one of tensors of batch 1 with three or four axes. Nothing: it has no rows.
std::optional<std::size_t> tfliteRowAxis(const Shape& shape);

/// One tensor of a subgraph, as stored.
struct TfliteTensor {
  std::string name{};
  std::int32_t type = 0;
  Shape shape{};      ///< A dimension of -1 is not known; 1 stands in for free ones mostly.
  Shape signature{};  ///< Empty, or like `shape` with -1 where a dimension is free.
  std::uint32_t buffer = 0;
  std::size_t scales = 0;  ///< Number of TfliteQuantization::scales.
  bool isVariable = false;
  bool isSparse = false;
  bool hasRank = false;  ///< False also in older files: then a shape of no dimensions says little.

  bool isFree(std::size_t axis) const {
    return shape[axis] < 0 || (axis < signature.size() && signature[axis] < 0);
  }
  friend bool operator==(const TfliteTensor&, const TfliteTensor&) = default;
};

/// How the numbers of a tensor stand for real ones: (x - zero) * scale.
struct TfliteQuantization {
  std::vector<float> scales{};        ///< One, or one for each index of an axis; none: of floats.
  std::vector<std::int64_t> zeros{};  ///< As many, or none: 0.
};

struct TfliteOp {
  std::int32_t code = 0;
  std::string custom{};                ///< The name of a custom operator.
  std::vector<std::int32_t> inputs{};  ///< Tensors of the subgraph; -1: left out.
  std::vector<std::int32_t> outputs{};
  std::optional<FlatTable> options{};
  std::optional<FlatTable> secondOptions{};  ///< Of operators that joined later.
  std::string_view customOptions{};          ///< Of the custom operator that is known, in place.

  bool is(TfliteOpCode other) const { return code == static_cast<std::int32_t>(other); }
  /// "CONV_2D", or the name of a custom operator.
  std::string type() const { return custom.empty() ? tfliteOpName(code) : custom; }
};

struct TfliteSubgraph {
  std::string name{};
  std::vector<TfliteTensor> tensors{};
  std::vector<std::int32_t> inputs{};
  std::vector<std::int32_t> outputs{};
  std::vector<TfliteOp> ops{};  ///< In execution order.
};

/// An entry point with a name, and names for its inputs.
struct TfliteSignature {
  std::string key{};
  std::size_t subgraph = 0;
  std::map<std::string, std::int32_t> inputs{};  ///< Tensors by the caller's names.
};

/// A TFLite file: what it holds is unpacked when it is asked for. Payloads are never copied.
/// All of it throws Refusal where the file is damaged.
class TfliteFile {
 public:
  explicit TfliteFile(std::string_view bytes);
  TfliteFile(const TfliteFile&) = delete;
  TfliteFile& operator=(const TfliteFile&) = delete;

  const FlatBytes& bytes() const { return bytes_; }
  const std::string& description() const { return description_; }
  bool hasOpCode(TfliteOpCode code) const;
  std::size_t subgraphCount() const { return subgraphs_.size(); }
  /// Unpacked at the first call.
  const TfliteSubgraph& subgraph(std::size_t index) const;
  /// Read whenever it is asked for.
  TfliteQuantization quantization(std::size_t subgraph, std::size_t tensor) const;
  /// Gives up what was unpacked: nobody may hold it any more.
  void forget() const { unpacked_.clear(); }
  std::string subgraphName(std::size_t index) const;
  const std::vector<TfliteSignature>& signatures() const { return signatures_; }

  /// Holds bytes, here or further behind in the file: what lies there is a weight.
  bool isStored(std::uint32_t buffer) const;
  /// The bytes of a buffer inside the flatbuffer; empty for all others.
  std::string_view bufferBytes(std::uint32_t buffer) const;
  bool hasBuffer(std::uint32_t buffer) const { return buffer < buffers_.size(); }
  /// Buffers that lie behind the flatbuffer, and those of them that end outside the file.
  std::size_t outsideBuffers() const { return outside_; }
  std::size_t lostBuffers() const { return lost_; }

  /// The places of weights in the file, begin and end, ascending; those of a few bytes are left
  /// out.
  std::vector<std::pair<std::size_t, std::size_t>> payloads() const;

  /// The buffer of a metadata entry; nothing when there is none of that name.
  std::optional<std::uint32_t> metadata(std::string_view name) const;

 private:
  void readBuffers(const FlatTable& model);
  TfliteTensor readTensor(const FlatTable& table) const;
  TfliteOp readOp(const FlatTable& table) const;

  struct OpCode {
    std::int32_t code = 0;
    std::string custom{};
  };

  FlatBytes bytes_;
  std::string description_;
  std::vector<OpCode> opCodes_;
  FlatVector<FlatTable> subgraphs_;
  FlatVector<FlatTable> buffers_;
  std::vector<bool> stored_;
  std::size_t outside_ = 0;
  std::size_t lost_ = 0;
  std::vector<TfliteSignature> signatures_;
  std::map<std::string, std::uint32_t, std::less<>> metadata_;
  mutable std::map<std::size_t, std::unique_ptr<TfliteSubgraph>> unpacked_;
};

/// The options of an operator, under the names of standard ones where they have such.
std::map<std::string, AttributeValue> tfliteAttributes(const TfliteOp& op, const FlatBytes& bytes);

/// An operator in the words of core/ops: what TFLite has as operands and standard operators as
/// attributes becomes one, and `operands`, what is known of its inputs, get the standard order.
/// They are emptied when that takes the value of one that is not known.
Op tfliteOperation(const TfliteOp& op, const FlatBytes& bytes,
                   std::vector<OpFacts::Input>& operands);

/// The whole number that `key` has in the FlexBuffers map `bytes`: what custom operators keep their
/// options in. Nothing where there is no such key, it has another value, or the bytes are no map;
/// they are looked at, never believed.
std::optional<std::int64_t> flexNumber(std::string_view bytes, std::string_view key);

}  // namespace hw
