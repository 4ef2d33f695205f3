#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QString>
#include <QTableWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/insight/advice.h"
#include "core/shrink/shrink.h"
#include "widgets/charts/dot_chart.h"
#include "widgets/jobs/work_panel.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Ways to make the memory of a run smaller: the front of its rewrites, and what else helps.
struct ShrinkFindings {
  std::shared_ptr<const ShrinkFront> front{};  ///< Null where operators cannot be rewritten.
  QString whyNot{};                            ///< Then: in a sentence.
  /// Other methods, alignments, and room that the caller could provide; where operators cannot be
  /// rewritten, all advice that there is. Null before it has been looked for.
  std::shared_ptr<const AdviceReport> advice{};
};

/// One thing to do, and what it comes to.
struct ShrinkStep {
  QString what{};
  QString options{};                  ///< Those of the command line that do it.
  QString why{};                      ///< Its result, or the reason that it was not tried.
  std::shared_ptr<const Run> run{};   ///< Null where it was not tried.
  std::shared_ptr<const Run> base{};  ///< The run that it is held against.
  Bytes leaves{};
  Bytes saved{};
  std::optional<Bytes> bound{};  ///< No plan with that needs less.
  bool anyOrder = false;         ///< Whatever the order.
  double extraMacs = 0;          ///< Multiplications made again / those of the model.
};

/// From the plan as it is down to the smallest; those that were not tried at the end.
std::vector<ShrinkStep> shrinkSteps(const ShrinkFindings& findings);

/// Ways to make the memory of the plan on show smaller: a table of what each step saves and costs,
/// or why it saves nothing, over the facts of the chosen one; and a chart of bytes against latency,
/// with the lower bounds, drawn while it grows. Looks only when asked to, in the background; a dot
/// or a row can be opened as the plan on show, with the one of before below it in lock-step.
class ShrinkPanel : public WorkPanel {
  Q_OBJECT

 public:
  enum Column { what, leaves, saves, latency, kColumns };

  explicit ShrinkPanel(ViewState* state, QWidget* parent = nullptr);

  /// The chart of the answer, which the window shows beside this list.
  DotChart* chart() const { return chart_; }
  QTableWidget* table() const { return table_; }

  const ShrinkFindings& findings() const { return findings_; }
  /// The smallest plan that is as fast as the one before, or else the smallest of all.
  Figure answer() const override;
  /// The rows of the table.
  const std::vector<ShrinkStep>& steps() const { return steps_; }
  /// The plan that was on show when the search began; null without findings.
  const std::shared_ptr<const Run>& before() const { return before_; }
  /// Of the next search.
  void setOptions(ShrinkOptions options) { options_ = std::move(options); }

 public Q_SLOTS:
  /// Looks, unless all is found for these settings.
  void start() override;

 Q_SIGNALS:
  /// To be shown instead of the plan on show; `text` says what it does.
  void openWanted(std::shared_ptr<const hw::Run> run, const QString& text);
  /// To be shown below it.
  void belowWanted(std::shared_ptr<const hw::Run> run);
  /// The model is to be written as one that a runtime runs in less memory.
  void saveWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildTable();
  QWidget* buildButtons();
  void shareWidth();
  void showRun();
  void setFindings(ShrinkFindings findings);
  JobEnd finish(const ShrinkFindings& found);
  void fillTable();
  int rowOfAnswer() const;
  void refresh() override;
  bool isCurrent(const Run& run) const;
  bool isSame(const Run& run, const Run& other) const;
  const ShrinkStep* chosen() const;
  void openChosen();
  void openDot(int dot);
  QString emptyReason() const;
  QString noteText() const;
  int markedDot() const;

  ViewState* state_;
  DotChart* chart_;
  QTableWidget* table_;
  QLabel* facts_;  ///< Of the chosen step.
  QPushButton* below_;
  QPushButton* open_;
  QPushButton* save_;  ///< Of models that can be: TFLite files.
  ShrinkOptions options_;
  ShrinkFindings findings_;
  std::vector<ShrinkStep> steps_;
  std::shared_ptr<const Run> before_;
  bool whole_ = false;  ///< The search went to its end.
};

}  // namespace hw
