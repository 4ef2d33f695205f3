#pragma once

#include <QObject>

namespace hw {

class MainWindow;

/// The dock "Search": how the search for the plan goes, or went.
class SearchFeature : public QObject {
  Q_OBJECT

 public:
  explicit SearchFeature(MainWindow* window);
};

}  // namespace hw
