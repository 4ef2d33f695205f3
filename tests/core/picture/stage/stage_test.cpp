#include "core/picture/stage/stage.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/picture/stage/sketch.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/golden_picture.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

// The stage of a method, read as shapes: what a state holds is drawn once, nothing lies outside, no
// words cover others, and memory is what the lists say.

using namespace hw;
using namespace hw::literals;

namespace {

using Part = StageItem::Part;
using Role = MethodList::Role;

std::shared_ptr<const Run> recorded(const std::string& sample, const std::string& allocator) {
  return test::must(execute(test::sample(sample), test::workedRequest(allocator),
                            {.simulate = false, .record = true}));
}

const Ruler& ruler() {
  static const SvgCanvas canvas(1, 1, "", 12, nullptr);
  return canvas.ruler();
}

/// The stage when `ticks` have happened.
struct Seen {
  MethodPlayer player;
  std::vector<StageItem> items;

  Seen(const Stage& stage, std::size_t ticks, const Box& where) : player(stage.record()) {
    player.seek(ticks);
    items = stage.items(ruler(), player, where);
  }

  std::vector<StageItem> of(Part part, StageItem::Shape shape) const {
    std::vector<StageItem> found;
    std::ranges::copy_if(items, std::back_inserter(found), [&](const StageItem& item) {
      return item.part == part && item.shape == shape;
    });
    return found;
  }
  std::vector<StageItem> boxesOf(Part part) const { return of(part, StageItem::Shape::rectangle); }
};

bool overlap(const Box& a, const Box& b) {
  const Box both = a.cut(b);
  return both.width > 0.01 && both.height > 0.01;
}

void checkWordsAndEdges(const std::vector<StageItem>& items, const Box& where) {
  std::vector<const StageItem*> texts;
  for (const StageItem& item : items) {
    CAPTURE(item.text);
    REQUIRE(item.box.left >= where.left - 1.01);
    REQUIRE(item.box.top >= where.top - 1.01);
    REQUIRE(item.box.right() <= where.right() + 1.01);
    REQUIRE(item.box.bottom() <= where.bottom() + 1.01);
    if (item.shape != StageItem::Shape::text) continue;
    for (const StageItem* other : texts) {
      CAPTURE(other->text);
      REQUIRE_FALSE(overlap(item.box, other->box));
    }
    texts.push_back(&item);
  }
}

/// Each row of a list that is drawn is a chip, or is counted among those left out.
void checkChips(const Seen& look, bool all) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> chips;
  std::map<std::uint32_t, std::size_t> leftOut;
  for (const StageItem& item : look.items) {
    if (item.part == Part::chip) chips[item.list].push_back(item.row);
    if (item.part == Part::elided && item.list != StageItem::kNone) leftOut[item.list] += item.row;
  }
  for (auto& [list, rows] : chips) {
    CAPTURE(list);
    const std::size_t count = look.player.state()[list].size();
    std::ranges::sort(rows);
    REQUIRE(std::ranges::adjacent_find(rows) == rows.end());
    REQUIRE(rows.back() < count);
    REQUIRE(rows.size() + leftOut[list] >= count);
    if (all) REQUIRE(rows.size() == count);
  }
}

std::vector<std::size_t> someTicks(std::size_t most) {
  std::vector<std::size_t> ticks;
  const std::size_t stride = std::max<std::size_t>(1, most / 12);
  for (std::size_t tick = 0; tick <= most; tick += stride) ticks.push_back(tick);
  if (ticks.back() != most) ticks.push_back(most);
  return ticks;
}

double area(const std::vector<StageItem>& items) {
  double width = 0;
  for (const StageItem& item : items) width += item.box.width;
  return width;
}

/// The tick after which `words` have happened to `tensor`.
std::size_t tickOf(const Run& run, const MethodRecord& record, const std::string& tensor,
                   const std::string& words) {
  for (std::size_t tick = 0; tick < record.ticks.size(); ++tick) {
    const MethodTick& each = record.ticks[tick];
    if (each.stay && run.stayName(each.stay) == tensor &&
        each.what.find(words) != std::string::npos) {
      return tick + 1;
    }
  }
  FAIL("no such tick: " << tensor << " " << words);
  return 0;
}

