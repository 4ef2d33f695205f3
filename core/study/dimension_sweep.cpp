#include "core/study/dimension_sweep.h"

#include <fmt/format.h>

#include <mutex>

#include "core/base/task_queue.h"
#include "core/base/text.h"

namespace hw {
namespace {

DimensionPoint pointAt(std::int64_t value, const OpenAtValue& open, const RunContext& context) {
  DimensionPoint point{.value = value};
  const auto opened = open(value);
  if (!opened) {
    point.row.error = opened.error();
    return point;
  }
  Comparison comparison = openComparison(opened->model, {opened->request});
  fillRow(comparison, comparison.rows.front(), context);
  closeComparison(comparison);
  point.row = std::move(comparison.rows.front());
  return point;
}

}  // namespace

Result<DimensionRange> DimensionRange::parse(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' {}; expected NAME=FROM:TO:STEP, such as past=0:2048:64",
                            printable(text, 80), why));
  };
  if (equals == std::string_view::npos || equals == 0) return wrong("is not a range");
  DimensionRange range{.name = std::string(text.substr(0, equals))};
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : splitText(text.substr(equals + 1), ':')) {
    const auto number = parseInteger(part);
    if (!number || *number < 0) return wrong("is not of whole numbers from 0");
    numbers.push_back(*number);
  }
  if (numbers.size() < 2 || numbers.size() > 3) return wrong("is not a range");
  range.from = numbers[0];
  range.to = numbers[1];
  if (numbers.size() == 3) range.step = numbers[2];
  if (range.to < range.from || range.step < 1) return wrong("does not go up");
  if ((range.to - range.from) / range.step >= kMost) {
    return wrong(fmt::format("is more than {} values", groupDigits(kMost)));
  }
  return range;
}

std::vector<std::int64_t> DimensionRange::values() const {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i <= (to - from) / step; ++i) values.push_back(from + i * step);
  return values;
}

std::vector<DimensionPoint> sweepDimension(const DimensionRange& range, const OpenAtValue& open,
                                           int threads, const RunContext& context) {
  const std::vector<std::int64_t> values = range.values();
  std::vector<DimensionPoint> points(values.size());
  std::mutex mutex;
  std::size_t done = 0;
  runTasks(values.size(), threads, [&](std::size_t i) {
    points[i].value = values[i];
    if (context.stop.stop_requested()) return;
    points[i] = pointAt(values[i], open, {.stop = context.stop});
    const std::lock_guard lock(mutex);
    ++done;
    if (!context.progress) return;
    context.progress(static_cast<double>(done) / static_cast<double>(values.size()),
                     fmt::format("{} of {} values done", done, values.size()));
  });
  std::erase_if(points, [](const DimensionPoint& point) {
    return point.row.stopped() || (!point.row.run && !point.row.error);
  });
  return points;
}

}  // namespace hw
