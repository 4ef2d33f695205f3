#include "widgets/frame/welcome_page.h"

#include <QAbstractTextDocumentLayout>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <map>

#include "tests/widgets/support.h"

using namespace hw;

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
