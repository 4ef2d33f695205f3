// Every option of a run through the doors of the studio: arguments, form, history, session.
#include <QFile>

#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/request/arguments.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/support/option_samples.h"

using namespace hw;
using test::openAndWait;
using test::optionSamples;
using test::settle;
using test::storeIn;

namespace {

RunRequest sampled() {
  auto request = readRequest(optionSamples(), defaultRequest(), "");
  if (!request) FAIL(request.error().text());
  return *request;
}

QString differences(const RunRequest& a, const RunRequest& b) { return changeText(a, b); }

}  // namespace

TEST_CASE("the studio's command line takes every option", "[shell]") {
  for (const RunOption& option : runOptions()) {
    CAPTURE(option.name);
    std::vector<std::string> words = {"highwater-studio"};
    for (const std::string& text : optionSamples().at(std::string(option.name))) {
      if (option.group != OptionGroup::model) words.push_back("--" + std::string(option.name));
      words.push_back(text);
    }
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    const auto outcome = parseArguments(static_cast<int>(pointers.size()), pointers.data());
    REQUIRE(outcome.arguments);
    CHECK(option.print(outcome.arguments->request) == optionSamples().at(std::string(option.name)));
  }
}

TEST_CASE("the form gives back every option, shown or not", "[shell]") {
  RunForm form;
  form.setRequest(sampled());
  const auto read = form.request();
  REQUIRE(read);
  CHECK(differences(*read, sampled()).isEmpty());
}

TEST_CASE("a platform file that is called like a preset is not taken for it", "[shell]") {
  RunForm form;
  RunRequest request = defaultRequest();
  request.platform.file = "mine.toml";
  request.platform.devices.front().pools.front().capacity = Bytes(4096);
  form.setRequest(request);
  REQUIRE(form.request());
  CHECK(platformText(form.request()->platform) == "mine.toml");
  CHECK(form.request()->platform.devices.front().pools.front().capacity == Bytes(4096));
  // The file says something else by now.
  request.platform.devices.front().pools.front().capacity = Bytes(8192);
  form.setRequest(request);
  CHECK(form.request()->platform.devices.front().pools.front().capacity == Bytes(8192));
}

TEST_CASE("a change of any option is an edit that says what changed", "[shell]") {
  for (const RunOption& option : runOptions()) {
    if (option.group == OptionGroup::effort) continue;
    CAPTURE(option.name);
    RunRequest after = defaultRequest();
    REQUIRE(option.read(optionSamples().at(std::string(option.name)), after));
    const QString text = changeText(defaultRequest(), after);
    CHECK(text.startsWith(QString::fromUtf8(option.label.data(), qsizetype(option.label.size()))));
  }
  CHECK(changeText(sampled(), sampled()).isEmpty());
}

TEST_CASE("the session brings back every option, a platform from a file too", "[shell]") {
  QTemporaryDir folder;
  const QString toml = folder.filePath(QStringLiteral("mine.toml"));
  QFile file(toml);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(
      "name = \"mine\"\n[[device]]\nname = \"npu\"\nops = [\"*\"]\n[[device.pool]]\nname = \"L2\"\n"
      "capacity = \"64KiB\"\n[[device.pool]]\nname = \"L3\"\n[[device.unit]]\nname = \"core\"\nops "
      "= [\"*\"]\n"
      "clock = \"1GHz\"\n");
  file.close();
  RunRequest wanted = sampled();
  wanted.import = {};  // The sample has no such parts.
  wanted.platform = openPlatform(toml.toStdString()).value();
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.show();
    openAndWait(window, QStringLiteral("samples:inception"));
    window.planWith(wanted);
    settle(window);
    window.close();
  }
  const auto restored = [&](Studio& window) {
    window.show();
    window.findChild<Session*>()->restore();
    settle(window);
    REQUIRE(window.state()->run());
    return differences(wanted, window.state()->run()->request);
  };
  SECTION("all of it") {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    CHECK(restored(window).isEmpty());
  }
  SECTION("without the file, which is said") {
    QFile::remove(toml);
    Settings settings(storeIn(folder));
    Studio window(&settings);
    CHECK(restored(window).startsWith(QStringLiteral("platform")));
    CHECK(window.messages()->text().contains(toml));
  }
}
