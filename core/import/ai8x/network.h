#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/import/importer.h"

namespace hw {

/// A map of features in the data memories of a MAX78000 or MAX78002: docs/formats/ai8x.md.
struct Ai8xMap {
  std::string name{};
  std::string where{};  ///< In the file.
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::uint64_t processors = 0;  ///< Those that read it; four share a memory.
  std::int64_t channels = 0;
  std::int64_t widths = 1;  ///< Bytes of a channel: 1, or 4 unclipped.
  std::int64_t gap = 0;     ///< Words left out behind each.
  Bytes offset{};           ///< In each of its memories.
  bool planar = false;      ///< A plane a channel (CHW); else four channels a word.
  bool streamed = false;    ///< Some rows of it are there at a time: how many is not known.
  bool output = false;      ///< Somebody takes it when all is done,
  bool always = false;      ///< or it keeps its bytes from run to run.

  /// The memories that it lies in, by bit.
  std::uint32_t memories() const;
  /// From one pixel to the next, in a memory.
  Bytes pitch() const;
  /// In a memory, from its first byte to its last.
  Bytes size() const;
};

/// One layer.
struct Ai8xStep {
  std::vector<std::size_t> reads{};  ///< Of `Ai8xNetwork::maps`.
  std::size_t writes = 0;
  bool streaming = false;
};

struct Ai8xNetwork {
  std::string arch{};
  std::vector<Ai8xMap> maps{};    ///< The input, those that stay, then those of layers.
  std::vector<Ai8xStep> steps{};  ///< In the order in which they run.
  Bytes memory{};                 ///< Bytes of each of the 16.
  std::vector<std::string> notes{};

  /// The step in which the layer of that index runs: the input is there before, from step 0 on.
  static Step stepOf(std::size_t layer) { return Step(static_cast<std::int64_t>(layer) + 1); }
  Step end() const { return stepOf(steps.size()); }
};

/// Reads the description of a network; refuses what makes no sense.
Ai8xNetwork readAi8xNetwork(const ParsedJson& document, const ImportOptions& options);

}  // namespace hw
