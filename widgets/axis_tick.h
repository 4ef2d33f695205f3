#pragma once

#include <QString>

namespace hw {

/// A mark on an axis: where, in the axis' own unit, and what to write beside it.
struct AxisTick {
  double value = 0;
  QString label{};
};

}  // namespace hw
