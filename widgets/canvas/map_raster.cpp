#include "widgets/canvas/map_raster.h"

#include <array>
#include <cmath>

namespace hw {

namespace {

/// Blocks need this many logical pixels each way for an edge of their own.
constexpr double kEdgeRoom = 4;
constexpr double kLabelLength = 24;
constexpr double kLabelHeight = 12;
/// What a pixel with the least bit of occupancy shows, so that lone thin blocks stay visible.
constexpr double kLeastCover = 0.35;

/// A rectangle in fractions of pixels.
struct Extent {
  double left, top, right, bottom;
};

/// The first pixel whose centre is not before `edge`.
int pixelFrom(double edge) { return static_cast<int>(std::ceil(edge - 0.5)); }

/// Keeps far-away edges of a deep zoom inside `int`.
double nearScreen(double edge, int size) { return std::clamp(edge, -8.0, size + 8.0); }

class Rasterizer {
 public:
  Rasterizer(const BlockStore& store, MapRaster& raster)
      : store_(store),
        raster_(raster),
        request_(raster.request),
        width_(request_.size.width()),
        height_(request_.size.height()),
        thickness_(std::max(1, qRound(request_.ratio))) {
    raster_.past = QImage(request_.size, QImage::Format_RGB32);
    drawBackground();
    raster_.future = raster_.past;
    raster_.ids.assign(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0);
    past_ = reinterpret_cast<QRgb*>(raster_.past.bits());
    future_ = reinterpret_cast<QRgb*>(raster_.future.bits());
  }

  void run() {
    std::vector<std::uint32_t> large;
    store_.visit(request_.window, [&](std::size_t index) {
      ++raster_.drawn;
      const Extent extent = extentOf(index);
      if (extent.right - extent.left >= 1 && extent.bottom - extent.top >= 1) {
        large.push_back(static_cast<std::uint32_t>(index));
      } else {
        drawTiny(index, extent);
      }
    });
    resolveCover();
    for (const std::uint32_t index : large) drawLarge(index, extentOf(index));
  }

 private:
  void drawBackground() {
    raster_.past.fill(request_.colors.plot);
    auto* bits = reinterpret_cast<QRgb*>(raster_.past.bits());
    for (const int y : request_.gridY) {
      if (y >= 0 && y < height_) std::fill_n(bits + at(0, y), width_, request_.colors.grid);
    }
    for (const int x : request_.gridX) {
      if (x < 0 || x >= width_) continue;
      for (int y = 0; y < height_; ++y) bits[at(x, y)] = request_.colors.grid;
    }
  }

  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  Extent extentOf(std::size_t i) const {
    return {nearScreen(request_.toX(static_cast<double>(store_.beginStep(i))), width_),
            nearScreen(request_.toY(static_cast<double>(store_.highByte(i))), height_),
            nearScreen(request_.toX(static_cast<double>(store_.endStep(i))), width_),
            nearScreen(request_.toY(static_cast<double>(store_.lowByte(i))), height_)};
  }

  /// Adds the part of each pixel that a tiny block covers; it gets the pixels nobody has yet, and
  /// those whose centre it covers.
  void drawTiny(std::size_t index, const Extent& extent) {
    if (cover_.empty()) cover_.assign(raster_.ids.size(), 0);
    const int left = std::max(0, static_cast<int>(std::floor(extent.left)));
    const int right = std::min(width_, static_cast<int>(std::ceil(extent.right)));
    const int top = std::max(0, static_cast<int>(std::floor(extent.top)));
    const int bottom = std::min(height_, static_cast<int>(std::ceil(extent.bottom)));
    const auto id = static_cast<std::uint32_t>(index + 1);
    const auto lane = std::min<unsigned>(3, static_cast<unsigned>(store_.kind(index))) * 8;
    bool met = false;
    for (int y = top; y < bottom; ++y) {
      const double high = std::min(extent.bottom, y + 1.0) - std::max(extent.top, double(y));
      for (int x = left; x < right; ++x) {
        const double wide = std::min(extent.right, x + 1.0) - std::max(extent.left, double(x));
        addCover(cover_[at(x, y)], lane, wide * high);
        std::uint32_t& owner = raster_.ids[at(x, y)];
        met |= owner != 0;
        if (owner == 0 || centreInside(extent, x, y)) owner = id;
      }
    }
    if (met) ++raster_.shared;
    if (top >= bottom) return;
    touchedTop_ = std::min(touchedTop_, top);
    touchedBottom_ = std::max(touchedBottom_, bottom);
  }

  static bool centreInside(const Extent& extent, int x, int y) {
    return extent.left <= x + 0.5 && x + 0.5 < extent.right && extent.top <= y + 0.5 &&
           y + 0.5 < extent.bottom;
  }

