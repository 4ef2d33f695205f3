#include "widgets/lanes/lane_painter.h"

#include <algorithm>
#include <cmath>

#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"

namespace hw {

namespace {

constexpr double kPale = 0.35;

QColor laneColor(Lane::Kind kind, const Theme& theme) {
  switch (kind) {
    case Lane::Kind::unit:
      return theme.highWater;
    case Lane::Kind::memory:
      return theme.lowerBound;
    case Lane::Kind::copies:
      return theme.mark;
  }
  return {};
}

class LanePainter {
 public:
  LanePainter(QPainter& painter, const LaneStore& lanes, std::size_t lane, const QRect& row,
              const RunAxis& axis)
      : painter_(painter),
        lanes_(lanes),
        lane_(lane),
        row_(row),
        axis_(axis),
        strong_(laneColor(lanes.lanes()[lane].kind, Theme::current())),
        pale_(mixColors(strong_, Theme::current().plot, kPale)) {}

  void paint() const {
    if (axis_.pixelsPerUnit() >= kOwnPixels) {
      paintParts();
    } else {
      paintShares();
    }
  }

 private:
  void paintParts() const {
    const auto first = static_cast<std::int64_t>(std::floor(axis_.begin));
    const auto last =
        std::min(static_cast<std::int64_t>(std::ceil(axis_.end)), lanes_.steps().count());
    for (std::int64_t step = std::max<std::int64_t>(0, first); step < last; ++step) {
      const LaneStore::Part part = lanes_.part(lane_, Step(step));
      if (part.end <= part.begin) continue;
      const double left = axis_.toX(static_cast<double>(step) + part.begin);
      const double right = axis_.toX(static_cast<double>(step) + part.end);
      const QRectF box(left, row_.top(), std::max(1.0, right - left), row_.height());
      painter_.fillRect(box & QRectF(row_), part.decides ? strong_ : pale_);
    }
  }

  void paintShares() const {
    const auto clamped = [&](double step) {
      return Step(
          std::clamp(static_cast<std::int64_t>(step), std::int64_t{0}, lanes_.steps().count()));
    };
    for (int x = row_.left(); x <= row_.right(); ++x) {
      const Step from = clamped(std::floor(axis_.toPlace(x)));
      const Step to = std::max(clamped(std::ceil(axis_.toPlace(x + 1))), from);
      const LaneStore::Share share = lanes_.share(lane_, from, to);
      bar(x, share.busy, pale_);
      bar(x, share.deciding, strong_);
    }
  }

  void bar(int x, double share, const QColor& color) const {
    if (share <= 0) return;
    const int height = std::max(1, static_cast<int>(std::lround(share * row_.height())));
    painter_.fillRect(QRect(x, row_.bottom() + 1 - height, 1, height), color);
  }

  QPainter& painter_;
  const LaneStore& lanes_;
  std::size_t lane_;
  const QRect& row_;
  const RunAxis& axis_;
  QColor strong_;
  QColor pale_;
};

}  // namespace

void paintLane(QPainter& painter, const LaneStore& lanes, std::size_t lane, const QRect& row,
               const RunAxis& axis) {
  LanePainter(painter, lanes, lane, row, axis).paint();
}

}  // namespace hw
