#include "widgets/compare/fragmentation_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/picture/chart_scene.h"
#include "widgets/text/run_label.h"
#include "widgets/text/run_text.h"

namespace hw {

FragmentationPanel::FragmentationPanel(ViewState* state, CompareModel* model, QWidget* parent)
    : QWidget(parent),
      state_(state),
      model_(model),
      which_(new QComboBox(this)),
      pool_(new QComboBox(this)),
      chart_(new FragmentationChart(state, this)) {
  which_->addItems({tr("Plans on show"), tr("All that fit")});
  which_->setObjectName(QStringLiteral("fragmentationRuns"));
  which_->setAccessibleName(tr("Whose fragmentation is drawn"));
  which_->setToolTip(tr("A and the plans below it, or the first %1 rows of the comparison that fit")
                         .arg(kSeriesInks));
  pool_->setObjectName(QStringLiteral("fragmentationPool"));
  pool_->setAccessibleName(tr("Pool"));
  chart_->setToolTip(
      tr("1 \u2212 largest hole / all holes below the highest live byte, at every "
         "step; its mean is the table's figure. A click goes to that step"));
  setMinimumSize(240, 90);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(4, 2, 4, 2);
  head->addWidget(which_);
  head->addWidget(pool_);
  head->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(chart_, 1);
  const auto again = [this] { showRuns(); };
  connect(state, &ViewState::runChanged, this, [this] {
    showPools();
    showRuns();
  });
  connect(which_, &QComboBox::currentIndexChanged, this, again);
  connect(model_, &QAbstractItemModel::modelReset, this, again);
  connect(pool_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index >= 0) chart_->setPool(PoolId(static_cast<std::size_t>(index)));
  });
  showPools();
  showRuns();
}

void FragmentationPanel::showPools() {
  const int before = std::max(0, pool_->currentIndex());
  const QSignalBlocker quiet(pool_);
  pool_->clear();
  const auto run = state_->run();
  pool_->setEnabled(run != nullptr);
  pool_->setToolTip(run ? tr("The pool that is looked at") : tr("Open a model first"));
  if (!run) return;
  for (const PoolId pool : run->problem.pools.keys()) pool_->addItem(poolText(*run, pool));
  pool_->setCurrentIndex(std::min(before, pool_->count() - 1));
  chart_->setPool(PoolId(static_cast<std::size_t>(pool_->currentIndex())));
}

void FragmentationPanel::setBelow(std::vector<std::shared_ptr<const Run>> runs) {
  below_ = std::move(runs);
  showRuns();
}

void FragmentationPanel::showRuns() {
  std::vector<FragmentationChart::Entry> entries;
  const auto run = state_->run();
  if (run) entries.push_back({tr("A: %1").arg(runLabel(*run)), run});
  const bool all = which_->currentIndex() == 1;
  for (std::size_t i = 0; run && !all && i < below_.size(); ++i) {
    entries.push_back({tr("%1: %2").arg(runLetter(i + 1), runLabel(*below_[i])), below_[i]});
  }
  for (int row = 0; run && all && row < model_->rowCount(); ++row) {
    const ComparisonRow& one = *model_->row(row);
    if (!one.fits() || row == model_->rowOfA() || entries.size() == kSeriesInks) continue;
    entries.push_back({runLabel(*one.run), one.run});
  }
  chart_->setEntries(std::move(entries));
}

}  // namespace hw
