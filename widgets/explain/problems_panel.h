#pragma once

#include <QTreeWidget>
#include <vector>

#include "core/plan/validate.h"
#include "widgets/base/icons.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// One thing the user should know about a run.
struct ProblemLine {
  Glyph severity = Glyph::information;  ///< information, warning or error.
  QString kind{};                       ///< "out of memory", "size unknown", "copy", "note".
  QString subject{};                    ///< Its subject; may be empty.
  QString message{};
  StayId stay{};  ///< To select, if any.
  OpId op{};      ///< To go to, if any.
};

/// Everything worth knowing, worst first: what the independent check found, where memory ran out
/// and who held it, tensors without a size, dimensions that the model leaves open, copies that
/// remain with their reasons, notes. In the words of a window, not of the command line.
std::vector<ProblemLine> findingsOf(const Run& run, const std::vector<Violation>& violations);

/// The findings as a list; choosing one goes there.
class ProblemsPanel : public QTreeWidget {
  Q_OBJECT

 public:
  explicit ProblemsPanel(ViewState* state, QWidget* parent = nullptr);

  /// The findings of the independent check in the run on show.
  void setViolations(const std::vector<Violation>& violations);
  /// Warnings and errors among the findings.
  int seriousCount() const { return serious_; }

 Q_SIGNALS:
  void countChanged();

 private:
  void refresh();
  void accept(std::vector<ProblemLine> found);
  void follow(QTreeWidgetItem* item);

  ViewState* state_;
  std::vector<Violation> violations_;
  std::vector<ProblemLine> findings_;
  Background<std::vector<ProblemLine>> finding_;
  int serious_ = 0;
};

}  // namespace hw
