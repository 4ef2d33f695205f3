#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/schedule/schedule.h"

namespace hw {

/// The views that may share storage without a copy. docs/methods.md §4, "operators that need not
/// copy".
struct AliasRules {
  bool reshape = true;   ///< Reshape, Flatten, Squeeze, Unsqueeze, Identity, …
  bool concat = true;    ///< Inputs are slices of the output.
  bool split = true;     ///< Outputs are slices of the input.
  bool inPlace = false;  ///< An output takes over the bytes of an input that dies in its op.
  bool always = false;   ///< Slices are shared as published, even where that raises the bound.

  static AliasRules all() { return {true, true, true, true}; }
  static AliasRules none() { return {false, false, false, false}; }
  friend bool operator==(const AliasRules&, const AliasRules&) = default;
};

struct StorageOptions {
  static constexpr std::uint32_t kManyHomes = std::numeric_limits<std::uint32_t>::max();

  AliasRules alias{};
  bool planInputs = true;   ///< false: graph inputs live outside the arena.
  bool planOutputs = true;  ///< false: graph outputs live outside the arena.
  Bytes alignment{64};      ///< Slices must start at a multiple of it.
  bool roughly = false;  ///< Of slices that raise the bound more are copied than have to: faster.
  /// The memory of each tensor, where there are several; kManyHomes: it is copied from one to
  /// another. Only tensors of one memory share. Empty: there is one memory.
  IdMap<TensorId, std::uint32_t> homes{};
};

/// Storage shared by a tensor and its aliases.
struct Buffer {
  Bytes size{};                     ///< Exact, not rounded: the root's size.
  Interval<Step> steps{};           ///< Union of the lifetimes of its tensors.
  TensorId root{};                  ///< The tensor that fills it from 0 to `size`.
  std::vector<TensorId> tensors{};  ///< All tensors in it, ascending, the root included.
  bool graphOutput = false;         ///< Holds a graph output: never released.
};

/// The place of a tensor inside its buffer.
struct Slot {
  BufferId buffer{};
  Bytes offset{};
};

/// A data movement that remains: an op that could have been free but must copy.
struct CopyNote {
  OpId op{};
  TensorId tensor{};     ///< The input (or output, for a split) that is copied.
  Bytes bytes{};         ///< Copied.
  std::string reason{};  ///< "tensor is read by two concats", …
};

/// The buffers of a graph and the places of its tensors in them, by first step, then root id.
///
/// Without slots it is the identity: every tensor is a buffer of its own, of the same number, and
/// no table is kept. That is the storage of a planning problem, which may have millions; the
/// functions below hide the difference.
struct Storage {
  IdMap<BufferId, Buffer> buffers{};
  IdMap<TensorId, std::optional<Slot>> slots{};  ///< Nothing: not planned.
  IdMap<TensorId, Interval<Step>> lifetimes{};
  std::vector<CopyNote> copies{};
  /// Tensors with unknown size, left out of every total; in id order.
  std::vector<TensorId> unsized{};
  /// By op: true when it only aliases and so moves no bytes.
  IdMap<OpId, bool> free{};
  /// Outputs that overwrite an input of their op, ascending.
  std::vector<TensorId> inPlace{};
  /// The bytes by which sharing slices has raised the lower bound: of `AliasRules::always` only.
  Bytes raise{};

  bool isIdentity() const { return slots.empty(); }
  /// The buffer of a tensor; none: not planned.
  BufferId bufferOf(TensorId tensor) const {
    if (!tensor || isIdentity()) return tensor ? BufferId(tensor.index()) : BufferId();
    return slots[tensor] ? slots[tensor]->buffer : BufferId();
  }
  /// The offset of a planned tensor in its buffer.
  Bytes offsetOf(TensorId tensor) const { return isIdentity() ? Bytes() : slots[tensor]->offset; }
  TensorId rootOf(BufferId buffer) const {
    return isIdentity() ? TensorId(buffer.index()) : buffers[buffer].root;
  }
  /// All tensors in it, ascending.
  std::vector<TensorId> tensorsOf(BufferId buffer) const {
    return isIdentity() ? std::vector{rootOf(buffer)} : buffers[buffer].tensors;
  }
};

/// Folds aliases into buffers. Not planned: constants, empty and unsized tensors, and graph inputs
/// or outputs that live outside. Unless `always` is asked for, sharing slices never raises the
/// lower bound: slices that would are refused, one by one, and noted as copies.
Storage shareStorage(const Graph& graph, const Schedule& schedule, const StorageOptions& options);

/// Most bytes of buffers, each rounded up to `alignment`, that are live at one step.
Bytes livePeak(const Storage& storage, Bytes alignment);

/// A rule of sharing and its name, for options, forms and files.
struct AliasRule {
  std::string_view name;
  bool AliasRules::*flag;
  std::string_view meaning;
};
std::span<const AliasRule> aliasRules();

/// "none", "views", "all", "always" (views, even where they raise the bound), or the rules that are
/// on: "reshape,split".
std::string aliasText(const AliasRules& rules);
/// Reads what `aliasText` writes, in any order.
Result<AliasRules> parseAlias(std::string_view text);

/// The scratch that an op needs to run over its input: one plane of its output, which is one
/// channel. Nothing for an op that cannot.
///
/// It must be a convolution each of whose channels is made of the one at the same place, into no
/// more places than that has, of elements of the same width. For each channel of each image, in
/// order, its kernel makes the plane in scratch, which reads all that is ever read of the channel
/// there, and copies it to where that was: with channels first to its plane or one before, with
/// channels last, with the stride of the channels, to places of the same channel.
///
///     channels first    | c0 | c1 | c2 |  ->  |c0|c1|c2|          never past what was read
///     channels last     |012|012|012|012| ->  |012|012|           never beside the channel
///
/// Lin et al., "MCUNet", NeurIPS 2020, run depthwise convolutions so.
std::optional<Bytes> channelScratch(const Graph& graph, const Op& op);

}  // namespace hw
