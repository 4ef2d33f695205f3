#define CATCH_CONFIG_RUNNER
#include <QApplication>
#include <catch2/catch.hpp>

#include "widgets/base/theme.h"

// Widgets need an application; the offscreen platform needs no display.
int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  hw::Theme::apply(hw::Theme::light());
  return Catch::Session().run(argc, argv);
}