constexpr Box kStage{0, 0, 960, 520};

}  // namespace

TEST_CASE("stages of samples: everything inside, no words over others", "[stage]") {
  const Box sizes[] = {kStage, {5, 7, 480, 300}, {0, 0, 1600, 900}, {0, 0, 200, 90}};
  std::uint64_t pair = 0;
  for (const char* name : {"block-id", "two-sided", "free-list", "free-list:threshold=4KiB",
                           "placement-search:sequences=20", "shared-objects", "idle-longest"}) {
    const bool peer =
        std::string_view(name) == "shared-objects" || std::string_view(name) == "idle-longest";
    for (const SampleInfo& sample : sampleCatalog()) {
      if (!test::isTried(pair++)) continue;
      // Of peers the small ones, which are drawn soon.
      if (peer && test::sample(sample.name)->graph->ops.size() > 20) continue;
      const auto run = recorded(sample.name, name);
      for (std::size_t record = 0; record < run->plan.records.size(); ++record) {
        const Stage stage(run, record);
        for (const std::size_t tick : someTicks(stage.record().ticks.size())) {
          for (const Box& where : sizes) {
            CAPTURE(name, sample.name, record, tick, where.width);
            const Seen look(stage, tick, where);
            checkWordsAndEdges(look.items, where);
            checkChips(look, false);
          }
        }
      }
    }
  }
}

TEST_CASE("worked examples are drawn row by row, forwards and backwards", "[stage]") {
  for (const char* name : {"block-id", "two-sided", "free-list"}) {
    for (const char* sample : {"chain", "residual", "inception"}) {
      const auto run = recorded(sample, name);
      const Stage stage(run, 0);
      MethodPlayer player(stage.record());
      std::vector<std::vector<StageItem>> seen;
      for (std::size_t tick = 0; tick <= stage.record().ticks.size(); ++tick) {
        CAPTURE(name, sample, tick);
        checkChips(Seen(stage, tick, {0, 0, 1200, 900}), true);
        player.seek(tick);
        seen.push_back(stage.items(ruler(), player, kStage));
      }
      for (std::size_t tick = seen.size(); tick-- > 0;) {
        player.seek(tick);
        const auto again = stage.items(ruler(), player, kStage);
        REQUIRE(again.size() == seen[tick].size());
        REQUIRE(std::ranges::equal(again, seen[tick], [](const StageItem& a, const StageItem& b) {
          return a.box == b.box && a.text == b.text && a.part == b.part && a.stay == b.stay;
        }));
      }
    }
  }
}

TEST_CASE("free list: used and free bytes tile memory up to the frontier", "[stage]") {
  const auto run = recorded("inception", "free-list");
  const Stage stage(run, 0);
  const double whole = 192;
  double scale = 0;
  double frontier = 0;
  for (std::size_t tick = 1; tick <= stage.record().ticks.size(); ++tick) {
    CAPTURE(tick);
    const Seen look(stage, tick, kStage);
    double end = 0;
    for (const auto& row : look.player.state()[0]) {
      end = std::max(end, (std::get<Bytes>(row[1]) + std::get<Bytes>(row[2])).real());
    }
    for (const auto& row : look.player.state()[1]) {
      end = std::max(end, (std::get<Bytes>(row[0]) + std::get<Bytes>(row[1])).real());
    }
    auto pieces = look.boxesOf(Part::used);
    const auto holes = look.boxesOf(Part::hole);
    pieces.insert(pieces.end(), holes.begin(), holes.end());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(overlap(pieces[i].box, pieces[k].box));
    }
    if (scale == 0) scale = area(pieces) / end;
    CHECK(area(pieces) == Approx(end * scale));
    CHECK(end >= frontier);
    frontier = end;
  }
  CHECK(frontier == whole);
}

