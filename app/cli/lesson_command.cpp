#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/report/method/method_page.h"
#include "core/report/text/text_table.h"

namespace hw::cli {
namespace {

struct LessonCommand {
  explicit LessonCommand(Arguments& arguments) {
    std::vector<std::string> names;
    for (const Lesson& lesson : lessons()) names.emplace_back(lesson.name);
    arguments.positional("METHOD", name, {.help = fmt::format("{}", fmt::join(names, ", "))});
    arguments.option("-o,--output", path,
                     {.help = "write to FILE instead of standard output (-)", .type = "FILE"});
  }

  Outcome<ExitCode> run() const {
    const Lesson* lesson = findLesson(name);
    if (lesson == nullptr) {
      std::vector<std::string_view> names;
      for (const Lesson& each : lessons()) names.push_back(each.name);
      return failure(
          ExitCode::badUsage, name,
          fmt::format("there is no lesson of that name; expected {}", fmt::join(names, ", ")));
    }
    const auto planned = lessonRun(*lesson);
    if (!planned) return failure(planned.error(), std::string(lesson->model));
    HW_DO(writeOutput(path.empty() ? "-" : path,
                      [&](std::ostream& out) { out << methodPage(**planned, lesson); }));
    return ExitCode::done;
  }

  std::string name;
  std::string path;
};

}  // namespace

CommandInfo lessonCommand() {
  return {.name = "lesson",
          .summary = "writes how a method works as a page (HTML) that plays",
          .notes =
              "The page needs neither the program nor a network. It plays a worked example\n"
              "decision by decision; `plan --stage FILE.html` does so with your model.\n"
              "\n"
              "Examples:\n"
              "  highwater lesson free-list -o free-list.html",
          .add = actionOf<LessonCommand>};
}

}  // namespace hw::cli
