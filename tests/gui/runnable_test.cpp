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

}  // namespace

TEST_CASE("a model is saved as one that runs in less memory", "[runnable]") {
  QTemporaryDir folder;
  const QString model = folder.filePath(QStringLiteral("resnet8.tflite"));
  QFile file(model);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(publishedFile("resnet8", 32)));
  file.close();
  Settings settings;
  Studio window(&settings);
  window.show();
  openAndWait(window, model);
  QPushButton* save = button(window, "shrinkSave");
  CHECK_FALSE(save->isHidden());
  const auto saves = [&](const QString& name) {
    const QString target = folder.filePath(name);
    NameGiver giver(target);
    save->click();
    return comes([&] { return window.messages()->text().contains(target); }) &&
           window.messages()->text().startsWith(QLatin1String("Saved to"));
  };

  REQUIRE(saves(QStringLiteral("small.tflite")));
  const auto small = loadModel(folder.filePath(QStringLiteral("small.tflite")).toStdString(), {});
  REQUIRE(small);
  CHECK(isPlan(*small));
  CHECK(window.messages()->text().contains(QLatin1String("Open it")));

  REQUIRE(saves(QStringLiteral("net.c")));
  CHECK(QFile::exists(folder.filePath(QStringLiteral("net.h"))));
}
