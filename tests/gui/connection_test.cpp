// highwater-studio --connect: what a second program says to a window that is open.

#include "app/gui/connection.h"

#include <QFile>
#include <QImage>
#include <QLocalSocket>
#include <QProcess>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

#include "tests/gui/native_support.h"

using namespace hw;

namespace {

struct Answer {
  int exitCode = 0;
  QString errors{};
};

/// A window that listens on a socket of its own, and a folder for those who speak to it.
struct Listening {
  Listening() {
    qputenv("HIGHWATER_STUDIO_SOCKET", folder.filePath(QStringLiteral("socket")).toLocal8Bit());
  }
  ~Listening() { qunsetenv("HIGHWATER_STUDIO_SOCKET"); }

  /// As another program says it; this one goes on meanwhile.
  Answer say(const QStringList& words) const {
    QProcess client;
    client.setWorkingDirectory(folder.path());
    client.start(QStringLiteral(HIGHWATER_STUDIO),
                 QStringList{QStringLiteral("--connect")} + words);
    REQUIRE(test::comes([&] { return client.state() == QProcess::NotRunning; }));
    return {client.exitCode(), QString::fromUtf8(client.readAllStandardError())};
  }

  QTemporaryDir folder{};
};

QString word(const char* text) { return QString::fromLatin1(text); }

}  // namespace

TEST_CASE("another program opens, goes to a place and exports in an open window", "[connect]") {
  const Listening there;
  test::Opened window({}, {1200, 800});
  const Connection connection(&window);
  REQUIRE(connection.isListening());
  CHECK(there.say({word("--step"), word("3")}).errors.contains(word("no model is open")));
  CHECK(there.say({word("samples:resnet8"), word("--step"), word("3")}).exitCode == 0);
  REQUIRE(window.state()->run());
  CHECK(window.state()->run()->model->name == "resnet8");
  CHECK(window.state()->step() == Step(3));
  const auto before = window.state()->run();
  CHECK(there.say({word("--step"), word("5"), word("--panel"), word("events")}).exitCode == 0);
  CHECK(window.state()->run() == before);  // Nothing was planned for that.
  CHECK(window.state()->step() == Step(5));
  CHECK(window.places()->isShown(word("events")));
  CHECK(there.say({word("--align"), word("256")}).exitCode == 0);
  CHECK(window.state()->run()->request.alignment == Bytes(256));
  CHECK(window.state()->run()->model->name == "resnet8");
  const Answer exported = there.say({word("--view"), word("map"), word("--size"), word("300x200"),
                                     word("--export"), word("map.png")});
  CHECK(exported.errors.toStdString().empty());
  CHECK(QImage(there.folder.filePath(word("map.png"))).size() == QSize(300, 200));
}

TEST_CASE("what cannot be done in the window is told to whoever asked", "[connect]") {
  const Listening there;
  const Answer nobody = there.say({word("--step"), word("3")});
  CHECK(nobody.exitCode == 3);
  CHECK(nobody.errors.contains(word("no studio is open")));
  test::Opened window(word("samples:resnet8"), {1200, 800});
  const Connection connection(&window);
  const auto run = window.state()->run();
  const std::tuple<QStringList, int, const char*> cases[] = {
      {{word("--step"), word("9999")}, 2, "--step"},
      {{word("--select"), word("nothing")}, 2, "nothing"},
      {{word("--panel"), word("sofa")}, 2, "sofa"},
      {{word("--colour"), word("red")}, 2, "--colour"},
      {{word("--export"), word("map.gif")}, 2, ".png"},
      {{word("no such file.onnx")}, 3, "no such file.onnx"},
      {{word("--below"), word("best")}, 2, "compared"}};
  for (const auto& [words, exitCode, part] : cases) {
    INFO(words.join(QLatin1Char(' ')).toStdString());
    const Answer answer = there.say(words);
    CHECK(answer.exitCode == exitCode);
    INFO(answer.errors.toStdString());
    CHECK(answer.errors.contains(word(part)));
    CHECK(window.state()->run() == run);
  }
}

TEST_CASE("a second window leaves the first its socket; a socket left behind is taken",
          "[connect]") {
  const Listening there;
  test::Opened window;
  {
    const Connection first(&window);
    const Connection second(&window);
    CHECK(first.isListening());
    CHECK_FALSE(second.isListening());
  }
  QFile left(there.folder.filePath(word("socket")));
  REQUIRE(left.open(QIODevice::WriteOnly));
  left.close();
  const Connection third(&window);
  CHECK(third.isListening());
}

TEST_CASE("noise on the socket does nothing", "[connect]") {
  const Listening there;
  test::Opened window(word("samples:resnet8"), {1200, 800});
  const Connection connection(&window);
  const auto run = window.state()->run();
  const QByteArray lines[] = {"\n",
                              "{}\n",
                              "[1,2]\n",
                              "{\"words\": 7}\n",
                              "{\"words\": [[], {}, null]}\n",
                              QByteArray(3 << 20, 'x')};
  for (const QByteArray& line : lines) {
    QLocalSocket socket;
    socket.connectToServer(Connection::socketName());
    REQUIRE(socket.waitForConnected(test::kPatience));
    socket.write(line);
    CHECK(test::comes([&] { return socket.canReadLine() || !socket.isValid(); }));
  }
  CHECK(window.state()->run() == run);
}