TEST_CASE("free list: candidates stand below memory, the one taken marked", "[stage]") {
  const auto run = recorded("inception", "free-list");
  const Stage stage(run, 0);
  const std::size_t tick = tickOf(*run, stage.record(), "u", "[16, 24)");
  const Seen look(stage, tick, kStage);
  const auto candidates = look.boxesOf(Part::candidate);
  // [16, 24), [72, 96) and the frontier: each as large as u.
  REQUIRE(candidates.size() == 3);
  for (const StageItem& item : candidates) CHECK(item.box.width == Approx(candidates[0].box.width));
  CHECK(candidates[0].look.edge->dashes.empty());
  CHECK_FALSE(candidates[1].look.edge->dashes.empty());
  CHECK(candidates[0].box.left < candidates[1].box.left);
  // A release looks at nothing.
  CHECK(Seen(stage, tick + 1, kStage).boxesOf(Part::candidate).empty());
}

TEST_CASE("block ids: a block is as wide as its capacity, its tenant as its bytes", "[stage]") {
  const auto run = recorded("inception", "block-id");
  const Stage stage(run, 0);
  const Seen last(stage, tickOf(*run, stage.record(), "y", "takes"), kStage);
  const auto frames = last.boxesOf(Part::frame);
  REQUIRE(frames.size() == 4);
  const double scale = frames[2].box.width / 64;
  const double capacities[] = {48, 16, 64, 32};
  for (std::size_t i = 0; i < 4; ++i) CHECK(frames[i].box.width == Approx(capacities[i] * scale));
  // y, 4 bytes of 16, and w: the others are idle, and what y leaves is nobody's.
  const auto used = last.boxesOf(Part::used);
  REQUIRE(used.size() == 2);
  CHECK(used[0].box.width == Approx(4 * scale));
  CHECK(used[1].box.width == Approx(64 * scale));
  CHECK(last.boxesOf(Part::hole).size() == 2);
  const auto rests = last.of(Part::rest, StageItem::Shape::hatch);
  REQUIRE(rests.size() == 1);
  CHECK(rests[0].box.width == Approx(12 * scale));
}

TEST_CASE("two sides: stacks lie on both sides of the origin and do not overlap", "[stage]") {
  const auto run = recorded("inception", "two-sided");
  const Stage stage(run, 0);
  const auto extent = stage.extent({});
  CHECK(extent.bytes == Interval<Bytes>{Bytes(-64), 96_B});
  for (std::size_t tick = 0; tick <= stage.record().ticks.size(); ++tick) {
    CAPTURE(tick);
    const Seen look(stage, tick, kStage);
    const auto used = look.boxesOf(Part::used);
    std::size_t rows = 0;
    for (std::uint32_t list = 0; list < look.player.state().size(); ++list) {
      const Role role = stage.record().lists[list].role;
      if (role == Role::upwards || role == Role::downwards)
        rows += look.player.state()[list].size();
    }
    CHECK(used.size() == rows);
    for (std::size_t i = 0; i < used.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(overlap(used[i].box, used[k].box));
    }
  }
}

TEST_CASE("placement search: all candidates of the tensor are on the map", "[stage]") {
  const auto run = recorded("inception", "placement-search");
  const Stage stage(run, 0);
  const auto& lists = stage.record().lists;
  const auto candidates = std::ranges::find(lists, Role::candidates, &MethodList::role);
  const auto placed = std::ranges::find(lists, Role::placed, &MethodList::role);
  for (const char* tensor : {"s", "p", "u", "v", "w"}) {
    CAPTURE(tensor);
    const Seen look(stage, tickOf(*run, stage.record(), tensor, "by priority"), kStage);
    CHECK(look.boxesOf(Part::candidate).size() ==
          look.player.state()[static_cast<std::size_t>(candidates - lists.begin())].size());
    CHECK(look.boxesOf(Part::used).size() ==
          look.player.state()[static_cast<std::size_t>(placed - lists.begin())].size());
  }
}

