#include "widgets/jobs/work_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <utility>

namespace hw {

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
  note_->setWordWrap(true);
  note_->setContentsMargins(8, 2, 8, 6);
  connect(start_, &QPushButton::clicked, this, [this] { start(); });
  connect(stop_, &QPushButton::clicked, &job_, &Job::stop);
  connect(&job_, &Job::started, this, [this] { refresh(); });
  connect(&job_, &Job::ended, this, [this] { refresh(); });
  connect(&job_, &Job::progressed, this, [this](double fraction, const QString& doing) {
    progress_->setValue(qRound(fraction * progress_->maximum()));
    showDoing(doing);
  });
}

void WorkPanel::build(std::initializer_list<QWidget*> parts,
                      std::initializer_list<QWidget*> controls,
                      std::initializer_list<QWidget*> behind) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  const auto addLine = [layout] {
    auto* line = new QHBoxLayout;
    line->setContentsMargins(8, 4, 8, 4);
    line->setSpacing(4);
    layout->addLayout(line);
    return line;
  };
  if (controls.size() > 0) {
    QHBoxLayout* choice = addLine();
    for (QWidget* control : controls) choice->addWidget(control, 1);
  }
  QHBoxLayout* work = addLine();
  for (QWidget* button : {start_, stop_}) work->addWidget(button);
  work->addWidget(progress_);
  work->addStretch(1);
  for (QWidget* widget : behind) work->addWidget(widget);
  layout->addWidget(note_);
  int stretch = 1;
  for (QWidget* part : parts) layout->addWidget(part, std::exchange(stretch, 0));
}

void WorkPanel::showWork(bool startable, const QString& why) {
  start_->setEnabled(startable);
  start_->setToolTip(why);
  stop_->setVisible(job_.isRunning());
  progress_->setVisible(job_.isRunning());
  Q_EMIT answered();
}

}  // namespace hw
