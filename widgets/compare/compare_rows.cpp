#include <QMenu>
#include <algorithm>

#include "core/report/plan/plan_text.h"
#include "widgets/compare/compare_panel.h"

namespace hw {
namespace {

QAction* add(QMenu* menu, const QString& name, const QString& text, const QString& whyNot) {
  QAction* action = menu->addAction(text);
  action->setObjectName(name);
  action->setEnabled(whyNot.isEmpty());
  action->setToolTip(whyNot);
  return action;
}

}  // namespace

bool ComparePanel::hasFailed(int row) const {
  const ComparisonRow* one = model_->row(row);
  return one != nullptr && one->run && !one->fits();
}

void ComparePanel::openRow(int row) {
  const ComparisonRow* one = model_->row(row);
  if (one != nullptr && one->run && row != model_->rowOfA()) Q_EMIT runWanted(one->run);
}

void ComparePanel::toggleBelow(int row) {
  const ComparisonRow* one = model_->row(row);
  if (one == nullptr || !one->run || row == model_->rowOfA()) return;
  if (const auto shown = model_->below(row)) {
    Q_EMIT closeWanted(shown);
  } else {
    Q_EMIT belowWanted(one->run);
  }
}

void ComparePanel::autopsyRow(int row) {
  if (!hasFailed(row)) return;
  const bool onShow = row == model_->rowOfA();
  const auto run = onShow ? state_->run() : model_->row(row)->run;
  if (!onShow) Q_EMIT runWanted(run);
  Q_EMIT autopsyWanted(run);
}

void ComparePanel::clicked(const QModelIndex& index) {
  const int row = table_->rowOf(index);
  if (index.column() == CompareModel::shown) {
    toggleBelow(row);
  } else if (index.column() == CompareModel::verdict && hasFailed(row)) {
    autopsyRow(row);
  } else {
    openRow(row);
  }
}

std::shared_ptr<const Run> ComparePanel::otherRun() const {
  const auto usable = [this](int row) {
    const ComparisonRow* one = model_->row(row);
    return one != nullptr && one->run && row != model_->rowOfA() && !model_->below(row);
  };
  if (usable(table_->currentRow())) return model_->row(table_->currentRow())->run;
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (usable(row)) return model_->row(row)->run;
  }
  return nullptr;
}

void ComparePanel::fillRowMenu(QMenu* menu, int row) {
  const ComparisonRow* one = model_->row(row);
  if (one == nullptr) return;
  const bool onShow = row == model_->rowOfA();
  const auto below = model_->below(row);
  const QString noPlan = one->run ? QString() : tr("There is no plan to show");
  const QString isA = onShow ? tr("This is the plan on show") : noPlan;
  connect(add(menu, QStringLiteral("rowOpen"), tr("&Open this plan"), isA), &QAction::triggered,
          this, [this, row] { openRow(row); });
  connect(add(menu, QStringLiteral("rowBelow"),
              below ? tr("&Close its maps below") : tr("Show its maps &below"), isA),
          &QAction::triggered, this, [this, row] { toggleBelow(row); });
  connect(add(menu, QStringLiteral("rowDivergence"), tr("First &divergence from A"), isA),
          &QAction::triggered, this,
          [this, row, below] { Q_EMIT divergenceWanted(below ? below : model_->row(row)->run); });
  const QString fits = hasFailed(row) ? QString() : one->run ? tr("Its plan fits") : noPlan;
  connect(add(menu, QStringLiteral("rowAutopsy"), tr("&Why it does not fit"), fits),
          &QAction::triggered, this, [this, row] { autopsyRow(row); });
  menu->addSeparator();
  QAction* copy = add(menu, QStringLiteral("tableCopy"), tr("Copy the table as CS&V"), {});
  connect(copy, &QAction::triggered, table_, &CompareTable::copy);
  QMenu* columns = table_->columnMenu(menu);
  columns->setTitle(tr("Co&lumns"));
  menu->addMenu(columns);
}

void ComparePanel::showRowMenu(int row, const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  fillRowMenu(menu, row);
  menu->popup(at);
}

}  // namespace hw
