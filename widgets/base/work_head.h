#pragma once

#include <QWidget>
#include <initializer_list>

class QLabel;
class QProgressBar;

namespace hw {

/// The head of a panel that works in the background: `controls` that start and stop it, how far it
/// is (in thousandths, read aloud as `name`), what it says, and `behind` at the other end.
QWidget* workHead(QWidget* panel, std::initializer_list<QWidget*> controls, QProgressBar* progress,
                  const QString& name, QLabel* note, std::initializer_list<QWidget*> behind = {});

}  // namespace hw
