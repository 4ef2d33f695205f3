#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/machine/memory_model.h"

namespace hw {

/// A format in which another tool describes a machine (docs/formats/machines.md).
struct MachineFormat {
  std::string_view tool;  ///< "DORY".
  /// Looks at the content, never at a name.
  bool (*accepts)(std::string_view bytes) = nullptr;
  /// Pure: bytes in, a platform out. `choice` says which of several machines; empty: the only one.
  /// Errors say what there is to choose from, and the place of what is wrong. The platform's
  /// `source` lists what the file does not say and what is taken instead.
  Result<Platform> (*read)(std::string_view bytes, std::string_view choice) = nullptr;
};

std::span<const MachineFormat> machineFormats();

bool acceptsDory(std::string_view bytes);
Result<Platform> readDory(std::string_view bytes, std::string_view choice);
bool acceptsVelaIni(std::string_view bytes);
Result<Platform> readVelaIni(std::string_view bytes, std::string_view choice);
bool acceptsStPools(std::string_view bytes);
Result<Platform> readStPools(std::string_view bytes, std::string_view choice);

/// Values that a file does not say and that are assumed instead, collected while it is read.
class Assumptions {
 public:
  /// "alignment 4".
  void add(std::string assumption) { texts_.push_back(std::move(assumption)); }
  /// "`origin`; not in the file, and taken to be: ...".
  std::string source(std::string_view origin) const;

 private:
  std::vector<std::string> texts_;
};

/// A figure as platforms have it, or a refusal (base/refusal.h) that names `what` and `where`.
/// Rates are from 1 byte a second to kMaxBytes.
std::int64_t checkedRate(double bytesPerSecond, std::string_view what, const std::string& where);
/// Up to a second, as platforms have it.
SimTime checkedTime(double seconds, std::string_view what, const std::string& where);
/// From 1 Hz to 1000 GHz.
std::int64_t checkedClock(double hertz, std::string_view what, const std::string& where);

}  // namespace hw
