#include "widgets/map/map_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <thread>

namespace hw {

/// Turns the occupancy of a pixel into a colour: the mean of the classes in it, the more opaque the
/// more of the pixel is taken. In integers, since there are millions of pixels.
class CoverBlend {
 public:
  /// Lane i is of class `first` + i.
  CoverBlend(const MapColors::Shades& shades, std::size_t first) {
    for (std::size_t lane = 0; lane < kLanes && first + lane < kAllClasses; ++lane) {
      colors_[lane] = shades[first + lane].thin;
    }
    for (unsigned sum = 1; sum < kSums; ++sum) {
      inverse_[sum] = (1U << 16) / sum;
      const double taken = std::min(1.0, sum / 255.0);
      alpha_[sum] = static_cast<unsigned>(256 * (kLeastCover + (1 - kLeastCover) * taken));
    }
  }

  /// `word` holds a part of 255 for each class, not all 0.
  QRgb over(QRgb under, std::uint64_t word) const {
    unsigned red = 0;
    unsigned green = 0;
    unsigned blue = 0;
    unsigned sum = 0;
    for (unsigned lane = 0; word != 0; ++lane, word >>= 8) {
      const auto part = static_cast<unsigned>(word & 255U);
      red += part * static_cast<unsigned>(qRed(colors_[lane]));
      green += part * static_cast<unsigned>(qGreen(colors_[lane]));
      blue += part * static_cast<unsigned>(qBlue(colors_[lane]));
      sum += part;
    }
    const unsigned alpha = alpha_[sum];
    const auto mix = [&](unsigned total, int below) {
      const unsigned mean = static_cast<unsigned>((std::uint64_t{total} * inverse_[sum]) >> 16);
      return static_cast<int>((mean * alpha + static_cast<unsigned>(below) * (256 - alpha)) >> 8);
    };
    return qRgb(mix(red, qRed(under)), mix(green, qGreen(under)), mix(blue, qBlue(under)));
  }

  static constexpr unsigned kLanes = kBlockClasses;
  static_assert(kLanes <= sizeof(std::uint64_t), "a word has eight bits for each class");

 private:
  /// The shade of a pixel with the least bit of occupancy, so that lone thin blocks stay visible.
  static constexpr double kLeastCover = 0.35;
  static constexpr unsigned kSums = kLanes * 255 + 1;
  std::array<QRgb, kLanes> colors_{};
  std::array<unsigned, kSums> inverse_{};
  std::array<unsigned, kSums> alpha_{};
};

namespace {

/// Blocks need this many logical pixels each way for an edge of their own.
constexpr double kEdgeRoom = 4;
constexpr double kLabelLength = 24;
constexpr double kLabelHeight = 12;
/// The share of its pixels that a small block which was not picked out seems to take.
constexpr double kPaleCover = 0.2;

/// A rectangle in fractions of pixels.
struct Extent {
  double left, top, right, bottom;
};

/// `std::ceil` and `std::floor` for numbers near the screen; calls into libm are most of the time
/// of a small block otherwise.
int ceiling(double value) {
  const int whole = static_cast<int>(value);
  return whole + (value > whole);
}
int floorOf(double value) {
  const int whole = static_cast<int>(value);
  return whole - (value < whole);
}

/// The first pixel whose centre is not before `edge`.
int pixelFrom(double edge) { return ceiling(edge - 0.5); }

/// Keeps far-away edges of a deep zoom inside `int`.
double nearScreen(double edge, int size) { return std::clamp(edge, -8.0, size + 8.0); }

/// A block that owns pixels: [left, right) x [top, bottom), not clipped.
struct Large {
  std::uint32_t index;
  int left, top, right, bottom;
};

/// A block that has to share pixels; `top` is the first row it touches, not clipped.
struct Tiny {
  std::uint32_t index;
  int top;
};

/// Rows [top, bottom) of the picture, and what drawing them brought to light. Bands share nothing
/// that is written, so each can have a thread.
struct Band {
  int top = 0;
  int bottom = 0;
  std::vector<std::uint32_t> roomy{};  ///< Large blocks that begin here, with room for a label.
  std::vector<bool> met{};             ///< By tiny block: it came upon a pixel that was taken.
  int touchedTop = 1 << 30;
  int touchedBottom = 0;
};

/// Below this many blocks a second thread is not worth its start.
constexpr std::size_t kBlocksPerThread = 4'000;

class Rasterizer {
 public:
  Rasterizer(const BlockStore& store, MapRaster& raster)
      : store_(store),
        raster_(raster),
        request_(raster.request),
        width_(request_.size.width()),
        height_(request_.size.height()),
        thickness_(std::max(1, qRound(request_.ratio))),
        perUnit_(request_.pixelsPerUnit()),
        perByte_(request_.pixelsPerByte()) {
    if (raster_.past.size() != request_.size) {
      raster_.past = QImage(request_.size, QImage::Format_RGB32);
      raster_.future = QImage(request_.size, QImage::Format_RGB32);
    }
    for (int i = 0; i < std::max(width_, height_); ++i) {
      dots_.push_back(static_cast<std::uint8_t>((i / thickness_) & 1));
    }
    past_ = reinterpret_cast<QRgb*>(raster_.past.bits());
    future_ = reinterpret_cast<QRgb*>(raster_.future.bits());
    raster_.ids.resize(at(0, height_));
    raster_.roomy.clear();
    raster_.drawn = 0;
    raster_.shared = 0;
  }

