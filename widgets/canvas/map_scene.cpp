#include "widgets/canvas/map_scene.h"

#include "widgets/canvas/reference_lines.h"

namespace hw {

bool MapScene::isSelected(StayId stay) const {
  if (!selected || !run->problem.stays.contains(selected)) return false;
  if (stay == selected) return true;
  const BufferId buffer = run->problem.stays[selected].buffer;
  return buffer && run->problem.stays[stay].buffer == buffer;
}

QString MapScene::heading() const { return title.isEmpty() ? mapTitle(*run, pool) : title; }

}  // namespace hw