  /// Four classes share one word, eight bits each, counting 255ths of the pixel.
  static void addCover(std::uint32_t& word, unsigned lane, double part) {
    const auto before = (word >> lane) & 255U;
    const auto more = std::max(1U, static_cast<unsigned>(part * 255 + 0.5));
    word = (word & ~(255U << lane)) | (std::min(255U, before + more) << lane);
  }

  void resolveCover() {
    if (cover_.empty()) return;
    for (std::size_t i = at(0, touchedTop_); i < at(0, touchedBottom_); ++i) {
      if (cover_[i] == 0) continue;
      past_[i] = blend(past_[i], cover_[i], request_.colors.past);
      future_[i] = blend(future_[i], cover_[i], request_.colors.future);
    }
  }

  static QRgb blend(QRgb under, std::uint32_t word, const MapColors::Shades& shades) {
    double red = 0;
    double green = 0;
    double blue = 0;
    double sum = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const double part = (word >> (lane * 8)) & 255U;
      red += part * qRed(shades[lane].thin);
      green += part * qGreen(shades[lane].thin);
      blue += part * qBlue(shades[lane].thin);
      sum += part;
    }
    const double alpha = kLeastCover + (1 - kLeastCover) * std::min(1.0, sum / 255);
    const auto over = [&](double color, int below) {
      return static_cast<int>(color / sum * alpha + below * (1 - alpha) + 0.5);
    };
    return qRgb(over(red, qRed(under)), over(green, qGreen(under)), over(blue, qBlue(under)));
  }

  void drawLarge(std::uint32_t index, const Extent& extent) {
    const int left = pixelFrom(extent.left);
    const int top = pixelFrom(extent.top);
    const QRect box(left, top, pixelFrom(extent.right) - left, pixelFrom(extent.bottom) - top);
    const QRect seen = box & QRect(QPoint(), request_.size);
    if (seen.isEmpty()) return;
    const auto kind = static_cast<std::size_t>(store_.kind(index));
    const BlockShade& past = request_.colors.past[kind];
    const BlockShade& future = request_.colors.future[kind];
    const double room = kEdgeRoom * request_.ratio;
    const bool edged = box.width() >= room && box.height() >= room;
    for (int y = seen.top(); y <= seen.bottom(); ++y) {
      const std::size_t first = at(seen.left(), y);
      std::fill_n(past_ + first, seen.width(), edged ? past.fill : past.thin);
      std::fill_n(future_ + first, seen.width(), edged ? future.fill : future.thin);
      std::fill_n(raster_.ids.data() + first, seen.width(), index + 1);
    }
    if (edged) drawEdges(box, seen, past.edge, future.edge);
    if (std::max(seen.width(), seen.height()) >= kLabelLength * request_.ratio &&
        std::min(seen.width(), seen.height()) >= kLabelHeight * request_.ratio) {
      raster_.roomy.push_back(index);
    }
  }

  void drawEdges(const QRect& box, const QRect& seen, QRgb past, QRgb future) {
    const QRect sides[] = {{box.left(), box.top(), box.width(), thickness_},
                           {box.left(), box.bottom() - thickness_ + 1, box.width(), thickness_},
                           {box.left(), box.top(), thickness_, box.height()},
                           {box.right() - thickness_ + 1, box.top(), thickness_, box.height()}};
    for (const QRect& side : sides) {
      const QRect part = side & seen;
      for (int y = part.top(); y <= part.bottom(); ++y) {
        for (int x = part.left(); x <= part.right(); ++x) {
          past_[at(x, y)] = past;
          // Dotted: what has not happened yet has no firm outline.
          if (((x / thickness_ + y / thickness_) & 1) == 0) future_[at(x, y)] = future;
        }
      }
    }
  }

  const BlockStore& store_;
  MapRaster& raster_;
  const MapRequest& request_;
  int width_;
  int height_;
  int thickness_;
  QRgb* past_ = nullptr;
  QRgb* future_ = nullptr;
  std::vector<std::uint32_t> cover_;
  int touchedTop_ = 1 << 30;
  int touchedBottom_ = 0;
};

}  // namespace

QRect MapRequest::boxOf(const Block& block) const {
  const auto edge = [](double at, int extent) { return pixelFrom(nearScreen(at, extent)); };
  const int left = edge(toX(static_cast<double>(block.steps.begin.count())), size.width());
  const int right = edge(toX(static_cast<double>(block.steps.end.count())), size.width());
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
  raster.request = request;
  raster.request.size = request.size.expandedTo({1, 1});
  Rasterizer(store, raster).run();
  return raster;
}

}  // namespace hw
