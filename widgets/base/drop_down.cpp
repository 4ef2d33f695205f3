#include "widgets/base/drop_down.h"

#include <QKeyEvent>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

namespace hw {
namespace {

constexpr QSize kPanelSize{260, 320};

}  // namespace

DropDown::DropDown(QWidget* content, QWidget* parent)
    : QToolButton(parent), content_(content), panel_(new QFrame(this, Qt::Popup)) {
  setPopupMode(QToolButton::InstantPopup);
  setArrowType(Qt::NoArrow);
  panel_->setFrameShape(QFrame::StyledPanel);
  panel_->hide();
  auto* layout = new QVBoxLayout(panel_);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(content_);
  panel_->installEventFilter(this);
  connect(this, &QToolButton::clicked, this, &DropDown::open);
}

void DropDown::open() {
  panel_->resize(kPanelSize.expandedTo(panel_->sizeHint()));
  const QRect room = screen()->availableGeometry();
  QPoint at = mapToGlobal(QPoint(0, height()));
  // Docks at the bottom have more room above them.
  if (at.y() + panel_->height() > room.bottom()) {
    at.setY(std::max(room.top(), mapToGlobal(QPoint()).y() - panel_->height()));
  }
  at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - panel_->width())));
  panel_->move(at);
  panel_->show();
  content_->setFocus();
}

bool DropDown::eventFilter(QObject* watched, QEvent* event) {
  if (watched == panel_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    panel_->hide();
    setFocus();
    return true;
  }
  return QToolButton::eventFilter(watched, event);
}

}  // namespace hw
