#pragma once

#include "app/gui/features/compare/compare.h"
#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/panels/schedule_panel.h"

namespace hw {

class Session;
class StudyFeature;

/// The window with everything that can be done in it. A feature is a QObject owned by the window,
/// in a file of its own below app/gui/features, and an `add` function in the header of its folder:
/// it adds its commands, panels and views through the window's public interface, and looks at the
/// ViewState. The window knows nothing of features, and they know of each other what they are
/// handed here.
class Studio : public MainWindow {
 public:
  /// `settings` outlives the window.
  explicit Studio(Settings* settings, QWidget* parent = nullptr);

  ComparePanel* comparison() const { return comparison_; }
  CapacityPanel* capacity() const { return curves_.capacity; }
  FrontPanel* front() const { return curves_.front; }
  SchedulePanel* schedule() const { return panels_.schedule; }
  ShrinkPanel* shrink() const { return shrink_; }
  Session* session() const { return session_; }
  StudyFeature* study() const { return study_; }

 private:
  RunPanels panels_;
  ComparePanel* comparison_;
  CurvePanels curves_;
  Session* session_;
  ShrinkPanel* shrink_;
  StudyFeature* study_;
};

}  // namespace hw
