#include <QMenu>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <fstream>

#include "app/gui/studio.h"
#include "tests/support/tflite_writer.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"

using namespace hw;
using namespace hw::test;

namespace {

/// A file with the signatures "encode", one RELU, and "decode & more", two of them.
std::string writeModel(const QTemporaryDir& folder) {
  constexpr std::int32_t kRelu = 19;
  TfliteText::Subgraph one{.name = "one"};
  one.tensors = {{.name = "x", .shape = {4}}, {.name = "y", .shape = {4}}};
  one.inputs = {0};
  one.outputs = {1};
  one.operators = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
  TfliteText::Subgraph two = one;
  two.tensors.push_back({.name = "z", .shape = {4}});
  two.outputs = {2};
  two.operators.push_back({.code = kRelu, .inputs = {1}, .outputs = {2}});
  const TfliteText model{
      .subgraphs = {one, two},
      .signatures = {{.key = "encode", .subgraph = 0}, {.key = "decode & more", .subgraph = 1}}};
  const std::string path = folder.filePath(QStringLiteral("two.tflite")).toStdString();
  std::ofstream(path, std::ios::binary) << tfliteBytes(model);
  return path;
}

}  // namespace

TEST_CASE("the parts of a file are chosen from the menu", "[native][parts]") {
  const QTemporaryDir folder;
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  auto* menu = window.findChild<QMenu*>(QStringLiteral("parts"));
  REQUIRE(menu);
  CHECK_FALSE(menu->isEnabled());

  window.openModel(QString::fromStdString(writeModel(folder)));
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != nullptr; }, test::kPatience));
  REQUIRE(menu->isEnabled());
  REQUIRE(menu->actions().size() == 2);
  CHECK(menu->actions()[0]->isChecked());
  CHECK(menu->actions()[1]->text() == QStringLiteral("signature decode && more"));
  CHECK(window.state()->run()->graph().ops.size() == 1);

  const auto first = window.state()->run();
  menu->actions()[1]->trigger();
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != first; }, test::kPatience));
  CHECK(window.state()->run()->graph().ops.size() == 2);
  CHECK(window.request().import.subgraph == "decode & more");
  CHECK(menu->actions()[1]->isChecked());

  window.openModel(QStringLiteral("samples:chain"));
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run()->graph().ops.size() > 2; },
                          test::kPatience));
  CHECK_FALSE(menu->isEnabled());
}
