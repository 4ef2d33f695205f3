#include "widgets/base/work_head.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPaintEvent>
#include <QPainter>
#include <QProgressBar>

namespace hw {
namespace {

/// Ends a note that has no room with an ellipsis: cut through a letter it looks whole.
class NoteElider : public QObject {
 public:
  explicit NoteElider(QLabel* note) : QObject(note), note_(note) { note->installEventFilter(this); }

  bool eventFilter(QObject* watched, QEvent* event) override {
    const QRect room = note_->contentsRect();
    const QFontMetrics letters = note_->fontMetrics();
    const bool cut = letters.horizontalAdvance(note_->text()) > room.width();
    if (event->type() != QEvent::Paint || !cut) return QObject::eventFilter(watched, event);
    QPainter painter(note_);
    painter.setPen(note_->palette().color(note_->foregroundRole()));
    painter.drawText(room, static_cast<int>(note_->alignment()),
                     letters.elidedText(note_->text(), Qt::ElideRight, room.width()));
    return true;
  }

 private:
  QLabel* note_;
};

}  // namespace

QWidget* workHead(QWidget* panel, std::initializer_list<QWidget*> controls, QProgressBar* progress,
                  const QString& name, QLabel* note, std::initializer_list<QWidget*> behind) {
  progress->setAccessibleName(name);
  progress->setMaximum(1000);
  progress->setMaximumWidth(120);
  progress->setTextVisible(false);
  note->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  new NoteElider(note);
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
