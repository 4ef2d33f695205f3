#pragma once

#include <QLocalServer>
#include <QLocalSocket>
#include <functional>

#include "app/gui/request/arguments.h"

namespace hw {

class Studio;

/// Does in an open window what a command line says: opens the model, plans with the options, goes
/// to the step, the range and the tensor, brings the panel and writes the picture or the report.
/// `done` is told how it ended, from the event loop where something has to be planned first.
void carryOut(const StudioArguments& arguments, Studio& window,
              std::function<void(const Result<void>&)> done);

/// Lets editors, notebooks and scripts point at things in a window: `highwater-studio --connect`
/// sends its words over a local socket that only the same user can open. One JSON object a line
/// each way, and one line a connection: {"folder": "/work", "words": ["--step", "12"]} is answered
/// by {"exit": 0} or {"exit": 2, "text": "why not"}.
class Connection : public QObject {
  Q_OBJECT

 public:
  /// The longest line that is read.
  static constexpr qint64 kLongestLine = 1 << 20;

  /// Listens until it goes, unless another window does already. `window` outlives this.
  explicit Connection(Studio* window);

  bool isListening() const { return server_.isListening(); }
  /// HIGHWATER_STUDIO_SOCKET, or a name in the user's runtime folder.
  static QString socketName();

 private:
  void accept();
  void read(QLocalSocket* socket);

  Studio* window_;
  QLocalServer server_;
};

/// Sends the words of a command line to the window that listens, and waits for its answer. Returns
/// the exit code: 3 when no window is open.
int sendToWindow(int argc, const char* const* argv);

}  // namespace hw