  void run() {
    std::vector<Large> large;
    std::vector<Tiny> tiny;
    store_.visit(request_.window, [&](std::size_t index) {
      ++raster_.drawn;
      const Extent extent = extentOf(index);
      if (extent.right - extent.left >= 1 && extent.bottom - extent.top >= 1) {
        large.push_back({static_cast<std::uint32_t>(index), pixelFrom(extent.left),
                         pixelFrom(extent.top), pixelFrom(extent.right), pixelFrom(extent.bottom)});
      } else {
        tiny.push_back({static_cast<std::uint32_t>(index), floorOf(extent.top)});
      }
    });
    if (!tiny.empty()) raster_.cover.assign(raster_.ids.size(), 0);
    const std::vector<Tiny> tinyByRow = byRow(tiny);
    const std::vector<Large> largeByRow = byRow(large);
    std::vector<Band> bands = makeBands();
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < bands.size(); ++i) {
        threads.emplace_back([&, i] { drawBand(tinyByRow, largeByRow, bands[i]); });
      }
      drawBand(tinyByRow, largeByRow, bands[0]);
    }
    gather(bands, tiny.size());
  }

 private:
  std::vector<Band> makeBands() const {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t count = std::clamp<std::size_t>(raster_.drawn / kBlocksPerThread, 1,
                                                      std::min<std::size_t>(cores, 4));
    std::vector<Band> bands(count);
    for (std::size_t i = 0; i < count; ++i) {
      bands[i].top = static_cast<int>(static_cast<std::size_t>(height_) * i / count);
      bands[i].bottom = static_cast<int>(static_cast<std::size_t>(height_) * (i + 1) / count);
    }
    return bands;
  }
  /// The row that a block is sorted by.
  template <class Sized>
  std::size_t rowOf(const Sized& block) const {
    return static_cast<std::size_t>(std::clamp(block.top, 0, height_ - 1));
  }

  void drawBand(const std::vector<Tiny>& tiny, const std::vector<Large>& large, Band& band) {
    const std::size_t first = at(0, band.top);
    const std::size_t last = at(0, band.bottom);
    drawBackground(band);
    std::copy(past_ + first, past_ + last, future_ + first);
    std::fill(raster_.ids.data() + first, raster_.ids.data() + last, 0U);
    band.met.assign(tiny.size(), false);
    const auto end = static_cast<std::size_t>(band.bottom);
    for (std::size_t i = 0; i < tiny.size() && rowOf(tiny[i]) < end; ++i) {
      band.met[i] = drawTiny(tiny[i].index, extentOf(tiny[i].index), band);
    }
    resolveCover(band);
    for (std::size_t i = 0; i < large.size() && rowOf(large[i]) < end; ++i) {
      drawLarge(large[i], band);
    }
  }

  void gather(const std::vector<Band>& bands, std::size_t tinyBlocks) {
    for (std::size_t i = 0; i < tinyBlocks; ++i) {
      raster_.shared += std::ranges::any_of(bands, [&](const Band& band) { return band.met[i]; });
    }
    for (const Band& band : bands) {
      raster_.roomy.insert(raster_.roomy.end(), band.roomy.begin(), band.roomy.end());
    }
    std::ranges::sort(raster_.roomy);
  }

