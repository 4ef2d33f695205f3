#include "widgets/plot/zoom.h"

#include <algorithm>
#include <cmath>

namespace hw {

namespace {

/// The least number of steps that ViewState lets be visible.
constexpr double kLeastSteps = 0.25;
constexpr double kPerNotch = 1.2;
constexpr double kUnitsPerNotch = 120;

}  // namespace

double wheelFactor(const QWheelEvent& event) {
  // Some platforms turn a wheel with Alt held into a horizontal one.
  const QPoint delta = event.angleDelta();
  const int units = delta.y() != 0 ? delta.y() : delta.x();
  return std::pow(kPerNotch, units / kUnitsPerNotch);
}

void zoomSteps(ViewState& state, const StepAxis& axis, double factor, double x) {
  const double length = axis.end - axis.begin;
  const auto all = static_cast<double>(state.steps().count());
  const double wanted = std::clamp(length / factor, std::min(kLeastSteps, all), all);
  const StepAxis zoomed = axis.zoomed(length / wanted, x);
  state.setVisible(zoomed.begin, zoomed.end);
}

void panSteps(ViewState& state, const StepAxis& axis, double pixels) {
  const StepAxis panned = axis.panned(pixels);
  state.setVisible(panned.begin, panned.end);
}

}  // namespace hw
