#include <QApplication>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QLabel>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <map>

#include "core/import/importer.h"
#include "core/picture/plot.h"
#include "core/run/options.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"
#include "widgets/frame/deck.h"
#include "widgets/frame/figure_cards.h"
#include "widgets/frame/run_pills.h"
#include "widgets/frame/status_line.h"
#include "widgets/frame/welcome_page.h"
#include "widgets/jobs/job.h"
#include "widgets/text/run_text.h"

using namespace hw;

TEST_CASE("a plan that does not fit its memory is not called valid", "[frame]") {
  ViewState state;
  PlanJob job;
  StatusLine line(&state, &job);
  const auto fits = GENERATE(true, false);
  state.setRun(test::makeRun({{"a", 40, 0, 2}, {"b", 30, 1, 3}}, Bytes(fits ? 70 : 69)));
  line.setViolations(0);
  CAPTURE(line.text().toStdString());
  CHECK(line.text().contains(QStringLiteral("plan valid")) == fits);
  CHECK(line.text().contains(QStringLiteral("does NOT fit: L2 needs 70 B of 69 B")) == !fits);
}

TEST_CASE("live bytes, arenas and holes are told of the same memories", "[frame]") {
  const auto run = test::movedRun();
  const std::vector<PoolId> pools = usedPools(*run);
  REQUIRE(pools.size() > 1);
  ViewState state;
  PlanJob job;
  StatusLine line(&state, &job);
  state.setRun(run);
  state.setMoment(run->trace.size() / 2);
  const QStringList fields = line.text().split(QStringLiteral(" | "));
  for (const QString& what :
       {QStringLiteral("live"), QStringLiteral("arena"), QStringLiteral("largest hole")}) {
    const auto field = std::ranges::find_if(
        fields, [&](const QString& each) { return each.startsWith(what + QLatin1Char(' ')); });
    REQUIRE(field != fields.end());
    for (const PoolId pool : pools) CHECK(field->contains(poolText(*run, pool) + QLatin1Char(' ')));
  }
}

TEST_CASE("the card of a sample says for which memory its figure is", "[frame]") {
  const auto bounded = test::makeRun({{"a", 40, 0, 2}, {"b", 30, 1, 3}}, Bytes(100));
  CHECK(sampleCard(*bounded).figures == QStringLiteral("3 operators, 70 B in L2 of 100 B"));
  const auto free = test::makeRun({{"a", 40, 0, 2}, {"b", 30, 1, 3}});
  CHECK(sampleCard(*free).figures == QStringLiteral("3 operators, 70 B in unlimited L2"));
}

TEST_CASE("a card is one button that opens its sample, with the mouse or the keys", "[frame]") {
  // Names that stand for something else in patterns and in addresses.
  const QStringList names = {QStringLiteral("chain"), QStringLiteral("%2b%3"),
                             QStringLiteral("a b#c")};
  WelcomePage page;
  page.resize(GENERATE(400, 1100), 900);
  std::vector<WelcomePage::Sample> samples;
  for (const QString& name : names) samples.push_back({name, QStringLiteral("What it is")});
  page.setSamples(samples);
  page.setCard(names[0], sampleCard(*test::smallRun()));
  CHECK(page.hasCard(names[0]));
  CHECK_FALSE(page.hasCard(names[1]));
  CHECK_FALSE(page.hasCard(QStringLiteral("nothing")));
  page.show();
  REQUIRE(QTest::qWaitForWindowExposed(&page));
  const QSignalSpy chosen(&page, &WelcomePage::modelChosen);
  for (OpenCard* card : page.findChildren<OpenCard*>()) {
    INFO(card->text().toStdString());
    const auto before = chosen.size();
    // In the picture, in the words, and with a key.
    QTest::mouseClick(card, Qt::LeftButton, {}, {20, 20});
    QTest::mouseClick(card, Qt::LeftButton, {}, {card->width() - 5, card->height() - 5});
    QTest::keyClick(card, Qt::Key_Space);
    REQUIRE(chosen.size() == before + 3);
    for (qsizetype i = before; i < chosen.size(); ++i) {
      CHECK(chosen.at(i).front().toString() == QStringLiteral("samples:") + card->text());
    }
    CHECK(card->accessibleName().contains(QStringLiteral("What it is")));
  }
  CHECK(chosen.size() == 9);
}

TEST_CASE("cards fill the width, and none lies over another", "[frame]") {
  WelcomePage page;
  std::vector<WelcomePage::Sample> samples;
  for (int i = 0; i < 11; ++i) samples.push_back({QString::number(i), QStringLiteral("It")});
  page.setSamples(samples);
  page.setRecent({QStringLiteral("/somewhere/model.onnx"), QStringLiteral("samples:chain")});
  page.setLessons({{QStringLiteral("free-list"), QStringLiteral("Blocks")}});
  const int width = GENERATE(320, 700, 1500);
  page.resize(width, 700);
  page.show();
  REQUIRE(QTest::qWaitForWindowExposed(&page));
  const auto cards = page.findChildren<OpenCard*>();
  REQUIRE(cards.size() == 14);
  int right = 0;
  for (const OpenCard* card : cards) {
    const QRect place(card->mapTo(page.widget(), QPoint()), card->size());
    right = std::max(right, place.right());
    CHECK(page.widget()->rect().contains(place));
    for (const OpenCard* other : cards) {
      const QRect its(other->mapTo(page.widget(), QPoint()), other->size());
      CHECK((card == other || !place.intersects(its)));
    }
  }
  CHECK(right >= page.viewport()->width() - 80);
  const QSignalSpy lesson(&page, &WelcomePage::lessonChosen);
  cards.back()->click();
  CHECK(lesson.size() == 1);
}