TEST_CASE("shared objects: tenants lie on their objects' shelves and never overlap", "[stage]") {
  for (const char* name : {"shared-objects", "shared-objects:order=in-order"}) {
    for (const char* sample : {"chain", "residual", "inception", "resnet8"}) {
      const auto run = recorded(sample, name);
      const Stage stage(run, 0);
      const double whole = run->plan.footprint(PoolId(0)).real();
      for (const std::size_t tick : someTicks(stage.record().ticks.size())) {
        CAPTURE(name, sample, tick);
        const Seen look(stage, tick, kStage);
        const auto& state = look.player.state();
        const auto shelves = look.boxesOf(Part::frame);
        const auto used = look.boxesOf(Part::used);
        const auto listOf = [&](Role role) {
          const auto& lists = stage.record().lists;
          return state[static_cast<std::size_t>(std::ranges::find(lists, role, &MethodList::role) -
                                                lists.begin())];
        };
        REQUIRE(shelves.size() == listOf(Role::blocks).size());
        REQUIRE(used.size() == listOf(Role::mapping).size());
        for (std::size_t i = 0; i < used.size(); ++i) {
          for (std::size_t k = 0; k < i; ++k) REQUIRE_FALSE(overlap(used[i].box, used[k].box));
          // Heights are bytes, of all on the same scale.
          CHECK(used[i].box.height / run->problem.stays[used[i].stay].size.real() ==
                Approx(used[0].box.height / run->problem.stays[used[0].stay].size.real()));
          CHECK(std::ranges::any_of(shelves, [&](const StageItem& shelf) {
            return shelf.box.bottom() == Approx(used[i].box.bottom()) &&
                   shelf.box.top <= used[i].box.top + 0.01;
          }));
        }
        if (tick < stage.record().ticks.size()) continue;
        double height = 0;
        for (const StageItem& shelf : shelves) height += shelf.box.height;
        CHECK(height / whole ==
              Approx(used[0].box.height / run->problem.stays[used[0].stay].size.real()));
      }
    }
  }
}

TEST_CASE("a place at the end of a large memory makes no other too small", "[stage]") {
  RunRequest request = test::workedRequest("idle-longest");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(2 << 20)};
  const auto run =
      test::must(execute(test::sample("inception"), request, {.simulate = false, .record = true}));
  const Stage stage(run, 0);
  // Whoever never had a tenant has been idle longest: the candidates reach to the end of L2.
  const Bytes end = run->plan.footprint(PoolId(0));
  REQUIRE(end < 300_B);
  CHECK(stage.extent(PoolId(0)).taken == Interval<Bytes>{Bytes(), end});
  CHECK(stage.extent(PoolId(0)).bytes.end <= end + end);
}

TEST_CASE("a list that has room for one row shows the one that matters", "[stage]") {
  const auto run = recorded("inception", "greedy-by-size");
  const Stage stage(run, 0);
  const auto& record = stage.record();
  for (std::size_t tick = 2; tick <= record.ticks.size(); ++tick) {
    CAPTURE(tick);
    const Seen look(stage, tick, {0, 0, 960, 190});
    std::map<std::uint32_t, std::vector<std::uint32_t>> chips;
    for (const StageItem& item : look.boxesOf(Part::chip)) chips[item.list].push_back(item.row);
    for (std::uint32_t list = 0; list < record.lists.size(); ++list) {
      const auto& rows = look.player.state()[list];
      if (record.lists[list].role == Role::placed) {
        // Who was placed last.
        REQUIRE(chips[list].size() == 1);
        CHECK(std::get<StayId>(rows[chips[list][0]][0]) == record.ticks[tick - 1].stay);
      }
      if (record.lists[list].role != Role::candidates || rows.empty()) continue;
      REQUIRE(chips[list].size() == 1);
      CHECK(rows[chips[list][0]][2] == MethodCell(std::string("chosen")));
    }
  }
}

TEST_CASE("what lies under the pointer is a stay", "[stage]") {
  const auto run = recorded("chain", "free-list");
  const Stage stage(run, 0);
  const Seen look(stage, 2, kStage);
  for (const StageItem& item : look.boxesOf(Part::used)) {
    const Box& box = item.box;
    const auto* found = stageItemAt(look.items, {box.left + box.width / 2, box.top + 1});
    REQUIRE(found != nullptr);
    CHECK(found->stay == item.stay);
  }
  CHECK(stageItemAt(look.items, {1, 1}) == nullptr);
}

