#pragma once

#include <QObject>

namespace hw {

class MainWindow;
class ScenarioHistory;

/// The Advice panel: what would make memory smaller, proved; a change applied is an edit of the
/// scenario that can be undone.
class AdviceFeature : public QObject {
  Q_OBJECT

 public:
  AdviceFeature(MainWindow* window, ScenarioHistory* history);
};

}  // namespace hw