TEST_CASE("the figures of a run stand with their limits, whether it fits or not", "[frame]") {
  ViewState state;
  FigureCards cards(&state);
  cards.resize(1200, 100);
  const auto figures = [&] {
    QStringList texts;
    for (const auto* card : cards.findChildren<FigureCard*>()) texts.append(card->accessibleName());
    return texts;
  };
  const bool fits = GENERATE(true, false);
  state.setRun(test::makeRun({{"a", 40, 0, 2}, {"b", 30, 1, 3}}, Bytes(fits ? 100 : 69)));
  CAPTURE(figures().join(QLatin1Char('\n')).toStdString());
  const auto all = cards.findChildren<FigureCard*>();
  REQUIRE(all.size() == 5);
  CHECK(all[0]->figure().value == QStringLiteral("70 B"));
  CHECK(all[0]->figure().warns == !fits);
  CHECK(all[0]->figure().meaning ==
        (fits ? QStringLiteral("of 100 B") : QStringLiteral("does not fit: 69 B is the limit")));
  CHECK(*all[0]->figure().share == Approx(fits ? 0.7 : 70.0 / 69));
  CHECK(all[1]->figure().value == QStringLiteral("0 B"));
}

TEST_CASE("a memory without bytes is no memory that is full", "[frame]") {
  ViewState state;
  FigureCards cards(&state);
  RunRequest request = defaultRequest();
  request.l2 = {.kind = PoolSize::Kind::bytes};
  state.setRun(test::sampleRun("resnet8", request));
  const Figure& peak = cards.findChildren<FigureCard*>()[0]->figure();
  CHECK(peak.meaning == QStringLiteral("its size is set to 0"));
  CHECK_FALSE(peak.warns);
}

TEST_CASE("the latency of a profile is what was measured, ours is its tool tip", "[frame]") {
  const auto model =
      importModel(R"([{"cat":"Node","dur":40600,"ts":0,"ph":"X","name":"a_kernel_time","args":)"
                  R"({"op_name":"Relu","output_size":"64","output_type_shape":[{"float":[16]}]}},)"
                  R"({"cat":"Session","dur":9,"ts":1,"ph":"X","name":"model_run","args":{}}])",
                  "profile.json", {});
  REQUIRE(model);
  ViewState state;
  FigureCards cards(&state);
  state.setRun(execute(std::make_shared<const Model>(*model), defaultRequest(), {}).value());
  const Figure& latency = cards.findChildren<FigureCard*>()[3]->figure();
  CHECK(latency.label == QStringLiteral("Latency, measured"));
  CHECK(latency.value == QStringLiteral("40.6 ms"));
  CHECK(latency.toolTip.endsWith(timeText(state.run()->timing.makespan)));
}

TEST_CASE("a problem shows what it pays, and no memory that nothing moves to", "[frame]") {
  const auto card = [](const char* problem) {
    const auto model = importModel(problem, "problem.csv", {});
    REQUIRE(model);
    ViewState state;
    FigureCards cards(&state);
    state.setRun(execute(std::make_shared<const Model>(*model), defaultRequest(), {}).value());
    return cards.findChildren<FigureCard*>()[2]->figure();
  };
  const Figure paid = card(
      "id,lower,upper,size,penalty,pools,allocator\n"
      "a,0,1,8,b:3 c:1,near:8,best:for=penalty\nb,1,2,8,,,\nc,2,3,8,,,\n");
  CHECK(paid.label == QStringLiteral("Reuse penalty"));
  CHECK(paid.value == QStringLiteral("4"));
  CHECK(paid.meaning == QStringLiteral("2 of 2 pairs pay"));
  const Figure two =
      card("id,lower,upper,size,allowed,pools\na,0,1,8,one,one:8 two\nb,0,2,8,two,\n");
  CHECK(two.label == QStringLiteral("Bytes reused"));
}

TEST_CASE("the alignment of a problem is that of its buffers", "[frame]") {
  const auto model =
      importModel("id,lower,upper,size,alignment\na,0,4,100,32\nb,2,6,100,16\n", "problem.csv", {});
  REQUIRE(model);
  ViewState state;
  PlanJob job;
  StatusLine line(&state, &job);
  state.setRun(execute(std::make_shared<const Model>(*model), defaultRequest(), {}).value());
  line.setViolations(0);
  CHECK(line.text().contains(QStringLiteral("16 to 32 B aligned")));
}

