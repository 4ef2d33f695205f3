#include "widgets/method/method_guide.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QLabel* wordsLabel(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  return label;
}

void enlarge(QLabel* label, double factor) {
  QFont font = label->font();
  font.setBold(true);
  font.setPointSizeF(font.pointSizeF() * factor);
  label->setFont(font);
}

}  // namespace

LessonView::LessonView(QWidget* parent)
    : QWidget(parent),
      title_(wordsLabel(this)),
      intro_(wordsLabel(this)),
      records_(new QComboBox(this)),
      player_(new StagePlayer(this)),
      heading_(wordsLabel(this)),
      text_(wordsLabel(this)),
      number_(new QLabel(this)),
      back_(new QPushButton(tr("&Back"), this)),
      next_(new QPushButton(tr("&Next"), this)),
      try_(new QPushButton(tr("&Try it on your model"), this)) {
  enlarge(title_, 1.35);
  enlarge(heading_, 1.1);
  records_->setAccessibleName(tr("Which memory the allocator plans"));
  records_->hide();
  player_->addAtStart(records_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(8);
  column->addWidget(title_);
  column->addWidget(intro_);
  column->addWidget(player_, 1);
  column->addWidget(buildWords());
  connect(player_->deck(), &MethodDeck::moved, this, &LessonView::showStop);
  connect(player_->stage(), &StageView::chosen, player_, &StagePlayer::setSelected);
  connect(records_, &QComboBox::currentIndexChanged, this, &LessonView::showRecord);
  connect(back_, &QPushButton::clicked, this, [this] {
    const std::size_t now = stop();
    const bool inside = player_->deck()->at() > ticks_[now];
    goToStop(inside || now == 0 ? now : now - 1);
  });
  connect(next_, &QPushButton::clicked, this, [this] { goToStop(stop() + 1); });
  connect(try_, &QPushButton::clicked, this, [this] { Q_EMIT tryWanted(viewText(lesson_->name)); });
  setWhyNotTry({});
}

/// As the transport's keys are when nobody has bound them otherwise.
void LessonView::keyPressEvent(QKeyEvent* event) {
  const struct {
    QKeyCombination key;
    const char* command;
  } keys[] = {{Qt::Key_Home, "start"},      {Qt::Key_End, "end"},
              {Qt::Key_Left, "opBack"},     {Qt::Key_Right, "opForward"},
              {Qt::Key_Comma, "eventBack"}, {Qt::Key_Period, "eventForward"},
              {Qt::Key_Space, "play"},      {Qt::SHIFT | Qt::Key_Space, "playBack"}};
  for (const auto& [key, command] : keys) {
    if (event->keyCombination() != key) continue;
    player_->act(QLatin1String(command));
    return;
  }
  QWidget::keyPressEvent(event);
}

QWidget* LessonView::buildWords() {
  text_->setObjectName(QStringLiteral("lessonText"));
  // Of the longest text, so that the stage keeps its height from stop to stop.
  text_->setMinimumHeight(4 * fontMetrics().lineSpacing());
  number_->setAlignment(Qt::AlignCenter);
  for (QPushButton* button : {back_, next_, try_}) button->setAutoDefault(button == next_);
  auto* words = new QWidget(this);
  auto* column = new QVBoxLayout(words);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(heading_);
  column->addWidget(text_);
  auto* line = new QHBoxLayout;
  line->addWidget(back_);
  line->addWidget(number_);
  line->addWidget(next_);
  line->addStretch(1);
  line->addWidget(try_);
  column->addLayout(line);
  return words;
}

void LessonView::setWhyNotTry(const QString& why) {
  try_->setEnabled(why.isEmpty());
  try_->setToolTip(why.isEmpty() ? tr("Plans the model on show by this allocator, and plays that")
                                 : why);
}

void LessonView::setLesson(const Lesson* lesson) {
  if (lesson == lesson_) return;
  lesson_ = lesson;
  run_ = nullptr;
  ticks_.clear();
  player_->deck()->setRecord(nullptr, 0);
  player_->setSelected({});
  title_->setText(lesson ? viewText(lesson->title) : QString());
  intro_->setText(lesson ? viewText(lesson->intro) : QString());
  showStop();
  if (!lesson) return planning_.drop();
  planning_.start(
      false, [lesson] { return lessonRun(*lesson); },
      [this](const Result<std::shared_ptr<const Run>>& made) { accept(made); });
}

void LessonView::accept(const Result<std::shared_ptr<const Run>>& made) {
  if (!made || (*made)->plan.records.empty()) {
    heading_->setText(tr("The example cannot be shown"));
    text_->setText(made ? tr("%1 recorded nothing.").arg(viewText(lesson_->name))
                        : QString::fromStdString(printable(made.error().text(), 400)));
    return;
  }
  run_ = *made;
  {
    const QSignalBlocker quiet(records_);
    records_->clear();
    for (const MethodRecord& record : run_->plan.records) {
      records_->addItem(QString::fromStdString(printable(record.name, 40)));
    }
  }
  records_->setVisible(records_->count() > 1);
  showRecord(0);
}

void LessonView::showRecord(int record) {
  const auto index = static_cast<std::size_t>(record);
  if (!run_ || record < 0 || index >= run_->plan.records.size()) return;
  ticks_ = stopTicks(*lesson_, *run_, run_->plan.records[index]);
  player_->deck()->setRecord(run_, index);
  goToStop(0);
  showStop();
}

std::size_t LessonView::stop() const {
  std::size_t found = 0;
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    if (ticks_[i] <= player_->deck()->at()) found = i;
  }
  return found;
}

void LessonView::goToStop(std::size_t stop) {
  if (ticks_.empty()) return;
  player_->deck()->pause();
  player_->deck()->goTo(ticks_[std::min(stop, ticks_.size() - 1)]);
}

void LessonView::showStop() {
  const bool any = !ticks_.empty();
  back_->setEnabled(any && player_->deck()->at() > 0);
  next_->setEnabled(any && stop() + 1 < ticks_.size());
  if (!any) {
    heading_->setText(lesson_ ? tr("Planning the example\u2026") : QString());
    text_->clear();
    number_->clear();
    return;
  }
  const LessonStop& now = lesson_->stops[stop()];
  heading_->setText(viewText(now.title));
  const bool last = stop() + 1 == ticks_.size();
  QString words = viewText(now.text);
  if (last) words += QStringLiteral("\n\n") + viewText(lesson_->moral);
  text_->setText(words);
  number_->setText(tr("%1 of %2").arg(stop() + 1).arg(ticks_.size()));
}

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
