#include "app/gui/connection.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>
#include <QStandardPaths>
#include <cstdio>
#include <utility>

#include "app/gui/features/study/study_feature.h"
#include "app/gui/output/picture.h"
#include "app/gui/output/report_file.h"
#include "app/gui/studio.h"
#include "core/base/text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kPatienceMilliseconds = 2'000;

Result<void> writeOut(const StudioArguments& arguments, Studio& window) {
  const QString& file = arguments.exportFile;
  if (file.isEmpty()) return {};
  if (arguments.report) {
    HW_DO(checkReportFile(file));
    return writeReport(*window.state()->run(), nullptr, window.state()->axis(), file);
  }
  HW_DO(checkPictureFile(file));
  const PictureStyle& style = arguments.picture;
  const bool own = !arguments.sizeGiven || style.kind == PictureKind::window;
  const QSize size = own ? window.shownSize(style.kind) : arguments.size;
  return window.writePicture(style, size, file, [](double) { return true; });
}

/// Goes to the place, brings the panel and writes the file. Fails without a run on show.
Result<void> showPlace(const StudioArguments& arguments, Studio& window) {
  if (!window.state()->run()) return fail(ErrorCode::invalidArgument, "no model is open");
  HW_DO(goToPlace(arguments, *window.state()));
  if (!arguments.panel.isEmpty()) {
    if (window.places()->panel(arguments.panel) == nullptr) {
      return fail(ErrorCode::invalidArgument,
                  "there is no panel '" + arguments.panel.toStdString() + "'");
    }
    window.showPanel(arguments.panel);
  }
  return writeOut(arguments, window);
}

/// Opens results, and writes the picture that is asked for once they are on show.
Result<void> showResults(const StudioArguments& arguments, const QString& name, Studio& window) {
  if (arguments.report) {
    return fail(ErrorCode::invalidArgument, "a report is about a run, not about results");
  }
  window.study()->openResults(name);
  if (arguments.exportFile.isEmpty()) return {};
  StudyViewState& state = *window.study()->state();
  state.wait();
  if (!state.failure().isEmpty()) return fail(ErrorCode::malformed, state.failure().toStdString());
  return writeOut(arguments, window);
}

}  // namespace

void carryOut(const StudioArguments& arguments, Studio& window,
              std::function<void(const Result<void>&)> done) {
  const bool opens = !arguments.request.model.empty();
  const QString name = QString::fromStdString(arguments.request.model);
  if (isResultsFile(name)) {
    return done(showResults(arguments, name, window));
  }
  const RunRequest standard = window.request();
  const OptionTexts said = saidBy(arguments, defaultRequest());
  const bool plans = !said.empty() && window.state()->run();
  if (!opens && !plans) return done(showPlace(arguments, window));
  const auto goOn = [&window, arguments, done = std::move(done)](const JobEnd& end) {
    if (end.state == JobState::done) return done(showPlace(arguments, window));
    const bool stopped = end.state == JobState::stopped;
    const std::string what = stopped ? "stopped" : end.what.toStdString();
    done(fail(stopped ? ErrorCode::stopped : ErrorCode::malformed,
              printable(arguments.request.model) + ": " + what));
  };
  QObject::connect(window.job(), &Job::ended, &window, goOn, Qt::SingleShotConnection);
  if (!opens) {
    RunRequest request = standard;
    readOptions(said, request, "--");
    return window.planWith(request);
  }
  StudioArguments told = arguments;
  if (!arguments.allocatorGiven) told.request.allocator = standard.allocator;
  if (!arguments.platformGiven) told.request.platform = standard.platform;
  window.openAsTold(told.request, saidBy(told, standard));
}

Connection::Connection(Studio* window) : QObject(window), window_(window) {
  server_.setSocketOptions(QLocalServer::UserAccessOption);
  connect(&server_, &QLocalServer::newConnection, this, &Connection::accept);
  // To listen would take the name from a window that does; one that crashed has left it behind.
  QLocalSocket other;
  other.connectToServer(socketName());
  if (!other.waitForConnected(kPatienceMilliseconds)) server_.listen(socketName());
}