TEST_CASE("a figure leads to the peak", "[frame]") {
  ViewState state;
  FigureCards cards(&state);
  const auto run = test::movedRun();
  state.setRun(run);
  const auto all = cards.findChildren<FigureCard*>();
  CHECK(all[2]->figure().meaning.endsWith(QStringLiteral("found no room in L2")));
  CHECK(all[3]->figure().value == timeText(run->timing.makespan));
  const Step peak = run->metrics.pools[PoolId(0)].peakStep;
  REQUIRE(state.step() != peak);
  all[0]->click();
  CHECK(state.step() == peak);
}

TEST_CASE("figures that have no room are left out, the first never", "[frame]") {
  ViewState state;
  FigureCards cards(&state);
  state.setRun(test::smallRun());
  const auto shown = [&](int width) {
    cards.resize(width, 100);
    cards.show();
    return std::ranges::count_if(cards.findChildren<FigureCard*>(),
                                 [](const FigureCard* card) { return card->isVisible(); });
  };
  CHECK(shown(1400) == 5);
  CHECK(shown(500) == 3);
  CHECK(shown(60) == 1);
}

TEST_CASE("pills name what a run was planned with", "[frame]") {
  SettingChoice choice;
  RunPills pills(&choice);
  pills.resize(1400, 40);
  pills.show();
  const auto texts = [&] {
    QStringList all;
    for (const auto* button : pills.findChildren<QToolButton*>(Qt::FindDirectChildrenOnly)) {
      if (button->isVisible()) all.append(button->text());
    }
    return all.join(QLatin1Char('|'));
  };
  pills.setRun(test::sampleRun("resnet8"));
  CHECK(texts().contains(QStringLiteral("best")));
  CHECK_FALSE(texts().contains(QStringLiteral("alignment")));
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("free-list").value();
  request.alignment = Bytes(16);
  pills.setRun(test::sampleRun("resnet8", request));
  CHECK(texts().contains(QStringLiteral("free-list")));
  CHECK(texts().contains(QStringLiteral("16")));
  pills.resize(260, 40);
  CHECK(texts().contains(QStringLiteral("more")));
}

TEST_CASE("panels are tabs, or behind a menu until somebody wants them", "[frame]") {
  Deck deck;
  const QString names[] = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"),
                           QStringLiteral("d")};
  for (const QString& name : names) deck.add(name, name.toUpper(), new QLabel(name));
  QSignalSpy emptied(&deck, &Deck::emptyChanged);
  deck.offer({names[0], names[1]}, {names[2], names[3]}, names[1]);
  CHECK(emptied.count() == 1);
  CHECK(deck.current() == names[1]);
  auto* tabs = deck.findChild<QTabBar*>();
  CHECK(tabs->count() == 2);
  deck.bring(names[2]);
  CHECK(deck.current() == names[2]);
  CHECK(tabs->count() == 3);
  deck.bring(names[3]);  // In place of the one before.
  CHECK(tabs->count() == 3);
  CHECK(tabs->tabText(2) == QStringLiteral("D"));
  deck.setTitle(names[3], QStringLiteral("D (1)"));
  CHECK(tabs->tabText(2) == QStringLiteral("D (1)"));
  deck.close(names[3]);
  CHECK(tabs->count() == 2);
  CHECK(deck.current() == names[1]);
  deck.close(names[0]);  // Tabs of the place have no cross.
  CHECK(tabs->count() == 2);
  deck.offer({}, {names[2]}, {});
  deck.hide();
  CHECK(deck.isEmpty());
  CHECK(emptied.count() == 2);
  deck.bring(names[2]);
  CHECK(emptied.count() == 3);
  // Tabs that came while it was hidden have their height.
  deck.resize(400, 300);
  deck.show();
  CHECK(tabs->height() > tabs->fontMetrics().height());
}

TEST_CASE("the font of the studio has digits of one width and joins nothing", "[frame]") {
  Theme::apply(Theme::light());
  REQUIRE(QFontInfo(QApplication::font()).family() == QStringLiteral("Highwater Sans"));
  const QFontMetricsF metrics(QApplication::font());
  for (char digit = '0'; digit <= '9'; ++digit) {
    CHECK(metrics.horizontalAdvance(QLatin1Char(digit)) ==
          metrics.horizontalAdvance(QLatin1Char('0')));
  }
  // A cross in place of the letter would be as wide in both.
  const auto image = [&](const QString& text) {
    QImage picture(80, 30, QImage::Format_RGB32);
    picture.fill(Qt::white);
    QPainter painter(&picture);
    painter.setFont(QApplication::font());
    painter.drawText(5, 20, text);
    return picture;
  };
  CHECK(image(QStringLiteral("7x7")) != image(QStringLiteral("7\u00d77")));
  QFont bold = QApplication::font();
  bold.setBold(true);
  CHECK(QFontMetricsF(bold).horizontalAdvance(QStringLiteral("mmmm")) >
        metrics.horizontalAdvance(QStringLiteral("mmmm")));
}
