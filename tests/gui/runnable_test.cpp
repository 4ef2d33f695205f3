// A model on show is saved as one that a runtime runs in less memory.
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QTimer>
#include <catch2/catch.hpp>

#include "core/files/file.h"
#include "core/run/options.h"
#include "tests/gui/native_support.h"
#include "tests/support/tflite_networks.h"
#include "tests/widgets/patience.h"
#include "widgets/explain/shrink_panel.h"

using namespace hw;
using namespace hw::test;

namespace {

/// Answers the dialog that asks for a name, once it is there, and that the file may be replaced.
class NameGiver {
 public:
  explicit NameGiver(const QString& name) {
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this, name] {
      QWidget* asks = QApplication::activeModalWidget();
      if (auto* question = qobject_cast<QMessageBox*>(asks)) {
        question->button(QMessageBox::Yes)->click();
      } else if (auto* dialog = qobject_cast<QFileDialog*>(asks); dialog && !given_) {
        given_ = true;
        dialog->selectFile(name);
        QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
      }
    });
    timer_.start(10);
  }

 private:
  bool given_ = false;
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

  // The model itself is never written over.
  NameGiver giver(model);
  save->click();
  REQUIRE(comes([&] { return window.messages()->text().contains(QLatin1String("is the model")); }));
  CHECK(readFile(model.toStdString(), 1 << 30).value() == publishedFile("resnet8", 32));
}
