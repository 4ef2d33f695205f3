#include "app/gui/features/scenario/file_watch.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/window/main_window.h"
#include "widgets/base/icons.h"

namespace hw {

namespace {

constexpr int kSettleMilliseconds = 300;
constexpr QLatin1String kMode("files/watch");

QPushButton* addButton(QBoxLayout* layout, const char* name, const QString& text,
                       const QString& toolTip) {
  auto* button = new QPushButton(text);
  button->setObjectName(QString::fromLatin1(name));
  button->setToolTip(toolTip);
  layout->addWidget(button);
  return button;
}

}  // namespace

FileWatch::FileWatch(MainWindow* window)
    : QFrame(window), window_(window), text_(new QLabel(this)) {
  setObjectName(QStringLiteral("fileWatch"));
  setAccessibleName(tr("The model has changed on disk"));
  setFrameShape(QFrame::StyledPanel);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 4, 6, 4);
  row->addWidget(text_, 1);
  QPushButton* once = addButton(row, "reloadModel", tr("Reload"), tr("Opens the file again"));
  QPushButton* always = addButton(row, "alwaysReload", tr("Always reload"),
                                  tr("Opens it again whenever it changes, from now on; the "
                                     "settings can change that"));
  auto* close = new QToolButton(this);
  close->setIcon(glyphIcon(Glyph::cancel));
  close->setAutoRaise(true);
  close->setToolTip(tr("Keep the model as it was opened"));
  close->setAccessibleName(close->toolTip());
  row->addWidget(close);
  hide();
  auto* centre = qobject_cast<QVBoxLayout*>(window->centralWidget()->layout());
  centre->insertWidget(0, this);
  delay_.setSingleShot(true);
  delay_.setInterval(kSettleMilliseconds);
  connect(&delay_, &QTimer::timeout, this, &FileWatch::decide);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &FileWatch::fileChanged);
  connect(window->state(), &ViewState::runChanged, this, &FileWatch::follow);
  connect(once, &QPushButton::clicked, this, &FileWatch::reload);
  connect(always, &QPushButton::clicked, this, [this] {
    setMode(Mode::always);
    reload();
  });
  connect(close, &QToolButton::clicked, this, [this] {
    stamp_ = stamp();
    hide();
  });
}

FileWatch::Mode FileWatch::mode() const {
  const QString name = window_->settings()->value(kMode, QStringLiteral("ask")).toString();
  if (name == QLatin1String("always")) return Mode::always;
  return name == QLatin1String("off") ? Mode::off : Mode::ask;
}

void FileWatch::setMode(Mode mode) {
  const char* const names[] = {"ask", "always", "off"};
  window_->settings()->setValue(kMode, QString::fromLatin1(names[static_cast<int>(mode)]));
  if (mode == Mode::off) hide();
}

QString FileWatch::stamp() const {
  const QFileInfo file(path_);
  return QStringLiteral("%1 %2").arg(file.lastModified().toMSecsSinceEpoch()).arg(file.size());
}

void FileWatch::follow() {
  const QString model = QString::fromStdString(window_->request().model);
  const bool file = !model.startsWith(QLatin1String("samples:")) && model != QLatin1String("-");
  const QString path = file ? QFileInfo(model).absoluteFilePath() : QString();
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  const auto run = window_->state()->run();
  // Planning again does not read the file again: only opening it does.
  const bool read = run && run->model != model_;
  model_ = run ? run->model : nullptr;
  path_ = path;
  if (path_.isEmpty() || !run) return;
  watcher_.addPath(path_);
  if (!read) return;
  hide();
  stamp_ = stamp();
}

void FileWatch::fileChanged() {
  if (mode() != Mode::off) delay_.start();
}

void FileWatch::decide() {
  if (path_.isEmpty()) return;
  if (!QFileInfo::exists(path_)) {
    text_->setText(tr("%1 is gone from the disk; what is on show stays.").arg(path_));
    show();
    return;
  }
  watcher_.addPath(path_);  // A file that was replaced is not watched any more.
  if (stamp() == stamp_) return;
  if (mode() == Mode::always) {
    reload();
    return;
  }
  text_->setText(tr("%1 has changed on disk.").arg(path_));
  show();
}

void FileWatch::reload() {
  hide();
  window_->open(window_->request());
}

}  // namespace hw
