// The engines in time: every activity once, nothing over another, sums as counted one by one.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/gantt_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::test;

namespace {

std::shared_ptr<const Run> ganttRun(const char* platform) {
  RunRequest request = workedRequest("greedy-by-size");
  request.platform = openPlatform(platform).value();
  request.residency = ResidencyRule::belady;
  request.l2 = {};
  return mustRun(std::make_shared<const Model>(openModel("samples:squeezenet", {}).value()),
                 request);
}

/// Rows of bars and stalls of all lengths, some of none, one after the other.
GanttStore randomGantt(std::uint64_t seed, std::size_t bars) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<GanttBar>> rows(2);
  std::size_t id = 0;
  for (auto& row : rows) {
    SimTime now;
    for (std::size_t i = 0; i < bars; ++i) {
      const auto length = [&](std::uint64_t most) {
        return SimTime(static_cast<std::int64_t>(random() % most));
      };
      GanttBar bar{.activity = ActivityId(id++)};
      bar.idle = now + length(30);
      bar.begin = bar.idle + length(3) * static_cast<std::int64_t>(random() % 20);
      bar.end = bar.begin + length(90);
      bar.kind = static_cast<ActivityKind>(random() % kActivityKindNames.size());
      bar.rule = static_cast<WaitRule>(random() % kWaitRuleNames.size());
      bar.critical = random() % 3 == 0;
      now = bar.end;
      row.push_back(bar);
    }
  }
  return {{{"a"}, {"b"}}, std::move(rows)};
}

/// Keeps lines and words.
class ArrowCanvas final : public Canvas {
 public:
  const Ruler& ruler() const override { return letters_.ruler(); }
  void setLetters(double units) override { letters_.setLetters(units); }
  void rectangle(const Box&, const Look&, const Hint&) override {}
  void text(Point, std::string_view word, const Lettering&) override { words.emplace_back(word); }
  void line(Point from, Point to, const Stroke&) override { lines.emplace_back(from, to); }
  void path(std::span<const Point>, const Look&) override {}
  void stairs(std::span<const Point>, double, Fill) override {}
  void hatch(const Box&, Fill) override {}

  std::vector<std::pair<Point, Point>> lines;
  std::vector<std::string> words;

 private:
  SvgCanvas letters_{1600, 200, "letters", 12, &Palette::light()};
};

}  // namespace

TEST_CASE("every activity is on one row, and no two of a row overlap", "[picture]") {
  const auto platform = GENERATE("ethos-u65-512", "gap9", "generic-npu", "tpu-v4");
  CAPTURE(platform);
  const auto run = ganttRun(platform);
  const GanttStore store = GanttStore::of(*run);
  std::vector<int> seen(run->timing.times.size(), 0);
  std::size_t critical = 0;
  for (std::size_t row = 0; row < store.rows().size(); ++row) {
    SimTime free;
    for (const GanttBar& bar : store.bars(row)) {
      ++seen[bar.activity.index()];
      CHECK(bar.idle >= free);
      CHECK(bar.idle <= bar.begin);
      CHECK(bar.begin == run->timing.times[bar.activity].start);
      CHECK(bar.end == run->timing.times[bar.activity].end);
      critical += bar.critical ? 1 : 0;
      free = bar.end;
      const auto place = test::must(store.find(bar.activity, bar.begin));
      CHECK(place.row == row);
      CHECK(&store.bars(row)[place.bar] == &bar);
    }
  }
  CHECK(std::ranges::count(seen, 1) == std::ssize(seen));
  CHECK(critical == run->timing.account.criticalPath.size());
}

