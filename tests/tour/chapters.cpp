#include "tests/tour/tour.h"

namespace hw::tour {

namespace {

void welcome(Tour& tour) { tour.shot(QStringLiteral("welcome")); }

void look(Tour& tour) {
  tour.open(QStringLiteral("samples:resnet50"));
  tour.shot(QStringLiteral("resnet50"));
  tour.press(Qt::Key_P);
  tour.raise("moment");
  tour.shot(QStringLiteral("peak"));
  tour.clickTensor(QStringLiteral("layer2.1.conv3"));
  tour.shot(QStringLiteral("selected"));
  tour.press(Qt::Key_F);
  tour.shot(QStringLiteral("focused"));
  tour.press(Qt::Key_Escape);
  tour.press(Qt::Key_0);
}

void compare(Tour& tour) {
  tour.open(QStringLiteral("samples:inception_v3"));
  tour.raise("compare");
  tour.command("compare");
  tour.until(QStringLiteral("comparing"),
             [&] { return !tour.window()->comparison()->job()->isRunning(); });
  tour.shot(QStringLiteral("compared"));
}

void keys(Tour& tour) {
  tour.shotOfDialog(QStringLiteral("shortcuts"), [&] { tour.press(Qt::Key_Question); });
}

void realModels(Tour& tour) {
  for (const QString& model : tour.models()) {
    tour.open(model);
    tour.shot(QFileInfo(model).completeBaseName());
  }
}

}  // namespace

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> kChapters = {
      {"welcome", welcome},
      {"a first look", look},
      {"allocators side by side", compare},
      {"every key", keys},
      {"models of your own", realModels},
  };
  return kChapters;
}

}  // namespace hw::tour
