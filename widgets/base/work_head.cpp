#include "widgets/base/work_head.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>

namespace hw {

QWidget* workHead(QWidget* panel, std::initializer_list<QWidget*> controls, QProgressBar* progress,
                  const QString& name, QLabel* note, std::initializer_list<QWidget*> behind) {
  progress->setAccessibleName(name);
  progress->setMaximum(1000);
  progress->setMaximumWidth(120);
  progress->setTextVisible(false);
  note->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* head = new QWidget(panel);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(4, 2, 4, 2);
  row->setSpacing(4);
  for (QWidget* control : controls) row->addWidget(control);
  row->addWidget(progress);
  row->addWidget(note, 1);
  for (QWidget* widget : behind) row->addWidget(widget);
  return head;
}

}  // namespace hw
