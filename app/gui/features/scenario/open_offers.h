#pragma once

#include <QMenu>
#include <QObject>
#include <memory>

#include "core/import/importer.h"
#include "widgets/frame/message_bar.h"

namespace hw {

class MainWindow;

/// Says of a model that was just opened what it leaves to its reader: a plan that came with it and
/// what that does not say, dimensions without a size, and which of several models in the file is
/// meant. Small figures of a model that was hardly given
/// any sizes would go unnoticed otherwise.
class OpenOffers : public QObject {
  Q_OBJECT

 public:
  /// `parts` is the menu to choose from.
  OpenOffers(MainWindow* window, QMenu* parts);

  MessageBar* bar() const { return bar_; }

 private:
  void showRun();

  MainWindow* window_;
  QMenu* parts_;
  MessageBar* bar_;
  std::weak_ptr<const Model> model_;  ///< That the bar is about; planning again is no news.
};

}  // namespace hw
