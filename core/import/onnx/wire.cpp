#include "core/import/onnx/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace hw {
namespace {

/// The messages of onnx.proto that we look into; `leaf` is copied as it is.
enum class Message : std::uint8_t {
  leaf,
  dropped,
  model,
  graph,
  node,
  attribute,
  tensor,
  sparseTensor,
  function,
};

struct Child {
  Message parent;
  std::uint32_t field;
  Message child;
};

/// Field numbers of onnx.proto (ONNX 1.12; later versions only add to them).
constexpr std::array kChildren = {
    Child{Message::model, 6, Message::dropped},  // doc_string
    Child{Message::model, 7, Message::graph},
    Child{Message::model, 14, Message::dropped},  // metadata_props
    Child{Message::model, 20, Message::dropped},  // training_info
    Child{Message::model, 25, Message::function},
    Child{Message::graph, 1, Message::node},
    Child{Message::graph, 5, Message::tensor},
    Child{Message::graph, 10, Message::dropped},  // doc_string
    Child{Message::graph, 14, Message::dropped},  // quantization_annotation
    Child{Message::graph, 15, Message::sparseTensor},
    Child{Message::node, 5, Message::attribute},
    Child{Message::node, 6, Message::dropped},  // doc_string: whole stack traces from PyTorch
    Child{Message::attribute, 5, Message::tensor},
    Child{Message::attribute, 6, Message::graph},
    Child{Message::attribute, 10, Message::tensor},
    Child{Message::attribute, 11, Message::graph},
    Child{Message::attribute, 13, Message::dropped},  // doc_string
    Child{Message::attribute, 22, Message::sparseTensor},
    Child{Message::attribute, 23, Message::sparseTensor},
    Child{Message::tensor, 12, Message::dropped},  // doc_string
    Child{Message::sparseTensor, 1, Message::tensor},
    Child{Message::sparseTensor, 2, Message::tensor},
    Child{Message::function, 7, Message::node},
    Child{Message::function, 8, Message::dropped},  // doc_string
};

Message childOf(Message parent, std::uint32_t field) {
  const auto found = std::ranges::find_if(kChildren, [&](const Child& child) {
    return child.parent == parent && child.field == field;
  });
  return found == kChildren.end() ? Message::leaf : found->child;
}

enum Wire : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field of a message, wherever it lies in the file.
struct WireField {
  std::uint32_t number = 0;
  std::uint32_t wire = 0;
  std::uint64_t varint = 0;    ///< For kVarint.
  std::string_view payload{};  ///< For kBytes.
  std::string_view whole{};    ///< Tag, length and payload.
};

/// Reads the fields of one message from front to back.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : message_(message) {}

  bool atEnd() const { return at_ == message_.size(); }
  const char* position() const { return message_.data() + at_; }

