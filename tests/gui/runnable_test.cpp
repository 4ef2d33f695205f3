// A model on show is saved as one that a runtime runs in less memory.
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTimer>
#include <catch2/catch.hpp>

#include "core/run/options.h"
#include "tests/gui/native_support.h"
#include "tests/support/tflite_networks.h"
#include "tests/widgets/patience.h"
#include "widgets/explain/shrink_panel.h"

using namespace hw;
using namespace hw::test;

namespace {

/// Answers the dialog that asks for a name, as long as it is there.
class NameGiver {
 public:
  explicit NameGiver(const QString& name) {
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [name] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      auto* line = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
      line->setText(name);
      QMetaObject::invokeMethod(dialog, "accept");
    });
    timer_.start(10);
  }

 private:
  QTimer timer_;
};

/// Saves the model on show, and is told so.
bool savesRunnable(Studio& window, const QString& target) {
  QPushButton* save = button(window, "shrinkSave");
  CHECK_FALSE(save->isHidden());
  NameGiver giver(target);
  save->click();
  return comes([&] { return window.messages()->text().contains(target); }) &&
         window.messages()->text().startsWith(QLatin1String("Saved to"));
}

}  // namespace

TEST_CASE("a model is saved as one that runs in less memory", "[runnable]") {
  QTemporaryDir folder;
  const QString model = inFolder(folder, "resnet8.tflite", publishedFile("resnet8", 32));
  Settings settings;
  Studio window(&settings);
  window.show();
  openAndWait(window, model);
  const auto saves = [&](const QString& name) {
    return savesRunnable(window, folder.filePath(name));
  };

  REQUIRE(saves(QStringLiteral("small.tflite")));
  const auto small = loadModel(folder.filePath(QStringLiteral("small.tflite")).toStdString(), {});
  REQUIRE(small);
  CHECK(isPlan(*small));
  const QString said = window.messages()->text();
  CHECK(said.contains(QLatin1String("tools that drop metadata break it")));
  CHECK(said.contains(QLatin1String("Open it")));
  REQUIRE(said.contains(QLatin1String("Show it below")));
  for (QPushButton* each : window.messages()->findChildren<QPushButton*>()) {
    if (each->isVisible() && each->text() == QLatin1String("Show it below")) {
      each->click();
      break;
    }
  }
  REQUIRE(comes([&] { return !window.compareMaps()->runs().empty(); }));
  CHECK(window.compareMaps()->runs().front()->graph().wholes != nullptr);

  REQUIRE(saves(QStringLiteral("net.c")));
  CHECK(QFile::exists(folder.filePath(QStringLiteral("net.h"))));
}

TEST_CASE("an ONNX model is saved as one that ONNX Runtime runs in less memory", "[runnable]") {
  QTemporaryDir folder;
  const QString model = folder.filePath(QStringLiteral("squeezenet.onnx"));
  const QString sample = QStringLiteral(HIGHWATER_SOURCE_DIR "/sample_graphs/squeezenet.onnx");
  REQUIRE(QFile::copy(sample, model));
  Settings settings;
  Studio window(&settings);
  window.show();
  openAndWait(window, model);
  const QString target = folder.filePath(QStringLiteral("small.onnx"));
  REQUIRE(savesRunnable(window, target));
  const auto small = loadModel(target.toStdString(), {});
  REQUIRE(small);
  CHECK(small->graph->ops.size() > window.state()->run()->model->graph->ops.size());
}
