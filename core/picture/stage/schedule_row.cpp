#include "core/picture/stage/schedule_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw::stage {
namespace {

constexpr double kStepGap = 3;
constexpr double kStepLetters = 9;

std::string opName(const Run& run, Step step) {
  const Op& op = run.graph().ops[run.schedule.opAt(step)];
  return printable(op.name.empty() ? op.type : op.name, 60);
}

/// The steps that have room, and where each is.
struct Page {
  std::size_t first = 0;
  std::size_t count = 0;
  double left = 0;
  double each = 0;
  std::int64_t now = -1;  ///< The step that is looked at.

  /// The part of `steps` that is on the page; empty: none is.
  Box boxOf(const Interval<Step>& steps, const Box& row) const {
    const double from = std::max(0.0, at(steps.begin));
    const double to = std::min(static_cast<double>(count), at(steps.end));
    return {left + each * from, row.top, std::max(0.0, each * (to - from) - kStepGap), row.height};
  }
  bool isNow(const Interval<Step>& steps) const { return steps.contains(Step(now)); }

 private:
  double at(Step step) const {
    return static_cast<double>(step.count()) - static_cast<double>(first);
  }
};

void drawRun(Sketch& sketch, const Page& page, const Box& row, const Interval<Step>& steps,
             Part part, const std::string& text, const std::string& tooltip) {
  const Box box = page.boxOf(steps, row);
  if (box.isEmpty()) return;
  const bool here = page.isNow(steps);
  sketch.rectangle(box, part,
                   {.fill = Fill{here ? Ink::live : Ink::hole},
                    .edge = Stroke{here ? Ink::accent : Ink::grid, here ? 2.0 : 1.0}},
                   {}, tooltip);
  sketch.words({box.left + 4, box.top, box.width - 8, box.height}, text,
               {.ink = here ? Ink::text : Ink::muted, .anchor = Anchor::middle, .bold = here},
               Part::around, 2);
}

/// What is sent to a device at once, and what of it runs on one compute unit; two rows.
void drawDispatched(Sketch& sketch, const Run& run, const Page& page, Box row) {
  const std::vector<DeviceSpec>& devices = run.request.platform.devices;
  const auto label = [&](const char* text) {
    sketch.words({row.left, row.top, page.left - row.left, row.height}, text, {.ink = Ink::muted});
  };
  label("sub-functions");
  for (std::size_t i = 0; i < run.partition.subFunctions.size(); ++i) {
    const SubFunction& function = run.partition.subFunctions[i];
    drawRun(sketch, page, row, function.steps, Part::unit,
            fmt::format("{} on {}", i, printable(devices[function.device].name, 40)),
            fmt::format("sub-function {}: {} operators, sent to {}", i, function.ops.size(),
                        printable(devices[function.device].name, 40)));
  }
  row.top += row.height + 2;
  label("units");
  for (std::size_t i = 0; i < run.partition.units.size(); ++i) {
    const ExecutionUnit& unit = run.partition.units[i];
    drawRun(sketch, page, row, unit.steps, Part::unit,
            fmt::format("{} on {}", i, printable(devices[unit.device].units[unit.unit].name, 40)),
            fmt::format("execution unit {} of sub-function {}", i, unit.subFunction));
  }
}

}  // namespace

Box drawSchedule(Sketch& sketch, const Run& run, const MethodRecord& record, std::size_t ticks,
                 const Box& where) {
  const auto steps = static_cast<std::size_t>(run.schedule.steps().count());
  const double height = sketch.rowHeight();
  if (steps == 0 || where.height < 9 * height) return where;
  const Box row{where.left, where.bottom() - height, where.width, height};
  const bool dispatched = !run.partition.units.empty() && where.height >= 14 * height;
  const double label = sketch.ruler().width(dispatched ? "sub-functions" : "steps") + 8;
  sketch.words({row.left, row.top, label, height}, "steps", {.ink = Ink::muted});
  const double least = kStepLetters * sketch.ruler().width("n") + kStepGap;
  Page page{.left = row.left + label};
  page.count = std::min(
      steps, std::max<std::size_t>(1, static_cast<std::size_t>((row.width - label) / least)));
  page.each = (row.width - label + kStepGap) / static_cast<double>(page.count);
  page.now = ticks == 0 ? -1 : record.ticks[ticks - 1].step.count();
  // Pages instead of a middle that moves: boxes stay where they are as long as they can.
  const std::size_t number = page.now < 0 ? 0 : static_cast<std::size_t>(page.now) / page.count;
  page.first = std::min(number * page.count, steps - page.count);
  for (std::size_t i = 0; i < page.count; ++i) {
    const Step step(static_cast<std::int64_t>(page.first + i));
    drawRun(sketch, page, row, {step, step + Step(1)}, Part::step,
            fmt::format("{} {}", step.count(), opName(run, step)),
            fmt::format("step {}: {}", step.count(), opName(run, step)));
  }
  double above = height;
  if (dispatched) {
    above += 2 * (height + 2);
    drawDispatched(sketch, run, page, {row.left, where.bottom() - above, row.width, height});
  }
  return {where.left, where.top, where.width, where.height - above - 8};
}

}  // namespace hw::stage
