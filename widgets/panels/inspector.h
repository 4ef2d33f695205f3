#pragma once

#include <QTextBrowser>

#include "widgets/view_state.h"

namespace hw {

/// Everything about the selected stay: its tensors, size, address, lifetime, who makes and reads
/// it, who was there before, and why it lies where it lies. Without one, the op under way. Names of
/// stays are links that select them.
class Inspector : public QTextBrowser {
  Q_OBJECT

 public:
  explicit Inspector(ViewState* state, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void follow(const QUrl& link);

  ViewState* state_;
};

}  // namespace hw
