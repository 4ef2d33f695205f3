#include <QAbstractTextDocumentLayout>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <map>

#include "core/picture/plot.h"
#include "tests/widgets/support.h"
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

TEST_CASE("a click anywhere on a card opens its sample, on its picture too", "[frame]") {
  // Names that stand for something else in patterns and in addresses.
  const QStringList names = {QStringLiteral("chain"), QStringLiteral("%2b%3"),
                             QStringLiteral("a b#c")};
  WelcomePage page;
  page.resize(GENERATE(400, 1100), 900);
  std::vector<WelcomePage::Sample> samples;
  for (const QString& name : names) samples.push_back({name, QStringLiteral("What it is")});
  page.setSamples(samples);
  for (const QString& name : names) page.setCard(name, sampleCard(*test::smallRun()));
  page.show();
  REQUIRE(QTest::qWaitForWindowExposed(&page));
  std::map<QString, int> clicks;
  int pictures = 0;
  QSignalSpy chosen(&page, &WelcomePage::modelChosen);
  for (int y = 4; y < page.viewport()->height(); y += 9) {
    for (int x = 4; x < page.viewport()->width(); x += 23) {
      chosen.clear();
      QTest::mouseClick(page.viewport(), Qt::LeftButton, {}, {x, y});
      REQUIRE(chosen.size() <= 1);
      const QString picture = page.document()->documentLayout()->imageAt(QPointF(x, y));
      const QString opened = chosen.isEmpty() ? QString() : chosen.front().front().toString();
      if (!picture.isEmpty()) {
        ++pictures;
        CHECK(opened == QStringLiteral("samples:") + picture.mid(int(qstrlen("card:"))));
      }
      if (!opened.isEmpty()) ++clicks[opened];
    }
  }
  CHECK(pictures > 0);
  CHECK(clicks.size() == 3);
  for (const QString& name : names) {
    CAPTURE(name.toStdString());
    CHECK(clicks[QStringLiteral("samples:") + name] > 20);
  }
}