QString Connection::socketName() {
  QString named = qEnvironmentVariable("HIGHWATER_STUDIO_SOCKET");
  if (!named.isEmpty()) return named;
  const QDir folder(QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation));
  return folder.filePath(QStringLiteral("highwater-studio"));
}

void Connection::accept() {
  while (QLocalSocket* socket = server_.nextPendingConnection()) {
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
  }
}

namespace {

void answer(const QPointer<QLocalSocket>& socket, int exitCode, const std::string& text) {
  if (!socket) return;  // It has not waited.
  QJsonObject reply{{QStringLiteral("exit"), exitCode}};
  if (!text.empty()) reply.insert(QStringLiteral("text"), QString::fromStdString(text));
  socket->write(QJsonDocument(reply).toJson(QJsonDocument::Compact) + '\n');
  socket->disconnectFromServer();
}

/// Relative file names belong to the folder of the sender.
void makeAbsolute(StudioArguments& arguments, const QString& folder) {
  const QDir from(folder);
  std::string& model = arguments.request.model;
  const QString file = from.absoluteFilePath(QString::fromStdString(model));
  if (!model.empty() && QFileInfo::exists(file)) model = file.toStdString();
  if (!arguments.exportFile.isEmpty()) {
    arguments.exportFile = from.absoluteFilePath(arguments.exportFile);
  }
}

}  // namespace

void Connection::read(QLocalSocket* socket) {
  if (!socket->canReadLine()) {
    if (socket->bytesAvailable() > kLongestLine) answer(socket, 2, "the line is too long");
    return;
  }
  const QJsonObject said = QJsonDocument::fromJson(socket->readLine(kLongestLine)).object();
  std::vector<std::string> words{"highwater-studio", "--connect"};
  for (const auto& word : said.value(QStringLiteral("words")).toArray()) {
    words.push_back(word.toString().toStdString());
  }
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  ArgumentsOutcome outcome = parseArguments(static_cast<int>(pointers.size()), pointers.data());
  if (!outcome.arguments) return answer(socket, outcome.exitCode, outcome.text);
  if (outcome.arguments->request.model == "-") {
    return answer(socket, 2, "a window does not read the standard input\n");
  }
  makeAbsolute(*outcome.arguments, said.value(QStringLiteral("folder")).toString());
  window_->raise();
  window_->activateWindow();
  carryOut(*outcome.arguments, *window_,
           [socket = QPointer<QLocalSocket>(socket)](const Result<void>& done) {
             if (done) return answer(socket, 0, {});
             answer(socket, exitCodeOf(done.error()),
                    "highwater-studio: " + done.error().text() + "\n");
           });
}

int sendToWindow(int argc, const char* const* argv) {
  QJsonArray words;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--connect") words.append(QString::fromLocal8Bit(argv[i]));
  }
  const QJsonObject said{{QStringLiteral("folder"), QDir::currentPath()},
                         {QStringLiteral("words"), words}};
  QLocalSocket socket;
  socket.connectToServer(Connection::socketName());
  const auto complain = [](const char* text) {
    std::fputs(text, stderr);
    return 3;
  };
  if (!socket.waitForConnected(kPatienceMilliseconds)) {
    return complain(
        "highwater-studio: --connect: no studio is open; start highwater-studio first\n");
  }
  socket.write(QJsonDocument(said).toJson(QJsonDocument::Compact) + '\n');
  while (!socket.canReadLine() && socket.waitForReadyRead(-1)) {
  }
  const QJsonObject reply = QJsonDocument::fromJson(socket.readLine()).object();
  if (!reply.contains(QStringLiteral("exit"))) {
    return complain("highwater-studio: --connect: the studio has closed\n");
  }
  const std::string text = reply.value(QStringLiteral("text")).toString().toStdString();
  std::fputs(text.c_str(), stderr);
  return reply.value(QStringLiteral("exit")).toInt();
}

}  // namespace hw