TEST_CASE("sums over any stretch are what its bars and stalls take of it", "[picture]") {
  const auto seed = GENERATE(take(6, random(1, 1 << 30)));
  CAPTURE(seed);
  const GanttStore store = randomGantt(static_cast<std::uint64_t>(seed), 700);
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const std::int64_t length = store.bars(0).back().end.count();
  for (int round = 0; round < 60; ++round) {
    const auto row = static_cast<std::size_t>(random() % 2);
    const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
    const auto to = from + 1 + static_cast<std::int64_t>(random() % (round % 2 ? 200U : 30'000U));
    GanttStore::Sums counted{};
    for (const GanttBar& bar : store.bars(row)) {
      const auto part = [&](SimTime begin, SimTime end) {
        return std::max<std::int64_t>(0, std::min(to, end.count()) - std::max(from, begin.count()));
      };
      counted[GanttLook::of(bar.kind, bar.critical)] += part(bar.begin, bar.end);
      counted[GanttLook::of(bar.rule)] += part(bar.idle, bar.begin);
    }
    CAPTURE(row, from, to);
    CHECK(store.sums(row, static_cast<double>(from), static_cast<double>(to)) == counted);
  }
}

TEST_CASE("the Gantt chart names its rows and colours, and points at what is under a point",
          "[picture]") {
  const auto run = ganttRun("ethos-u65-512");
  GanttScene scene = GanttScene::whole(run);
  const auto& path = run->timing.account.criticalPath;
  for (const ActivityId id : path) {
    if (run->timing.times[id].cause) scene.selected = id;
  }
  SvgCanvas canvas(1200, 200, "engines", 12, &Palette::light());
  const Box where{0, 0, 1200, 200};
  drawGantt(canvas, scene, where);
  const GanttDrawing drawing(canvas, scene, where);
  // The longest bar of each row is found where it is drawn.
  for (std::size_t row = 0; row < scene.store->rows().size(); ++row) {
    const auto bars = scene.store->bars(row);
    const auto longest =
        std::ranges::max_element(bars, {}, [](const GanttBar& bar) { return bar.end - bar.begin; });
    const double middle = (onAxis(longest->begin) + onAxis(longest->end)) / 2;
    const Box box = drawing.rowBox(row);
    const GanttBar* found = drawing.barAt({drawing.axis().toX(middle), box.top + box.height / 2});
    REQUIRE(found);
    CHECK(found->activity == longest->activity);
  }
  CHECK(drawing.barAt({5, 5}) == nullptr);
  const std::string svg = canvas.finish();
  for (const GanttRow& row : scene.store->rows()) {
    CAPTURE(row.name);
    CHECK(svg.find(row.name) != std::string::npos);
  }
  CHECK(svg.find(">compute by operator type<") != std::string::npos);
  CHECK(svg.find(">load<") != std::string::npos);
  CHECK(svg.find("id=\"activity-") != std::string::npos);
}

TEST_CASE("operators have the colours of the maps in the Gantt chart, if these are known",
          "[picture]") {
  const auto run = ganttRun("generic-npu");
  GanttScene scene = GanttScene::whole(run);
  const Palette& inks = Palette::light();
  const auto draw = [&] {
    SvgCanvas canvas(1200, 200, "engines", 12, &inks);
    drawGantt(canvas, scene, {0, 0, 1200, 200});
    return canvas.finish();
  };
  const auto has = [&](const std::string& svg, BlockClass kind) {
    const Rgb fill = inks[blockInk(kind, BlockTime::live, BlockPart::fill)];
    return svg.find(fmt::format("#{:06x}", fill)) != std::string::npos;
  };
  const std::vector<BlockClass> types = Coloring::byType()->classesOf(*run);
  REQUIRE(std::ranges::count(types, BlockClass::pooling) == 1);
  CHECK(has(draw(), BlockClass::pooling));
  scene.coloring = nullptr;
  CHECK_FALSE(has(draw(), BlockClass::pooling));
}

TEST_CASE("what an operator leaves idle of an array is hatched", "[picture]") {
  const auto run = ganttRun("ethos-u65-512");
  const GanttScene scene = GanttScene::whole(run);
  std::size_t hatched = 0;
  for (std::size_t row = 0; row < scene.store->rows().size(); ++row) {
    for (const GanttBar& bar : scene.store->bars(row)) {
      const Activity& activity = run->timing.activities.activities[bar.activity];
      if (bar.kind != ActivityKind::compute) {
        CHECK(bar.used == 1);
        continue;
      }
      const OpTiming& timing = run->timing.ops[static_cast<std::size_t>(activity.step.count())];
      // 512 multipliers at 1 GHz.
      const double most = static_cast<double>(timing.compute.count()) * 1e-3 * 512;
      const double part = timing.macs == 0 ? 1 : static_cast<double>(timing.macs) / most;
      CHECK(static_cast<double>(bar.used) == Approx(part).margin(1e-3));
      if (bar.used < 0.9F) ++hatched;
    }
  }
  CHECK(hatched > 5);
  const auto draw = [](const GanttScene& of) {
    SvgCanvas canvas(2400, 200, "engines", 12, &Palette::light());
    drawGantt(canvas, of, {0, 0, 2400, 200});
    return canvas.finish();
  };
  const std::string svg = draw(scene);
  CHECK(svg.find("idle part of an array") != std::string::npos);
  CHECK(svg.find(" % of the array") != std::string::npos);
  // A rate knows no array.
  CHECK(draw(GanttScene::whole(ganttRun("generic-npu"))).find("of an array") == std::string::npos);
}

TEST_CASE("an arrow leads from what is selected to what it waited for", "[picture]") {
  const auto run = ganttRun("ethos-u65-512");
  GanttScene scene = GanttScene::whole(run);
  const Box where{0, 0, 1600, 200};
  ArrowCanvas plain;
  GanttDrawing(plain, scene, where).drawOver();
  std::size_t arrows = 0;
  for (const ActivityId id : run->timing.times.keys()) {
    scene.selected = id;
    ArrowCanvas canvas;
    const GanttDrawing drawing(canvas, scene, where);
    drawing.drawOver();
    CAPTURE(id.index());
    const auto& cause = run->timing.times[id].cause;
    if (canvas.lines.size() == plain.lines.size()) continue;  // On a pixel of its cause.
    REQUIRE(cause);
    ++arrows;
    const auto holds = [&](Point point, ActivityId activity) {
      const ActivityTime& time = run->timing.times[activity];
      const auto place = scene.store->find(activity, time.start);
      const Box row = drawing.rowBox(place->row);
      return point.x >= drawing.axis().toX(onAxis(time.start)) - 1 &&
             point.x <= drawing.axis().toX(onAxis(time.end)) + 1 && point.y >= row.top &&
             point.y <= row.bottom();
    };
    CHECK(holds(canvas.lines.front().first, id));
    CHECK(holds(canvas.lines.front().second, cause->activity));
    const auto rule = kWaitRuleNames[static_cast<std::size_t>(cause->rule)];
    CHECK(std::ranges::find(canvas.words, rule) != canvas.words.end());
  }
  CHECK(arrows > 20);
}

TEST_CASE("a lane of a port says what it moved by any time, however it is drawn", "[picture]") {
  const auto run = ganttRun("ethos-u65-512");
  const GanttStore store = GanttStore::of(*run);
  REQUIRE(store.ports().size() >= 2);
  CHECK(GanttStore::of(*run, GanttRows::engines).ports().empty());
  const double end = onAxis(run->timing.makespan);
  for (const PortLane& lane : store.ports()) {
    CAPTURE(lane.name());
    CHECK(lane.until(0) == 0);
    CHECK(lane.until(end) == Approx(lane.curve().bytes.real()));
    CHECK(lane.top() >= lane.curve().peak());
    double moved = 0;
    for (const PortStep& step : lane.curve().steps) {
      REQUIRE(lane.until(onAxis(step.begin)) == Approx(moved));
      moved += step.bytes();
    }
    CHECK(lane.between(0, end).size() == lane.curve().steps.size());
  }
}

TEST_CASE("the Gantt chart has a row for each port below the engines", "[picture]") {
  const auto run = ganttRun("ethos-u65-512");
  const GanttScene scene = GanttScene::whole(run);
  SvgCanvas canvas(1200, 300, "engines", 12, &Palette::light());
  const Box where{0, 0, 1200, 300};
  drawGantt(canvas, scene, where);
  const GanttDrawing drawing(canvas, scene, where);
  const Box& plot = drawing.frame().plot;
  const std::size_t engines = scene.store->rows().size();
  for (std::size_t port = 0; port < scene.store->ports().size(); ++port) {
    const Box box = drawing.rowBox(engines + port);
    CHECK(box.top > drawing.rowBox(engines - 1).top);
    CHECK(box.bottom() <= plot.bottom() + 1);
    const Point middle{box.left + box.width / 2, box.top + box.height / 2};
    CHECK(portAt(plot, *scene.store, middle) == &scene.store->ports()[port]);
    CHECK(drawing.barAt(middle) == nullptr);
  }
  CHECK(portAt(plot, *scene.store, {5, 5}) == nullptr);
  const std::string svg = canvas.finish();
  CHECK(svg.find(">bytes per second<") != std::string::npos);
  for (const PortLane& lane : scene.store->ports()) {
    CHECK(svg.find(">" + lane.name() + "<") != std::string::npos);
  }
}
