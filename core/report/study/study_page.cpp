#include "core/report/study/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/text.h"
#include "core/picture/value_axis.h"
#include "core/report/study/study_picture.h"
#include "core/report/study/study_rules.h"
#include "core/report/text/web_page.h"

namespace hw {
namespace {

/// Further models are left to the studio.
constexpr std::size_t kMostModels = 40;

class StudyPage : public WebPage {
 public:
  StudyPage(const StudyFile& file, std::size_t figure)
      : WebPage(std::filesystem::path(file.path).filename().string(),
                file.path + ": results of a study",
                fmt::format("{} of {}", countText(file.rows(), "run"),
                            countText(file.table.axes[0].values.size(), "model"))),
        file_(file),
        table_(file.table),
        figure_(figure),
        look_(lookOf(file.table, file.table.all(), figure)) {}

  std::string write(const std::string& how) {
    cards({{"runs with a plan that fits", groupDigits(file_.fitting),
            table_.size() < file_.fitting ? groupDigits(table_.size()) + " of them are shown"
                                          : "all below is about them"},
           {"without", groupDigits(file_.rows() - file_.fitting), "reasons at the end"}});
    shares();
    if (look_.pair) {
      const MultiplesScene scene = multiplesScene(table_, table_.all(), look_.pair->over,
                                                  look_.seriesOf(table_, *look_.pair), figure_);
      const double rows = std::ceil(static_cast<double>(scene.panels.size()) / 7);
      figure(scene, scene.title, 60 + 90 * rows, drawMultiples);
    }
    std::vector<StudyRows> byModel(table_.axes[0].values.size());
    for (const std::uint32_t row : table_.all()) byModel[table_.axes[0].codes[row]].push_back(row);
    if (byModel.size() > kMostModels) {
      list("Models", {fmt::format("the first {} of {}", kMostModels, byModel.size())}, "note");
      byModel.resize(kMostModels);
    }
    for (std::size_t i = 0; i < byModel.size(); ++i) model(table_.axes[0].values[i], byModel[i]);
    reasons();
    command("Make this page again", how);
    return finish("highwater");
  }

 private:
  void shares() {
    ReportTable shares{
        .title = "What " + figureTitle(table_.figures[figure_].key) + " depends on",
        .caption =
            "share of the variance of its logarithm between the values of an axis; the rest "
            "is what axes do together",
        .columns = {{"axis"}, {"values", true}, {"share", true}}};
    for (const AxisShare& each : sharesOf(table_, table_.all(), figure_)) {
      shares.rows.push_back({table_.axes[each.axis].name, groupDigits(each.values),
                             fmt::format("{:.1f} %", 100 * each.share)});
    }
    table(shares);
  }

  void model(const std::string& name, const StudyRows& rows) {
    heading(printable(name));
    const std::size_t across = table_.figure(look_.across);
    const DotsScene dots = dotsScene(table_, rows, {}, across, figure_);
    figure(dots, dots.title, 420, drawDots);
    if (look_.pair) {
      const auto& [down, over] = *look_.pair;
      const StudyPivot cells = pivot(table_, rows, down, over, figure_);
      const HeatScene heat = heatScene(table_, cells, down, over, figure_);
      figure(heat, heat.title, 70 + 26 * static_cast<double>(heat.lines.size()), drawHeat);
    }
    ReportTable front{.title = "Front",
                      .caption = "no other run is as good in both " + figureTitle(look_.across) +
                                 " and " + figureTitle(table_.figures[figure_].key)};
    std::vector<std::size_t> axes = look_.axes;
    std::ranges::sort(axes);
    for (const std::size_t axis : axes) front.columns.push_back({table_.axes[axis].name});
    for (const StudyTable::Figure& each : table_.figures) {
      front.columns.push_back({figureTitle(each.key), true});
    }
    for (const std::uint32_t row : frontOf(table_, rows, 0, {across, figure_})) {
      std::vector<std::string>& cells = front.rows.emplace_back();
      for (const std::size_t axis : axes) cells.push_back(valueName(table_.valueOf(axis, row)));
      for (const StudyTable::Figure& each : table_.figures) {
        const double value = each.numbers[row];
        cells.push_back(std::isnan(value) ? "\u2013" : valueText(value, kindOf(each.key)));
      }
    }
    table(front);
  }

  void reasons() {
    if (file_.reasons.empty()) return;
    ReportTable reasons{.title = "Without a plan that fits",
                        .columns = {{"reason"}, {"runs", true}}};
    for (const auto& [reason, count] : file_.reasons) {
      reasons.rows.push_back({printable(reason, 200), groupDigits(count)});
    }
    table(reasons);
  }

  const StudyFile& file_;
  const StudyTable& table_;
  std::size_t figure_;
  StudyLook look_;
};

}  // namespace

Result<std::string> studyPage(const StudyFile& file, const std::string& figure,
                              const std::string& command) {
  HW_TRY(key, figureNamed(figure));
  const auto known = std::ranges::find(file.table.figures, key, &StudyTable::Figure::key);
  if (known == file.table.figures.end()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("no row with a plan that fits has {}", key));
  }
  const auto place = static_cast<std::size_t>(known - file.table.figures.begin());
  return StudyPage(file, place).write(command);
}

}  // namespace hw
