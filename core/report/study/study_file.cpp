#include "core/report/study/study_file.h"

#include <algorithm>
#include <cmath>

#include "core/report/study/study_rules.h"

namespace hw {
namespace {

/// Figures that are worth an axis of a picture or a column of a table.
constexpr const char* kShownFigures[] = {"latency_ps",    "peak",          "moved_bytes",
                                         "energy_pj",     "spilled_bytes", "reuse_waits_ps",
                                         "fragmentation", "capacity_l2",   "lower_bound"};
constexpr int kMostReasons = 20;

/// See `StudyFile::reasons`.
Result<std::vector<std::pair<std::string, std::size_t>>> reasonsOf(Database& results) {
  std::vector<std::pair<std::string, std::size_t>> reasons;
  HW_TRY(rows,
         results.rows("SELECT coalesce(nullif(error, ''), reason, status), count(*) FROM runs "
                      "WHERE state <> 'done' OR fits = 0 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
                      {kMostReasons}));
  reasons.reserve(rows.size() + 2);
  for (const auto& row : rows) {
    reasons.emplace_back(row[0].exact(), static_cast<std::size_t>(row[1].whole().value_or(0)));
  }
  HW_TRY(unmet, unmetRows(results));
  if (unmet > 0) reasons.emplace_back("does not meet the constraints of the study", unmet);
  std::ranges::stable_sort(reasons, std::greater(), &std::pair<std::string, std::size_t>::second);
  return reasons;
}

}  // namespace

std::optional<StudyRun> StudyFile::runOf(std::uint32_t row) const {
  if (!runs) return std::nullopt;
  std::map<std::string, std::string> values;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    values[table.axes[axis].name] = table.valueOf(axis, row);
  }
  return runs->find(values["model"], values["allocator"], values);
}

Result<StudyFile> readStudyFile(const std::string& path, const std::string& where,
                                const std::string& figure) {
  HW_TRY(results, openResults(path));
  HW_DO(results.execute("BEGIN"));  // All of it is of one moment.
  StudyFile file;
  file.path = path;
  HW_TRY(axes, axesOf(results));
  HW_TRY(rules, StudyRules::of(results));
  std::vector<std::string> figures(std::begin(kShownFigures), std::end(kShownFigures));
  std::erase_if(figures, [&](const std::string& key) { return !rules.keeps(key); });
  const bool isKnown = std::ranges::find(figures, figure) != figures.end();
  if (!figure.empty() && !isKnown) figures.push_back(figure);
  HW_TRY(table, readTable({results, where}, axes, figures));
  file.table = std::move(table);
  std::erase_if(file.table.figures, [](const StudyTable::Figure& each) {
    return std::ranges::all_of(each.numbers, [](double number) { return std::isnan(number); });
  });
  HW_TRY(counts, countsOf(results));
  static_cast<StudyCounts&>(file) = std::move(counts);
  HW_TRY(fitting, ask({results}, "count(*)"));
  HW_TRY(fittingRows, fitting.all());
  file.fitting = static_cast<std::size_t>(fittingRows[0][0].whole().value_or(0));
  HW_TRY(reasons, reasonsOf(results));
  file.reasons = std::move(reasons);
  std::size_t told = file.fitting;
  for (const auto& [reason, count] : file.reasons) told += count;
  if (told < file.rows()) file.reasons.emplace_back("other reasons", file.rows() - told);
  HW_TRY(text, metaOf(results, "study"));
  HW_TRY(folder, metaOf(results, "folder"));
  const auto study = parseStudy(text);
  auto runs = study ? StudyRuns::of(*study, folder) : tl::unexpected(study.error());
  if (runs) {
    file.runs = std::move(*runs);
  } else {
    file.why = runs.error().text();
  }
  file.study = std::move(text);
  file.folder = std::move(folder);
  return file;
}

}  // namespace hw
