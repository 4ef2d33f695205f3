#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/families/family_rows.h"

namespace hw {
namespace {

constexpr ParamSpec kOut{.name = "out",
                         .type = ParamType::number,
                         .summary = "percent of the pieces that are taken out again",
                         .fallback = "0",
                         .most = 90};
constexpr ParamSpec kHeight{.name = "height",
                            .type = ParamType::size,
                            .summary = "of the pool that is cut",
                            .fallback = "1MiB"};
constexpr ParamSpec kSteps{.name = "steps",
                           .summary = "of the whole; 0: as many as there are pieces",
                           .fallback = "0",
                           .most = 1e9};
constexpr std::array<std::string_view, 2> kCutKinds = {"middle", "anywhere"};
constexpr ParamSpec kCuts{.name = "cuts",
                          .type = ParamType::choice,
                          .summary = "where an area is halved: in its middle half, or anywhere",
                          .fallback = "middle",
                          .choices = kCutKinds};
constexpr ParamSpec kHeights{.name = "heights",
                             .summary =
                                 "sizes are multiples of one part in so many of the pool, as "
                                 "rounded ones are; 0: as 'sizes' says",
                             .fallback = "0",
                             .most = 1e6};
constexpr ParamSpec kCuttingParams[] = {kBuffersParam, kOut,     kHeight,     kSteps,
                                        kCuts,         kHeights, kSizesParam, kSeedParam};

/// A part of the plane that becomes `pieces` pieces; `height` in units.
struct Area {
  std::int64_t begin = 0;
  std::int64_t length = 1;
  std::int64_t height = 1;
  std::int64_t pieces = 1;

  std::int64_t room() const { return length * height; }
};

/// Cuts a pool of a height into pieces.
class Cutter {
 public:
  explicit Cutter(const Params& params)
      : dice_(static_cast<std::uint64_t>(params.integer(kSeedParam))),
        powers_(params.text(kSizesParam) == "powers"),
        anywhere_(params.text(kCuts) == "anywhere"),
        unit_(params.text(kSizesParam) == "any" ? 1 : 64),
        wanted_(static_cast<std::size_t>(params.integer(kBuffersParam))) {
    const std::int64_t heights = params.integer(kHeights);
    if (heights > 0) unit_ = std::max<std::int64_t>(1, params.size(kHeight).count() / heights);
    whole_.height = params.size(kHeight).count() / unit_;
    if (powers_) whole_.height = highestPower(whole_.height);
    whole_.pieces = std::llround(static_cast<double>(wanted_) / (1 - params.number(kOut) / 100));
    const std::int64_t steps = params.integer(kSteps);
    whole_.length = steps > 0 ? steps : whole_.pieces;
  }

  Result<GeneratedProblem> cut(bool spirals) {
    if (whole_.height > kMostHigh || whole_.height < 1 || whole_.pieces > whole_.room()) {
      return fail(
          ErrorCode::invalidArgument,
          fmt::format("a pool of {} x {} bytes and {} steps cannot be cut into {} pieces; "
                      "expected at least as many bytes and steps, and at most {} bytes",
                      whole_.height, unit_, whole_.length, whole_.pieces, kMostHigh * unit_));
    }
    std::vector<FamilyStay> stays;
    std::vector<Area> open = {whole_};
    while (!open.empty()) {
      const Area area = open.back();
      open.pop_back();
      if (area.pieces == 1) {
        stays.push_back({area.begin, area.length, area.height * unit_});
      } else if (!spirals || !addSpiral(area, open)) {
        addHalves(area, open);
      }
    }
    dice_.shuffle(stays);
    stays.resize(wanted_);
    return GeneratedProblem{problemOfStays(std::move(stays)), Bytes(whole_.height * unit_)};
  }

 private:
  /// So that a room's number of cells stays far below what 64 bits hold.
  static constexpr std::int64_t kMostHigh = std::int64_t{1} << 32;

  static std::int64_t highestPower(std::int64_t number) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
  }

