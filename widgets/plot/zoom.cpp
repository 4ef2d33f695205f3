#include "widgets/plot/zoom.h"

#include <algorithm>
#include <cmath>

namespace hw {

namespace {

constexpr double kPerNotch = 1.2;
constexpr double kUnitsPerNotch = 120;

}  // namespace

RunAxis runAxis(const ViewState& state, const Box& plot) {
  return {state.visibleBegin(), state.visibleEnd(), plot.left, plot.width, state.axis()};
}

double wheelFactor(const QWheelEvent& event) {
  // Some platforms turn a wheel with Alt held into a horizontal one.
  const QPoint delta = event.angleDelta();
  const int units = delta.y() != 0 ? delta.y() : delta.x();
  return std::pow(kPerNotch, units / kUnitsPerNotch);
}

void zoomSteps(ViewState& state, const RunAxis& axis, double factor, double x) {
  const double length = axis.end - axis.begin;
  const double wanted = std::clamp(length / factor, state.scale()->leastVisible(), state.length());
  const RunAxis zoomed = axis.zoomed(length / wanted, x);
  state.setVisible(zoomed.begin, zoomed.end);
}

void panSteps(ViewState& state, const RunAxis& axis, double pixels) {
  const RunAxis panned = axis.panned(pixels);
  state.setVisible(panned.begin, panned.end);
}

}  // namespace hw
