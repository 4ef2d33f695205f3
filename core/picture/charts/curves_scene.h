#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/columns.h"
#include "core/picture/canvas.h"

namespace hw {

/// Two figures over the values of a setting, such as a dimension of a model: one on the axis at the
/// left, the other on that at the right, both from 0. Plain data.
struct CurvesScene {
  struct Curve {
    std::string name{};
    ColumnKind kind = ColumnKind::bytes;
    std::vector<std::optional<double>> values{};  ///< By place; nothing: there is none.
  };
  std::string title{};
  std::string note{};            ///< At the right end of the title, where there is room.
  std::string across{};          ///< Name of the setting.
  std::vector<double> places{};  ///< Its values, ascending.
  Curve left{};
  Curve right{};
};

/// Points of the curves have ids, "left-0", "right-0", …, by place.
void drawValueCurves(Canvas& canvas, const CurvesScene& scene, const Box& where);

}  // namespace hw
