#include "widgets/explain/problems_panel.h"

#include <QHeaderView>
#include <algorithm>

namespace hw {

ProblemsPanel::ProblemsPanel(ViewState* state, QWidget* parent)
    : QTreeWidget(parent), state_(state) {
  setAccessibleName(tr("Problems and notes"));
  setFrameShape(QFrame::NoFrame);
  setColumnCount(3);
  setHeaderLabels({tr("Kind"), tr("About"), tr("What and why")});
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAlternatingRowColors(true);
  setTextElideMode(Qt::ElideRight);
  const int character = fontMetrics().averageCharWidth();
  setColumnWidth(0, 18 * character);
  setColumnWidth(1, 28 * character);
  connect(state, &ViewState::runChanged, this, [this] {
    violations_.clear();
    refresh();
  });
  connect(this, &QTreeWidget::itemClicked, this, &ProblemsPanel::follow);
  connect(this, &QTreeWidget::itemActivated, this, &ProblemsPanel::follow);
  refresh();
}

void ProblemsPanel::setViolations(const std::vector<Violation>& violations) {
  violations_ = violations;
  refresh();
}

void ProblemsPanel::refresh() {
  clear();
  findings_.clear();
  if (state_->run()) findings_ = findingsOf(*state_->run(), violations_);
  QList<QTreeWidgetItem*> items;
  for (const ProblemLine& finding : findings_) {
    auto* item = new QTreeWidgetItem({finding.kind, finding.subject, finding.message});
    item->setIcon(0, glyphIcon(finding.severity));
    item->setToolTip(2, finding.message);
    items.append(item);
  }
  if (findings_.empty()) {
    const QString text = state_->run() ? tr("nothing to report") : tr("no model is open");
    items.append(new QTreeWidgetItem({QString(), QString(), text}));
    items.back()->setDisabled(true);
  }
  addTopLevelItems(items);
  serious_ = static_cast<int>(std::ranges::count_if(findings_, [](const ProblemLine& finding) {
    return finding.severity != Glyph::information;
  }));
  Q_EMIT countChanged();
}

void ProblemsPanel::follow(QTreeWidgetItem* item) {
  const auto row = static_cast<std::size_t>(indexOfTopLevelItem(item));
  if (row >= findings_.size() || !state_->run()) return;
  const ProblemLine finding = findings_[row];
  if (finding.stay) {
    state_->setStep(state_->run()->problem.stays[finding.stay].steps.begin);
    state_->select(finding.stay);
  }
  if (finding.op) {
    state_->selectOp(finding.op);
    state_->setStep(state_->run()->schedule.stepOf[finding.op]);
  }
}

}  // namespace hw