  /// The place where `length` is cut in two: between a quarter and three quarters, or anywhere.
  std::int64_t cutOf(std::int64_t length) {
    if (anywhere_) return dice_.roll(1, length - 1);
    const auto cut =
        static_cast<std::int64_t>(static_cast<double>(length) * (0.25 + 0.5 * dice_.fraction()));
    return std::clamp<std::int64_t>(cut, 1, length - 1);
  }

  /// Cuts `area`, which is to become at least two pieces, and shares the pieces out by size.
  void addHalves(const Area& area, std::vector<Area>& open) {
    Area low = area;
    Area high = area;
    const bool inTime = area.height < 2 || (area.length > 1 && dice_.chance(50));
    if (inTime) {
      low.length = cutOf(area.length);
      high.length = area.length - low.length;
      high.begin += low.length;
    } else {
      low.height = powers_ ? area.height / 2 : cutOf(area.height);
      high.height = area.height - low.height;
    }
    const double share =
        static_cast<double>(low.room()) / static_cast<double>(low.room() + high.room());
    low.pieces = std::clamp(static_cast<std::int64_t>(static_cast<double>(area.pieces) * share),
                            std::max<std::int64_t>(1, area.pieces - high.room()),
                            std::min(area.pieces - 1, low.room()));
    high.pieces = area.pieces - low.pieces;
    open.push_back(low);
    open.push_back(high);
  }

  /// Four pieces around a fifth, each reaching past the corner of the next, either way round:
  ///
  ///     | top  . . . |   |        Time goes right, addresses up. Neither a moment nor an address
  ///     |left|middle|right|       parts the five.
  ///     |    | bottom . . |
  ///
  /// False where there are too few pieces or too little room, or by chance (one in three).
  bool addSpiral(const Area& area, std::vector<Area>& open) {
    if (area.pieces < 5 || area.length < 3 || area.height < 3 || powers_) return false;
    if (dice_.chance(33)) return false;
    const std::int64_t x1 = dice_.roll(1, area.length - 2);
    const std::int64_t x2 = dice_.roll(x1 + 1, area.length - 1);
    const std::int64_t y1 = dice_.roll(1, area.height - 2);
    const std::int64_t y2 = dice_.roll(y1 + 1, area.height - 1);
    const std::int64_t x3 = area.length;
    const std::int64_t y3 = area.height;
    // Only lengths in time and heights count from here on; addresses are never asked for.
    std::array<Area, 5> parts;
    if (dice_.chance(50)) {
      parts = {Area{0, x2, y1}, Area{x2, x3 - x2, y2}, Area{x1, x3 - x1, y3 - y2},
               Area{0, x1, y3 - y1}, Area{x1, x2 - x1, y2 - y1}};
    } else {
      parts = {Area{x1, x3 - x1, y1}, Area{x2, x3 - x2, y3 - y1}, Area{0, x2, y3 - y2},
               Area{0, x1, y2}, Area{x1, x2 - x1, y2 - y1}};
    }
    std::int64_t left = area.pieces - 5;
    std::int64_t room = area.room();
    for (Area& part : parts) {
      part.begin += area.begin;
      const auto share = static_cast<std::int64_t>(
          static_cast<double>(left) * static_cast<double>(part.room()) / static_cast<double>(room));
      part.pieces = 1 + std::min({share, left, part.room() - 1});
      left -= part.pieces - 1;
      room -= part.room();
    }
    for (Area& part : parts) {
      const std::int64_t more = std::min(left, part.room() - part.pieces);
      part.pieces += more;
      left -= more;
      open.push_back(part);
    }
    return true;
  }

  Dice dice_;
  bool powers_;
  bool anywhere_;
  std::int64_t unit_;
  std::size_t wanted_;
  Area whole_;
};

}  // namespace

Result<GeneratedProblem> makeGuillotine(const Params& params) { return Cutter(params).cut(false); }
Result<GeneratedProblem> makeSpirals(const Params& params) { return Cutter(params).cut(true); }
std::span<const ParamSpec> cuttingParams() { return kCuttingParams; }

}  // namespace hw
