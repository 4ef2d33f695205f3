#include "tests/tour/tour.h"

#include <QApplication>
#include <QTimer>
#include <algorithm>
#include <cstdio>

#include "core/base/text.h"

namespace hw::tour {

namespace {

/// Milliseconds until a wait counts as a problem; a front takes half of it.
constexpr int kPatience = 60'000;

}  // namespace

void Tour::open(const QString& model) {
  window_->openModel(model);
  until(QStringLiteral("opening ") + model, [this] { return !window_->job()->isRunning(); });
  if (window_->messages()->isVisible()) problem(window_->messages()->text());
  settle(150);
}

void Tour::settle(int milliseconds) {
  QTest::qWait(milliseconds);
  until(QStringLiteral("drawing"), [this] {
    return std::none_of(window_->maps().begin(), window_->maps().end(),
                        [](const MapView* map) { return map->isRefining(); });
  });
}

void Tour::until(const QString& what, const std::function<bool()>& done) {
  if (!QTest::qWaitFor(done, kPatience)) problem(what + QStringLiteral(" takes too long"));
}

void Tour::command(const char* name) {
  auto* action = window_->findChild<QAction*>(QString::fromLatin1(name));
  if (!action || !action->isEnabled()) {
    problem(QStringLiteral("the command %1 is %2")
                .arg(QString::fromLatin1(name),
                     action ? QStringLiteral("disabled") : QStringLiteral("missing")));
    return;
  }
  action->trigger();
  settle();
}

void Tour::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  QWidget* target = QApplication::focusWidget() ? QApplication::focusWidget() : window_;
  QTest::keyClick(target, key, modifiers);
  settle();
}

void Tour::type(const QString& text) {
  QWidget* target = QApplication::focusWidget();
  if (!target) return problem(QStringLiteral("nothing takes the text ") + text);
  QTest::keyClicks(target, text);
  settle(150);
}

void Tour::raise(const char* name) {
  const QString panel = QString::fromLatin1(name);
  if (!window_->places()->panel(panel)) return problem(QStringLiteral("no panel ") + panel);
  window_->showPanel(panel);
  settle();
}

void Tour::clickTensor(const QString& name) {
  const auto run = window_->state()->run();
  MapView* map = window_->maps().front();
  const QRect plot = map->plotArea();
  // A look at every few pixels finds any block that can be clicked.
  for (int y = plot.top(); y < plot.bottom(); y += 3) {
    for (int x = plot.left(); x < plot.right(); x += 3) {
      const StayId stay = map->stayAt({x, y});
      if (!stay || QString::fromStdString(run->stayName(stay)) != name) continue;
      QTest::mouseClick(map, Qt::LeftButton, {}, {x, y});
      return settle();
    }
  }
  problem(QStringLiteral("no block of %1 on the map").arg(name));
}

void Tour::shot(const QString& name) {
  settle(120);
  save(window_, name);
}

void Tour::shotOfDialog(const QString& name, const std::function<void()>& act) {
  bool seen = false;
  QTimer::singleShot(400, window_, [&] {
    QWidget* dialog = QApplication::activeModalWidget();
    if (!dialog) dialog = QApplication::activePopupWidget();
    // One that does not block is the window on top.
    if (!dialog && QApplication::activeWindow() != window_) dialog = QApplication::activeWindow();
    if (!dialog) return;
    seen = true;
    save(dialog, name);
    QTest::keyClick(dialog, Qt::Key_Escape);
  });
  act();
  until(name, [&] { return seen; });
  // The work of a window manager; the offscreen platform has none.
  window_->activateWindow();
  settle();
}

void Tour::problem(const QString& text) {
  ++problems_;
  std::fprintf(stderr, "tour: %s\n", printable(text.toStdString(), 200).c_str());
}

void Tour::save(QWidget* what, const QString& name) {
  const QString file = QStringLiteral("%1_%2.png").arg(++shots_, 2, 10, QLatin1Char('0')).arg(name);
  if (!what->grab().save(folder_.filePath(file))) problem(QStringLiteral("cannot write ") + file);
  std::printf("%s\n", qPrintable(folder_.filePath(file)));
}

}  // namespace hw::tour