  /// The same blocks from the top row down. Neighbours in step are far apart in memory when they
  /// are not neighbours in address; drawing row by row halves the time.
  template <class Sized>
  std::vector<Sized> byRow(const std::vector<Sized>& blocks) const {
    std::vector<std::uint32_t> next(static_cast<std::size_t>(height_) + 1, 0);
    for (const Sized& block : blocks) ++next[rowOf(block) + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    std::vector<Sized> sorted(blocks.size());
    for (const Sized& block : blocks) sorted[next[rowOf(block)]++] = block;
    return sorted;
  }

  void drawBackground(const Band& band) {
    std::fill(past_ + at(0, band.top), past_ + at(0, band.bottom), request_.colors.plot);
    for (const int y : request_.gridY) {
      if (y < band.top || y >= band.bottom) continue;
      std::fill_n(past_ + at(0, y), width_, request_.colors.grid);
    }
    for (const int x : request_.gridX) {
      if (x < 0 || x >= width_) continue;
      for (int y = band.top; y < band.bottom; ++y) past_[at(x, y)] = request_.colors.grid;
    }
  }

  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  bool isPale(std::size_t i) const {
    return request_.filter && !request_.filter->keeps(store_.stay(i));
  }

  Extent extentOf(std::size_t i) const {
    const MapWindow& window = request_.window;
    const auto x = [&](std::int64_t place) {
      return nearScreen((static_cast<double>(place) - window.begin) * perUnit_, width_);
    };
    const auto y = [&](std::int64_t byte) {
      return nearScreen((window.highByte - static_cast<double>(byte)) * perByte_, height_);
    };
    return {x(store_.beginAt(i)), y(store_.highByte(i)), x(store_.endAt(i)), y(store_.lowByte(i))};
  }

  /// Adds the part of each pixel that a tiny block covers; it gets the pixels nobody has yet, and
  /// those whose centre it covers. True when somebody had one already.
  bool drawTiny(std::size_t index, const Extent& extent, Band& band) {
    const int left = std::max(0, floorOf(extent.left));
    const int right = std::min(width_, ceiling(extent.right));
    const int top = std::max(band.top, floorOf(extent.top));
    const int bottom = std::min(band.bottom, ceiling(extent.bottom));
    if (left >= right || top >= bottom) return false;
    const auto id = static_cast<std::uint32_t>(index + 1);
    const auto lane = static_cast<unsigned>(store_.kind(index)) % CoverBlend::kLanes * 8;
    const double weight = isPale(index) ? kPaleCover : 1;
    bool met = false;
    for (int y = top; y < bottom; ++y) {
      const double high = std::min(extent.bottom, y + 1.0) - std::max(extent.top, double(y));
      const bool midRow = extent.top <= y + 0.5 && y + 0.5 < extent.bottom;
      std::uint64_t* cover = raster_.cover.data() + at(0, y);
      std::uint32_t* ids = raster_.ids.data() + at(0, y);
      for (int x = left; x < right; ++x) {
        const bool inner = x > left && x + 1 < right;
        const double wide =
            inner ? 1 : std::min(extent.right, x + 1.0) - std::max(extent.left, double(x));
        addCover(cover[x], lane, wide * high * weight);
        met |= ids[x] != 0;
        const bool centre = midRow && extent.left <= x + 0.5 && x + 0.5 < extent.right;
        if (ids[x] == 0 || centre) ids[x] = id;
      }
    }
    band.touchedTop = std::min(band.touchedTop, top);
    band.touchedBottom = std::max(band.touchedBottom, bottom);
    return met;
  }

  /// The classes share one word, eight bits each, counting 255ths of the pixel.
  static void addCover(std::uint64_t& word, unsigned lane, double part) {
    constexpr std::uint64_t kMost = 255;
    const auto before = (word >> lane) & kMost;
    const auto more = std::max<std::uint64_t>(1, static_cast<unsigned>(part * 255 + 0.5));
    word = (word & ~(kMost << lane)) | (std::min(kMost, before + more) << lane);
  }

  void resolveCover(const Band& band) {
    if (band.touchedTop >= band.touchedBottom) return;
    const std::vector<std::uint64_t>& cover = raster_.cover;
    // A picture has types or shades, never both.
    const bool shades = static_cast<std::size_t>(store_.kind(0)) >= kBlockClasses;
    const CoverBlend past(request_.colors.past, shades ? kBlockClasses : 0);
    const CoverBlend future(request_.colors.future, shades ? kBlockClasses : 0);
    for (std::size_t i = at(0, band.touchedTop); i < at(0, band.touchedBottom); ++i) {
      if (cover[i] == 0) continue;
      past_[i] = past.over(past_[i], cover[i]);
      future_[i] = future.over(future_[i], cover[i]);
    }
  }

  void drawLarge(const Large& block, Band& band) {
    const int left = std::max(0, block.left);
    const int right = std::min(width_, block.right);
    const int top = std::max(band.top, block.top);
    const int bottom = std::min(band.bottom, block.bottom);
    if (left >= right || top >= bottom) return;
    const auto kind = static_cast<std::size_t>(store_.kind(block.index));
    const bool pale = isPale(block.index);
    const BlockShade& past = (pale ? request_.colors.pale : request_.colors.past)[kind];
    const BlockShade& future = (pale ? request_.colors.pale : request_.colors.future)[kind];
    const double room = kEdgeRoom * request_.ratio;
    const bool edged = block.right - block.left >= room && block.bottom - block.top >= room;
    const QRgb pastFill = edged ? past.fill : past.thin;
    const QRgb futureFill = edged ? future.fill : future.thin;
    for (int y = top; y < bottom; ++y) {
      QRgb* pastRow = past_ + at(0, y);
      QRgb* futureRow = future_ + at(0, y);
      std::uint32_t* ids = raster_.ids.data() + at(0, y);
      for (int x = left; x < right; ++x) {
        pastRow[x] = pastFill;
        futureRow[x] = futureFill;
        ids[x] = block.index + 1;
      }
      if (edged) drawEdges(block, y, {past.edge, future.edge});
    }
    if (pale || std::max(0, block.top) < band.top) return;  // No label; another band began it.
    const int high = std::min(height_, block.bottom) - std::max(0, block.top);
    const int longer = std::max(right - left, high);
    const int shorter = std::min(right - left, high);
    if (longer >= kLabelLength * request_.ratio && shorter >= kLabelHeight * request_.ratio) {
      band.roomy.push_back(block.index);
    }
  }

  struct EdgeColors {
    QRgb past, future;
  };

  /// The part of a block's outline that lies in row `y`.
  void drawEdges(const Large& block, int y, EdgeColors colors) {
    if (y < block.top + thickness_ || y >= block.bottom - thickness_) {
      return drawEdge(block.left, block.right, y, colors);
    }
    drawEdge(block.left, block.left + thickness_, y, colors);
    drawEdge(block.right - thickness_, block.right, y, colors);
  }

  void drawEdge(int left, int right, int y, EdgeColors colors) {
    for (int x = std::max(0, left); x < std::min(width_, right); ++x) {
      past_[at(x, y)] = colors.past;
      // Dotted: what has not happened yet has no firm outline.
      if (dots_[static_cast<std::size_t>(x)] == dots_[static_cast<std::size_t>(y)]) {
        future_[at(x, y)] = colors.future;
      }
    }
  }

  const BlockStore& store_;
  MapRaster& raster_;
  const MapRequest& request_;
  int width_;
  int height_;
  int thickness_;
  double perUnit_;
  double perByte_;
  std::vector<std::uint8_t> dots_;  ///< By column or row: 0 and 1 in turn, a dot each.
  QRgb* past_ = nullptr;
  QRgb* future_ = nullptr;
};

}  // namespace

