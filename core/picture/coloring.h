#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/id.h"
#include "core/picture/palette.h"
#include "core/run/run.h"

namespace hw {

/// Class of what an op writes: ops without a row, and those that run others, are `elements`.
BlockClass blockClass(const Op& op);
/// Class of a tensor: of the op that writes it, or `boundary`. A piece has that of its whole.
BlockClass blockClass(const Graph& graph, TensorId tensor);
/// Class of a stay: that of its root tensor.
BlockClass stayClass(const Run& run, StayId stay);

/// What the colours of blocks and operators tell.
enum class ColorBy : std::uint8_t {
  type,   ///< Of the operator that writes it.
  scope,  ///< The part of the network, by the names of operators: "features.3".
  size,   ///< In bytes.
  use,    ///< The most steps that it waits for its next use.
};

struct ColorByRow {
  std::string_view name;   ///< For options.
  std::string_view title;  ///< For menus.
  std::string_view meaning;
};
/// By ColorBy.
inline constexpr std::array<ColorByRow, 4> kColorings = {
    {{"type", "operator type", "The type of the operator that writes a buffer"},
     {"scope", "scope", "The part of the network, by the names of its operators"},
     {"size", "size", "Bytes: each shade is for four times as many as the one before"},
     {"use", "time until next use",
      "The most steps from one use of a buffer to the next, while it keeps its bytes"}}};

/// A class for every tensor, stay and operator of a run, by one of these. Immutable, so that
/// threads which draw may read it. Classes come from the program and from what lives when, not from
/// addresses: plans of the same stays have the same colours.
class Coloring {
 public:
  /// By type, which is looked up when asked for.
  Coloring() = default;
  /// O(tensors + stays), of `type` O(1). A run without operators can be coloured by size; for all
  /// else its blocks are of one class.
  Coloring(const Run& run, ColorBy by);

  static const std::shared_ptr<const Coloring>& byType();

  ColorBy by() const { return by_; }
  /// `run` is the one that it was made for.
  BlockClass of(const Run& run, StayId stay) const;
  BlockClass of(const Run& run, TensorId tensor) const;
  /// The class of what it writes first.
  BlockClass of(const Run& run, OpId op) const;
  /// "convolution", "mixed_a to mixed_b", "from 256 KiB", "after 2 steps": for legends.
  std::string name(BlockClass kind) const;
  /// Classes of all tensors that the maps of its run show, in order: for legends.
  std::vector<BlockClass> classesOf(const Run& run) const;

 private:
  void colorByScope(const Run& run);
  void colorBySize(const Run& run);
  void colorByUse(const Run& run);

  ColorBy by_ = ColorBy::type;
  std::vector<BlockClass> ofTensor_;  ///< Like the next, empty by type.
  std::vector<BlockClass> ofStay_;
  std::vector<std::string> names_;  ///< By the place of a class among those it uses.
};

}  // namespace hw
