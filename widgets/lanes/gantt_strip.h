#pragma once

#include <QWidget>

#include "core/picture/gantt_scene.h"

namespace hw {

/// The engines of one run in time, to be looked at only: from 0 to `end`, so that two runs can have
/// one scale, with a line where another run ends.
class GanttStrip : public QWidget {
  Q_OBJECT

 public:
  explicit GanttStrip(QWidget* parent = nullptr);

  /// Null: nothing. A run that is not timed is nothing too.
  void setRun(std::shared_ptr<const Run> run, SimTime end, SimTime mark);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {160, 60}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  GanttScene scene_;
};

}  // namespace hw
