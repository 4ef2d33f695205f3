#include "app/cli/stage_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/picture/stage/stage_film.h"
#include "core/report/method/method_page.h"

namespace hw::cli {

StageOptions::StageOptions(Arguments& arguments) {
  arguments.output("--stage", file_, OutputRole::beside,
                   {.help = "how the method planned, decision by decision: a page (.html), or a "
                            "picture that plays (.svg)",
                    .type = "FILE"});
  arguments.option(
      "--tick", tick_,
      {.help = "of the picture: after that many decisions (0: before the first)", .type = "N"});
  arguments.option("--theme", theme_,
                   {.help = "of the picture of one decision (default: as the reader's system is)",
                    .type = "NAME",
                    .choices = {"light", "dark"}});
}

Outcome<void> StageOptions::check() const {
  if (!wanted()) {
    if (tick_.empty() && theme_.empty()) return {};
    return failure(ExitCode::badUsage, tick_.empty() ? "--theme" : "--tick",
                   "is of a picture of the method; expected --stage FILE.svg, too");
  }
  const bool picture = file_.ends_with(".svg");
  if (!picture && !file_.ends_with(".html")) {
    return failure(ExitCode::badUsage, file_,
                   "the ending says no format for a stage; expected .html or .svg");
  }
  if (!tick_.empty() && !picture) {
    return failure(ExitCode::badUsage, "--tick", "a page has all of them; expected a stage .svg");
  }
  if (!theme_.empty() && tick_.empty()) {
    return failure(ExitCode::badUsage, "--theme",
                   "pages and pictures that play follow the reader's system; expected --tick, too");
  }
  const auto tick = parseInteger(tick_);
  if (!tick_.empty() && (!tick || *tick < 0)) {
    return failure(ExitCode::badUsage, "--tick",
                   fmt::format("'{}' is no number of decisions; expected 0 or more", tick_));
  }
  return {};
}

Outcome<void> StageOptions::write(const Run& run) const {
  if (run.plan.records.empty()) {
    const bool any = std::ranges::any_of(run.problem.stays,
                                         [](const Stay& stay) { return stay.size > Bytes(); });
    if (!any) {
      return failure(ExitCode::badUsage, "--stage",
                     "nothing takes any bytes: there is no decision");
    }
    return failure(ExitCode::badUsage, "--stage",
                   fmt::format("{} records nothing of how it plans",
                               std::string(run.request.allocator.info->name)));
  }
  if (file_.ends_with(".html")) {
    return writeOutput(file_, [&](std::ostream& out) { out << methodPage(run, nullptr); });
  }
  HW_TRY(svg, picture(run));
  return writeOutput(file_, [&](std::ostream& out) { out << svg; });
}

Outcome<std::string> StageOptions::picture(const Run& run) const {
  // The run outlives the stage.
  const Stage stage(std::shared_ptr<const Run>(std::shared_ptr<void>(), &run), 0);
  if (tick_.empty()) return stageFilm(stage, {}, true);
  const auto tick = static_cast<std::size_t>(*parseInteger(tick_));
  const std::size_t most = stage.record().ticks.size();
  if (tick > most) {
    return failure(ExitCode::badUsage, "--tick",
                   fmt::format("there are {} decisions; expected 0 to {}", most, most));
  }
  const Palette* palette = theme_ == "dark"    ? &Palette::dark()
                           : theme_ == "light" ? &Palette::light()
                                               : nullptr;
  return stageSvg(stage, tick, {.palette = palette});
}

}  // namespace hw::cli