QRect MapRequest::boxOf(const Block& block) const {
  const auto edge = [](double at, int extent) { return pixelFrom(nearScreen(at, extent)); };
  const int left = edge(toX(static_cast<double>(block.span.begin.count())), size.width());
  const int right = edge(toX(static_cast<double>(block.span.end.count())), size.width());
  const int top = edge(toY(static_cast<double>(block.bytes.end.count())), size.height());
  const int bottom = edge(toY(static_cast<double>(block.bytes.begin.count())), size.height());
  return {left, top, std::max(1, right - left), std::max(1, bottom - top)};
}

std::optional<std::size_t> MapRaster::blockAt(int x, int y) const {
  const int width = request.size.width();
  if (x < 0 || y < 0 || x >= width || y >= request.size.height() || ids.empty()) return {};
  const std::uint32_t id = ids[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                               static_cast<std::size_t>(x)];
  if (id == 0) return {};
  return id - 1;
}

MapRaster rasterize(const BlockStore& store, const MapRequest& request) {
  MapRaster raster;
  rasterize(store, request, raster);
  return raster;
}

void rasterize(const BlockStore& store, const MapRequest& request, MapRaster& raster) {
  raster.request = request;
  raster.request.size = request.size.expandedTo({1, 1});
  // Labels were written at the density of the screen; drawing counts in pixels.
  raster.past.setDevicePixelRatio(1);
  raster.future.setDevicePixelRatio(1);
  Rasterizer(store, raster).run();
}

}  // namespace hw