  /// The next field; nothing when the bytes are not one or end inside it (see `isCut`).
  std::optional<WireField> next() {
    const std::size_t begin = at_;
    const auto tag = readVarint();
    if (!tag) return std::nullopt;
    WireField field{.number = static_cast<std::uint32_t>(*tag >> 3U & 0x1FFFFFFFU),
                    .wire = static_cast<std::uint32_t>(*tag & 7U)};
    if (field.number == 0 || *tag > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    if (!readValue(field)) return std::nullopt;
    field.whole = message_.substr(begin, at_ - begin);
    return field;
  }

  /// After `next` failed: the message is fine so far but ends too early.
  bool isCut() const { return cut_; }

 private:
  bool readValue(WireField& field) {
    if (field.wire == kVarint) {
      const auto value = readVarint();
      field.varint = value.value_or(0);
      return value.has_value();
    }
    std::uint64_t length = field.wire == kFixed64 ? 8 : 4;
    if (field.wire == kBytes) {
      const auto read = readVarint();
      if (!read) return false;
      length = *read;
    } else if (field.wire != kFixed64 && field.wire != kFixed32) {
      return false;
    }
    if (length > message_.size() - at_) {
      cut_ = true;
      return false;
    }
    field.payload = message_.substr(at_, length);
    at_ += length;
    return true;
  }

  std::optional<std::uint64_t> readVarint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (atEnd()) {
        cut_ = true;
        return std::nullopt;
      }
      const auto byte = static_cast<unsigned char>(message_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::string_view message_;
  std::size_t at_ = 0;
  bool cut_ = false;
};

void appendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

/// TensorProto fields that hold elements: float, int32, string, int64, raw, double, uint64 data.
bool holdsElements(std::uint32_t field) {
  return (field >= 4 && field <= 7) || (field >= 9 && field <= 11);
}

/// TensorProto.data_type values of integers and booleans, which shapes are made of.
bool isIntegral(std::uint64_t dataType) {
  return (dataType >= 2 && dataType <= 7) || dataType == 9 || dataType == 12 || dataType == 13;
}

/// Copies messages without their payloads.
class Reducer {
 public:
  explicit Reducer(std::string_view file) : file_(file) {}

  /// Appends the reduced form of `message` to `out`; false when it is malformed (see `error`).
  bool reduce(Message kind, std::string_view message, std::string& out) {
    constexpr int kMostNesting = 96;  // protobuf itself stops at 100.
    if (depth_ >= kMostNesting) return refuse("messages are nested too deeply", message.data());
    ++depth_;
    const bool keepsElements = kind != Message::tensor || isSmallTensor(message);
    FieldReader reader(message);
    while (!reader.atEnd()) {
      const auto field = reader.next();
      if (!field) return refuseField(reader);
      if (!keepsElements && holdsElements(field->number)) continue;
      if (!copy(kind, *field, out)) return false;
    }
    --depth_;
    return true;
  }

  const Error& error() const { return error_; }

 private:
  bool copy(Message kind, const WireField& field, std::string& out) {
    constexpr std::size_t kLongestAttribute = std::size_t{64} << 10U;
    const Message child = field.wire == kBytes ? childOf(kind, field.number) : Message::leaf;
    if (child == Message::dropped) return true;
    if (child == Message::leaf) {
      // A list so long is data, not a setting.
      const bool isLong = field.payload.size() > kLongestAttribute;
      if (kind != Message::attribute || !isLong) out += field.whole;
      return true;
    }
    std::string reduced;
    if (!reduce(child, field.payload, reduced)) return false;
    appendVarint(out, static_cast<std::uint64_t>(field.number) << 3U | kBytes);
    appendVarint(out, reduced.size());
    out += reduced;
    return true;
  }

  /// A tensor whose elements are worth keeping. Malformed ones count as small: `reduce` will say.
  static bool isSmallTensor(std::string_view message) {
    constexpr std::size_t kMost = std::size_t{1} << 10U;
    constexpr std::size_t kMostIntegers = std::size_t{32} << 10U;
    std::uint64_t dataType = 0;
    std::size_t size = 0;
    FieldReader reader(message);
    while (!reader.atEnd()) {
      const auto field = reader.next();
      if (!field) return true;
      if (field->number == 2) dataType = field->varint;
      if (holdsElements(field->number)) size += field->whole.size();
    }
    return size <= (isIntegral(dataType) ? kMostIntegers : kMost);
  }

  bool refuseField(const FieldReader& reader) {
    // A message inside the file that ends too early has a wrong length; the outermost is cut.
    const bool cut = reader.isCut() && depth_ == 1;
    return refuse(cut ? "the model is cut short: the file ends inside a field"
                      : "the model is damaged: a protobuf field makes no sense",
                  reader.position());
  }

  bool refuse(std::string message, const char* position) {
    error_ = {ErrorCode::malformed, std::move(message),
              fmt::format("byte {}", position - file_.data())};
    return false;
  }

  std::string_view file_;
  int depth_ = 0;
  Error error_;
};

}  // namespace

bool looksLikeOnnx(std::string_view bytes) {
  // The varint fields of ModelProto are ir_version and model_version; all others are messages or
  // strings. Field numbers beyond the known ones are left to versions to come.
  constexpr std::uint32_t kLastField = 63;
  const auto isVarintField = [](std::uint32_t number) { return number == 1 || number == 5; };
  const auto isKnown = [](std::uint32_t number) {
    return number <= 8 || number == 14 || number == 20 || number == 25;
  };
  FieldReader reader(bytes);
  bool first = true;
  while (!reader.atEnd()) {
    const auto field = reader.next();
    if (!field) return !first && reader.isCut();
    if (first && !isKnown(field->number)) return false;
    const std::uint32_t expected = isVarintField(field->number) ? kVarint : kBytes;
    if (field->number > kLastField) return false;
    if (isKnown(field->number) && field->wire != expected) return false;
    first = false;
  }
  return !first;
}

Result<std::string> withoutPayloads(std::string_view bytes) {
  Reducer reducer(bytes);
  std::string reduced;
  if (!reducer.reduce(Message::model, bytes, reduced)) {
    return tl::unexpected<Error>(reducer.error());
  }
  return reduced;
}

}  // namespace hw