TEST_CASE("a record without roles or stays is drawn as tables", "[stage]") {
  auto run = std::make_shared<Run>(*recorded("chain", "free-list"));
  MethodRecord record{.name = "mine"};
  {
    MethodRecorder recorder(&record);
    const auto list = recorder.addList(
        {.name = "notes", .summary = "", .columns = {"what", "how often", "bytes"}});
    for (std::int64_t i = 0; i < 200; ++i) {
      recorder.append(list, {std::string("a note that is rather long ") + std::to_string(i), i,
                             Bytes(i * 1000)});
      recorder.tick({}, Step(-1), "notes something without a step");
    }
  }
  run->plan.records = {record};
  const Stage stage(run, 0);
  for (const std::size_t tick : {0, 1, 7, 200}) {
    const Seen look(stage, tick, kStage);
    checkWordsAndEdges(look.items, kStage);
    checkChips(look, false);
    if (tick > 0) CHECK_FALSE(look.boxesOf(Part::chip).empty());
  }
  CHECK(stage.sentence(1) == "notes something without a step");
}

// A film of a stage shows, at every tick, the shapes of that tick in their order and no others.

namespace {

std::shared_ptr<const Run> filmed(const std::string& allocator) {
  return test::must(execute(test::sample("inception"), test::workedRequest(allocator),
                            {.simulate = false, .record = true}));
}

std::string attribute(std::string_view tag, const std::string& name) {
  const std::size_t at = tag.find(name + "=\"");
  REQUIRE(at != std::string_view::npos);
  const std::size_t begin = at + name.size() + 2;
  return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

bool isShape(std::string_view line) {
  return line.starts_with("<rect") || line.starts_with("<text") || line.starts_with("<line");
}

std::vector<std::string> shapesOf(const std::string& svg) {
  std::vector<std::string> shapes;
  for (const std::string_view line : splitText(svg, '\n')) {
    if (isShape(line)) shapes.emplace_back(line);
  }
  return shapes;
}

/// What a viewer shows at a moment, as a share of the whole: SMIL read from scratch.
std::vector<std::string> seenAt(const std::string& film, double share) {
  std::vector<std::string> shapes;
  bool visible = true;
  for (const std::string_view line : splitText(film, '\n')) {
    if (line.starts_with("<g")) {
      const std::string values = attribute(line, " values");
      const std::string times = attribute(line, "keyTimes");
      const auto states = splitText(values, ';');
      const auto moments = splitText(times, ';');
      REQUIRE(states.size() == moments.size());
      for (std::size_t i = 0; i < moments.size(); ++i) {
        if (*parseNumber(moments[i]) <= share) visible = states[i] == "visible";
      }
    } else if (line.starts_with("</g>")) {
      visible = true;
    } else if (isShape(line) && visible) {
      shapes.emplace_back(line);
    }
  }
  return shapes;
}

}  // namespace

TEST_CASE("films show each tick as it is", "[stage][film]") {
  for (const char* name : {"block-id", "two-sided", "free-list", "placement-search"}) {
    const auto run = filmed(name);
    const Stage stage(run, 0);
    const std::size_t ticks = stage.record().ticks.size();
    REQUIRE(filmTicks(stage) == ticks);
    const std::string film = stageFilm(stage, {}, false);
    std::size_t all = 0;
    for (std::size_t tick = 0; tick <= ticks; ++tick) {
      CAPTURE(name, tick);
      const auto wanted = shapesOf(stageSvg(stage, tick, {}));
      const double share = (static_cast<double>(tick) + 0.5) / static_cast<double>(ticks + 1);
      REQUIRE(seenAt(film, share) == wanted);
      all += wanted.size();
    }
    // What is the same is written once.
    CHECK(shapesOf(film).size() * 2 < all);
  }
}

TEST_CASE("films have their colours where they stand alone", "[stage][film]") {
  const auto run = filmed("block-id");
  const Stage stage(run, 0);
  CHECK(stageFilm(stage, {}, true).find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(stageFilm(stage, {}, false).find("<style>") == std::string::npos);
}

TEST_CASE("stages are as they were looked at", "[stage][picture][golden]") {
  const std::pair<const char*, std::size_t> looked[] = {
      {"block-id", 11}, {"two-sided", 17}, {"free-list", 10}, {"placement-search", 7}};
  for (const auto& [name, tick] : looked) {
    const auto run = filmed(name);
    const Stage stage(run, 0);
    for (const bool dark : {false, true}) {
      const std::string file = "stage_" + std::string(name) + (dark ? "_dark.svg" : "_light.svg");
      test::checkPicture(
          file, stageSvg(stage, tick, {.palette = dark ? &Palette::dark() : &Palette::light()}));
    }
  }
}

// Rows of a list at a tick: what came, what changed, what has gone; and which of them are drawn
// where not all have room.

using namespace hw::stage;

namespace {

MethodRow rowOf(std::int64_t key, std::int64_t value) { return {key, value}; }

/// A record of one list that is changed at random.
MethodRecord randomRecord(std::uint64_t seed) {
  test::Dice dice(seed);
  MethodRecord record{.name = "random"};
  MethodRecorder recorder(&record);
  const std::size_t list = recorder.addList({.name = "rows", .columns = {"key", "value"}});
  for (int tick = 0; tick < 30; ++tick) {
    for (std::int64_t change = dice.roll(0, 6); change > 0; --change) {
      const auto rows = static_cast<std::int64_t>(recorder.rows(list));
      const std::int64_t what = rows == 0 ? 0 : dice.roll(0, 3);
      const auto at = static_cast<std::size_t>(dice.roll(0, std::max<std::int64_t>(0, rows - 1)));
      if (what <= 1) {
        recorder.insert(list, at, rowOf(dice.roll(0, 5), dice.roll(0, 2)));
      } else if (what == 2) {
        recorder.erase(list, at);
      } else {
        recorder.replace(list, at, rowOf(dice.roll(0, 5), dice.roll(0, 2)));
      }
    }
    recorder.tick({}, Step(), "changes");
  }
  return record;
}

}  // namespace

TEST_CASE("marked rows are the state after a tick, and tell the one before", "[stage]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const MethodRecord record = randomRecord(seed);
    MethodPlayer player(record);
    std::vector<MethodRow> before;
    for (std::size_t tick = 1; tick <= record.ticks.size(); ++tick) {
      player.seek(tick);
      std::vector<MethodRow> now;
      std::vector<MethodRow> earlier;
      for (const MarkedRow& row : markedRows(record, player, 0)) {
        if (row.mark != Mark::gone) {
          CHECK(row.at == now.size());
          now.push_back(row.row);
        }
        if (row.mark == Mark::changed) {
          earlier.push_back(row.before);
        } else if (row.mark != Mark::put) {
          earlier.push_back(row.row);
        }
      }
      REQUIRE(now == player.state()[0]);
      // What was taken out and put in again may stand elsewhere.
      std::ranges::sort(earlier);
      std::ranges::sort(before);
      REQUIRE(earlier == before);
      before = player.state()[0];
    }
  }
}

TEST_CASE("rows are left out in the middle, those that changed last", "[stage]") {
  for (const std::uint64_t seed : test::Seeds(500)) {
    test::Dice dice(seed);
    std::vector<MarkedRow> rows(static_cast<std::size_t>(dice.roll(0, 60)));
    std::size_t marked = 0;
    for (MarkedRow& row : rows) {
      if (dice.roll(0, 20) > 0) continue;
      row.mark = dice.roll(0, 1) == 0 ? Mark::put : Mark::gone;
      ++marked;
    }
    const auto room = static_cast<std::size_t>(dice.roll(0, 40));
    const auto chosen = chosenRows(rows, room);
    CHECK(std::ranges::is_sorted(chosen));
    std::size_t lines = 0;
    std::size_t next = 0;
    for (const std::size_t row : chosen) {
      lines += row > next ? 2 : 1;
      next = row + 1;
    }
    lines += next < rows.size() ? 1 : 0;
    if (room == 1 && !rows.empty()) {
      // One that came, if any did, and nothing about those left out.
      REQUIRE(chosen.size() == 1);
      const bool came = std::ranges::find(rows, Mark::put, &MarkedRow::mark) != rows.end();
      if (came) CHECK(rows[chosen[0]].mark == Mark::put);
      continue;
    }
    if (!chosen.empty()) CHECK(lines <= room);
    if (rows.size() <= room) CHECK(chosen.size() == rows.size());
    // Each marked row takes itself and at most a gap before it, and there is one gap behind.
    if (2 * marked + 1 <= room) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].mark != Mark::none) CHECK(std::ranges::binary_search(chosen, i));
      }
    }
  }
}
