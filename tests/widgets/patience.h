#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QSemaphore>
#include <QTest>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>

namespace hw::test {

/// The time that tests wait for what has to come, milliseconds: however busy the machine is.
inline constexpr int kPatience = 300'000;

/// True if `condition` comes true, however busy the machine is.
template <class Condition>
bool comes(Condition condition) {
  return QTest::qWaitFor(condition, kPatience);
}

/// Until all that was handed to threads of the pool has ended and been told, and no event is left.
inline void finishBackground() {
  QThreadPool& pool = *QThreadPool::globalInstance();
  do {
    pool.waitForDone();
    QCoreApplication::processEvents();
  } while (pool.activeThreadCount() > 0);
}

/// True if something of `owner` is still to come by its clock.
inline bool isWaiting(const QObject& owner) {
  const auto timers = owner.findChildren<QTimer*>();
  return std::ranges::any_of(timers, &QTimer::isActive);
}

/// While it holds, nothing that is handed to threads of the pool begins.
class HeldPool {
 public:
  HeldPool() : most_(pool().maxThreadCount()) {
    pool().waitForDone();
    pool().setMaxThreadCount(1);
    pool().start([this] { gate_.acquire(); });
  }
  ~HeldPool() { release(); }
  HeldPool(const HeldPool&) = delete;
  HeldPool& operator=(const HeldPool&) = delete;

  void release() {
    if (released_) return;
    released_ = true;
    gate_.release();
    pool().waitForDone();
    pool().setMaxThreadCount(most_);
  }

 private:
  static QThreadPool& pool() { return *QThreadPool::globalInstance(); }

  int most_;
  QSemaphore gate_;
  bool released_ = false;
};

}  // namespace hw::test
