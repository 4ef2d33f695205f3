#include "widgets/jobs/work_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

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

WorkPanel::WorkPanel(const Words& words, QWidget* parent)
    : QWidget(parent),
      start_(new QPushButton(words.start, this)),
      stop_(new QPushButton(tr("Stop"), this)),
      progress_(new QProgressBar(this)),
      note_(new QLabel(this)),
      job_(words.job, Job::Stopping::reports) {
  setMinimumSize(320, 110);
  start_->setObjectName(QStringLiteral("start"));
  stop_->setObjectName(QStringLiteral("stop"));
  stop_->setToolTip(words.stop);
  progress_->setAccessibleName(words.progress);
  progress_->setMaximum(1000);
  progress_->setMaximumWidth(120);
  progress_->setTextVisible(false);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  new NoteElider(note_);
  connect(start_, &QPushButton::clicked, this, [this] { start(); });
  connect(stop_, &QPushButton::clicked, &job_, &Job::stop);
  connect(&job_, &Job::started, this, [this] { refresh(); });
  connect(&job_, &Job::ended, this, [this] { refresh(); });
  connect(&job_, &Job::progressed, this, [this](double fraction, const QString& doing) {
    progress_->setValue(qRound(fraction * progress_->maximum()));
    showDoing(doing);
  });
}

void WorkPanel::build(QWidget* content, std::initializer_list<QWidget*> controls,
                      std::initializer_list<QWidget*> behind) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  const auto addLine = [layout] {
    auto* line = new QHBoxLayout;
    line->setContentsMargins(4, 2, 4, 2);
    line->setSpacing(4);
    layout->addLayout(line);
    return line;
  };
  // What is to be done has a line of its own where there is a choice.
  QHBoxLayout* head = addLine();
  for (QWidget* control : controls) head->addWidget(control, 1);
  QHBoxLayout* work = controls.size() == 0 ? head : addLine();
  for (QWidget* button : {start_, stop_}) work->addWidget(button);
  work->addWidget(progress_);
  work->addWidget(note_, 1);
  for (QWidget* widget : behind) head->addWidget(widget);
  layout->addWidget(content, 1);
}

void WorkPanel::showWork(bool startable, const QString& why) {
  start_->setEnabled(startable);
  start_->setToolTip(why);
  stop_->setVisible(job_.isRunning());
  progress_->setVisible(job_.isRunning());
  Q_EMIT answered();
}

}  // namespace hw
