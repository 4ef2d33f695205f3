#include "widgets/method/method_guide.h"

#include <QHBoxLayout>

#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kItemAir = 14;  ///< Around the name of a method.

}  // namespace

MethodGuide::MethodGuide(QWidget* parent)
    : QDialog(parent), list_(new QListWidget(this)), page_(new LessonView(this)) {
  setObjectName(QStringLiteral("methodGuide"));
  setWindowTitle(tr("How the methods work"));
  list_->setAccessibleName(tr("Methods"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setSpacing(3);
  for (const Lesson& lesson : lessons()) {
    auto* item = new QListWidgetItem(viewText(lesson.title), list_);
    item->setData(Qt::UserRole, viewText(lesson.name));
    item->setToolTip(viewText(lesson.name));
    item->setSizeHint(
        {fontMetrics().horizontalAdvance(item->text()) + 24, fontMetrics().height() + kItemAir});
  }
  list_->setFixedWidth(list_->sizeHintForColumn(0) + 16);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(list_);
  row->addWidget(page_, 1);
  connect(list_, &QListWidget::currentRowChanged, this, [this](int at) {
    if (at >= 0) page_->setLesson(&lessons()[static_cast<std::size_t>(at)]);
  });
  list_->setCurrentRow(0);
  resize(1000, 680);
}

void MethodGuide::showLesson(const QString& allocator) {
  for (int row = 0; row < list_->count(); ++row) {
    if (list_->item(row)->data(Qt::UserRole).toString() == allocator) list_->setCurrentRow(row);
  }
}

}  // namespace hw
