// What placement-search records where outputs lie over inputs: two stays of its own problem are one
// of the run's, and every row still leads to it.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/import/samples.h"
#include "core/picture/stage/stage.h"
#include "core/picture/svg_canvas.h"
#include "core/plan_file/method_tables.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> overlaidRun(const std::string& sample, bool inPlace) {
  RunRequest request = test::workedRequest("placement-search:seconds=0,sequences=40");
  request.alias = AliasRules::all();
  request.alias.inPlace = inPlace;
  return test::must(execute(test::sample(sample), request, {.simulate = false, .record = true}));
}

/// A part is a tensor of its stay, lives within its life and is no larger.
void checkPart(const Run& run, const StayPart& part) {
  REQUIRE(run.problem.stays.contains(part.stay));
  const Stay& stay = run.problem.stays[part.stay];
  CHECK(run.storage.bufferOf(part.tensor) == stay.buffer);
  CHECK(part.size <= stay.size);
  CHECK(part.steps.begin >= stay.steps.begin);
  CHECK(part.steps.end <= stay.steps.end);
}

/// The sequence that became the plan: its last complete one, with the candidates of every tick.
struct Told {
  std::vector<MethodRow> sequence{};
  std::size_t parts = 0;     ///< Cells that lead to a stay of which they are a part.
  std::size_t overlays = 0;  ///< Candidates of kind (0).
};

Told toldBy(const Run& run, const MethodRecord& record) {
  Told told;
  const std::size_t sequence = test::listNamed(record, "sequence");
  const std::size_t candidates = test::listNamed(record, "candidates");
  MethodPlayer player(record);
  for (std::size_t tick = 1; tick <= record.ticks.size(); ++tick) {
    player.seek(tick);
    for (const MethodChange& change : record.changesOf(tick - 1)) {
      for (const MethodRow* row : {&change.before, &change.after}) {
        for (const MethodCell& cell : *row) {
          const auto* part = std::get_if<StayPart>(&cell);
          if (part) checkPart(run, *part);
          told.parts += part ? 1 : 0;
        }
      }
      if (change.list == candidates && !change.after.empty()) {
        told.overlays += change.after.front() == MethodCell(std::string("overlay")) ? 1 : 0;
      }
    }
    if (record.ticks[tick - 1].part) checkPart(run, *record.ticks[tick - 1].part);
    const bool complete = record.ticks[tick - 1].what.find("is complete") != std::string::npos;
    if (complete) told.sequence = player.state()[sequence];
  }
  return told;
}

}  // namespace

TEST_CASE("rows of overlaid stays lead to the stay that they became", "[record][overlay]") {
  std::size_t parts = 0;
  std::size_t overlays = 0;
  std::uint64_t number = 0;
  for (const SampleInfo& sample : sampleCatalog()) {
    if (!test::isTried(number++)) continue;
    CAPTURE(sample.name);
    const auto run = overlaidRun(sample.name, true);
    for (const MethodRecord& record : run->plan.records) {
      if (record.truncated) continue;
      const Told told = toldBy(*run, record);
      parts += told.parts;
      overlays += told.overlays;
      REQUIRE_FALSE(told.sequence.empty());
      // All offsets are the plan's, moved by one and the same distance.
      std::set<Bytes> distances;
      for (const MethodRow& row : told.sequence) {
        const StayId stay = stayOfCell(row.front());
        REQUIRE(stay);
        distances.insert(run->plan.addresses[stay]->offset - std::get<Bytes>(row[2]));
      }
      CHECK(distances.size() == 1);
    }
  }
  CHECK(parts > 0);
  CHECK(overlays > 0);
}

TEST_CASE("an overlay is on the stage by its own name, and selects its stay", "[record][overlay]") {
  // d lies over a or c, which add reads for the last time.
  const auto run = overlaidRun("residual", true);
  const Stage stage(run, 0);
  const MethodRecord& record = stage.record();
  const SvgCanvas canvas(1, 1, "", 12, nullptr);
  MethodPlayer player(record);
  std::size_t seen = 0;
  for (std::size_t tick = 0; tick < record.ticks.size(); ++tick) {
    const MethodTick& now = record.ticks[tick];
    if (!now.part || displayName(run->graph(), now.part->tensor) != "d") continue;
    player.seek(tick + 1);
    const auto items = stage.items(canvas.ruler(), player, {0, 0, 1200, 900});
    const auto isHere = [&](StageItem::Part part) {
      return std::ranges::any_of(items, [&](const StageItem& item) {
        return item.part == part && item.stay == now.stay && item.text.starts_with("d");
      });
    };
    if (now.what.find("overlay") == std::string::npos) continue;
    ++seen;
    CHECK(isHere(StageItem::Part::used));
    CHECK(stage.sentence(tick + 1).starts_with("d: "));
    CHECK(methodTickTexts(*run, record, tick + 1).back().tensor == "d");
    CHECK(std::ranges::count_if(items, [](const StageItem& item) {
            return item.part == StageItem::Part::candidate;
          }) > 0);
  }
  CHECK(seen > 0);
  CHECK(methodTicksJson(*run, run->storage.isIdentity() ? StayId() : record.ticks[0].stay).size() >
        0);
}

TEST_CASE("a search without overlays says that they are off, and how many there would be",
          "[overlay]") {
  const auto noteOf = [](const Run& run) {
    const auto at = std::ranges::find_if(
        run.notes, [](const std::string& note) { return note.starts_with("overlays are off"); });
    return at == run.notes.end() ? std::string() : *at;
  };
  CHECK(noteOf(*overlaidRun("residual", false)) ==
        "overlays are off: 2 outputs could be written over an input, and placement-search tries "
        "that with --alias all");
  CHECK(noteOf(*overlaidRun("residual", true)).empty());
}

TEST_CASE("counts of the record are those that the plan notes", "[record][placement-search]") {
  const std::string options = GENERATE("", ",stack=2");
  std::uint64_t number = 0;
  for (const SampleInfo& sample : sampleCatalog()) {
    if (!test::isTried(number++)) continue;
    CAPTURE(sample.name, options);
    const RunRequest request =
        test::workedRequest("placement-search:seconds=0,sequences=40" + options);
    const auto run = test::must(
        execute(test::sample(sample.name), request, {.simulate = false, .record = true}));
    for (const MethodRecord& record : run->plan.records) {
      if (record.truncated) continue;
      MethodPlayer player(record);
      player.seek(record.ticks.size());
      const auto& rows = player.state()[test::listNamed(record, "counts")];
      const auto count = [&](std::size_t row) { return std::get<std::int64_t>(rows[row][1]); };
      REQUIRE(rows.size() == 4);
      // Pruned are placements that were not worth keeping, and sequences that were given up.
      std::string expected =
          fmt::format("{} sequences completed, {} pruned", count(0), count(1) + count(2));
      if (count(3) > 0) expected += fmt::format(", {} dropped", count(3));
      CHECK(std::ranges::any_of(run->plan.notes, [&](const std::string& note) {
        return note.find(expected) != std::string::npos;
      }));
    }
  }
}
