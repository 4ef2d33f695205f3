#include "core/machine/foreign/machine_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

namespace hw {
namespace {

double figureInRange(double value, double least, double most, std::string_view what,
                     std::string_view unit, const std::string& where) {
  // Written so that what is no number is out of range, too.
  if (value >= least && value <= most) return value;
  refuse(fmt::format("{}: {:g} {}, expected {:g} to {:g}", what, value, unit, least, most), where);
}

}  // namespace

std::span<const MachineFormat> machineFormats() {
  static constexpr std::array kFormats = {
      MachineFormat{"Vela", acceptsVelaIni, readVelaIni},
      MachineFormat{"DORY", acceptsDory, readDory},
      MachineFormat{"ST Edge AI", acceptsStPools, readStPools},
  };
  return kFormats;
}

std::string Assumptions::source(std::string_view origin) const {
  if (texts_.empty()) return std::string(origin);
  return fmt::format("{}; not in the file, and taken to be: {}", origin, fmt::join(texts_, "; "));
}

std::int64_t checkedRate(double bytesPerSecond, std::string_view what, const std::string& where) {
  const auto most = kMaxBytes.real();
  return std::llround(figureInRange(bytesPerSecond, 1, most, what, "bytes per second", where));
}

SimTime checkedTime(double seconds, std::string_view what, const std::string& where) {
  return SimTime(std::llround(figureInRange(seconds, 0, 1, what, "seconds", where) * 1e12));
}

std::int64_t checkedClock(double hertz, std::string_view what, const std::string& where) {
  return std::llround(figureInRange(hertz, 1, 1e12, what, "Hz", where));
}

}  // namespace hw
