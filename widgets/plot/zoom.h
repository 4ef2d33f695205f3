#pragma once

#include <QWheelEvent>

#include "core/picture/axis.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The axis of a view whose plot is `plot`.
RunAxis runAxis(const ViewState& state, const Box& plot);

/// How much one wheel event zooms: 1.2 per notch, above 1 for zooming in.
double wheelFactor(const QWheelEvent& event);

/// Shows `factor` times less; what is at pixel `x` of `axis` stays there unless an end of the run
/// does not let it.
void zoomSteps(ViewState& state, const RunAxis& axis, double factor, double x);

/// Moves what is visible `pixels` to the right.
void panSteps(ViewState& state, const RunAxis& axis, double pixels);

}  // namespace hw
