#include "core/report/method/lesson.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/import/samples.h"
#include "core/run/options.h"

namespace hw {

const Lesson* findLesson(std::string_view name) {
  const auto found = std::ranges::find(lessons(), name, &Lesson::name);
  return found == lessons().end() ? nullptr : &*found;
}

Result<std::shared_ptr<const Run>> lessonRun(const Lesson& lesson) {
  OptionTexts texts;
  for (std::size_t i = 0; i + 1 < lesson.options.size(); i += 2) {
    texts[std::string(lesson.options[i])].emplace_back(lesson.options[i + 1]);
  }
  texts["allocator"] = {std::string(lesson.name)};
  HW_TRY(request, readRequest(texts, planningRequest(), "--"));
  request.model = lesson.model;
  HW_TRY(model, openModel(request.model, {}));
  return executeOnce(std::move(model), request, {.simulate = false, .record = true});
}

std::vector<std::size_t> stopTicks(const Lesson& lesson, const Run& run,
                                   const MethodRecord& record) {
  const auto isAbout = [&](const MethodTick& tick, std::string_view tensor) {
    const bool known = tick.stay && run.problem.stays.contains(tick.stay);
    return known ? run.stayName(tick.stay) == tensor : tensor.empty();
  };
  std::vector<std::size_t> ticks;
  for (const LessonStop& stop : lesson.stops) {
    std::size_t turn = 0;
    std::size_t at = ticks.empty() ? 0 : ticks.back();
    for (std::size_t tick = 0; stop.turn > 0 && tick < record.ticks.size(); ++tick) {
      if (!isAbout(record.ticks[tick], stop.tensor) || ++turn < stop.turn) continue;
      at = tick + 1;
      break;
    }
    ticks.push_back(at);
  }
  return ticks;
}

std::string lessonCommand(std::string_view allocator) {
  return fmt::format("highwater plan model.onnx --allocator {0} --stage {0}.html", allocator);
}

}  // namespace hw
