#include "widgets/panels/moment_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/panels/run_text.h"

namespace hw {

MomentPanel::MomentPanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      pool_(new QComboBox(this)),
      when_(new QComboBox(this)),
      sum_(new QLabel(this)),
      view_(new MethodTableView(state, this)) {
  pool_->setAccessibleName(tr("Pool"));
  when_->setAccessibleName(tr("When"));
  when_->addItem(tr("At its peak"));
  when_->addItem(tr("At this step"));
  when_->setToolTip(tr("The step that makes the pool as large as it is, or the step under way"));
  sum_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sum_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  view_->setObjectName(QStringLiteral("momentTable"));
  view_->setAccessibleName(tr("Live tensors and holes"));

  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 3, 8, 3);
  head->setSpacing(8);
  head->addWidget(pool_);
  head->addWidget(when_);
  head->addWidget(sum_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(view_, 1);

  connect(state, &ViewState::runChanged, this, &MomentPanel::showRun);
  connect(state, &ViewState::momentChanged, this, [this] {
    if (when_->currentIndex() == 1 && shown_ != state_->step()) showMoment();
  });
  const auto again = [this] { showMoment(); };
  connect(pool_, &QComboBox::currentIndexChanged, this, again);
  connect(when_, &QComboBox::currentIndexChanged, this, again);
  showRun();
}

void MomentPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!shown_) showMoment();
}

void MomentPanel::showRun() {
  const auto run = state_->run();
  const QString before = pool_->currentText();
  const QSignalBlocker quiet(pool_);
  pool_->clear();
  if (run) {
    for (const PoolId pool : run->problem.pools.keys()) pool_->addItem(poolText(*run, pool));
  }
  pool_->setEnabled(pool_->count() > 0);
  when_->setEnabled(pool_->count() > 0);
  pool_->setCurrentIndex(pool_->count() == 0 ? -1 : std::max(0, pool_->findText(before)));
  showMoment();
}

void MomentPanel::showMoment() {
  shown_.reset();
  const auto run = state_->run();
  if (run && !isVisible()) return;  // Looked up when somebody looks.
  const int index = pool_->currentIndex();
  if (!run || index < 0) {
    sum_->setText(tr("Open a model to see what makes its memory as large as it is."));
    view_->setTable(nullptr, {});
    return;
  }
  const PoolId pool(static_cast<std::size_t>(index));
  const bool now = when_->currentIndex() == 1;
  const auto step = now ? std::optional(state_->step()) : peakStep(run->problem, run->plan, pool);
  shown_ = step.value_or(Step());
  if (!step) {
    sum_->setText(tr("Nothing lives here."));
    view_->setTable(nullptr, {});
    return;
  }
  const Moment moment = momentAt(run->problem, run->plan, pool, *step);
  sum_->setText(sumText(moment));
  sum_->setToolTip(sum_->text());
  view_->setTable(run, tableOf(moment));
}

QString MomentPanel::sumText(const Moment& moment) const {
  return tr("Step %1: %2 live + %3 in holes + %4 above = %5")
      .arg(moment.step.count())
      .arg(sizeText(moment.live), sizeText(moment.holeBytes), sizeText(moment.above),
           sizeText(moment.footprint));
}

/// Largest first, tensors and holes alike.
MethodTable MomentPanel::tableOf(const Moment& moment) const {
  const auto title = [](const QString& text) { return text.toStdString(); };
  MethodTable table{.columns = {title(tr("what")), title(tr("tensor")), title(tr("bytes")),
                                title(tr("% of pool")), title(tr("offset")),
                                title(tr("first step")), title(tr("last step")), title(tr("below")),
                                title(tr("above"))}};
  const auto share = [&](Bytes bytes) {
    const double part = static_cast<double>(bytes.count()) /
                        static_cast<double>(std::max(moment.footprint, Bytes(1)).count());
    return std::int64_t{std::lround(part * 100)};
  };
  for (const Moment::Tenant& tenant : moment.tenants) {
    const Bytes size = tenant.bytes.length();
    addRow(table, {title(tr("tensor")), tenant.stay, size, share(size), tenant.bytes.begin,
                   tenant.steps.begin.count(), tenant.steps.end.count() - 1, std::string(),
                   std::string()});
  }
  for (const Moment::Hole& hole : moment.holes) {
    const Bytes size = hole.bytes.length();
    addRow(table,
           {title(tr("hole")), std::string(), size, share(size), hole.bytes.begin, std::string(),
            hole.until.count() - 1,
            hole.below ? MethodCell(hole.below) : MethodCell(title(tr("the bottom"))), hole.above});
  }
  std::ranges::stable_sort(table.rows, std::greater{},
                           [](const auto& row) { return std::get<Bytes>(row[2]); });
  return table;
}

}  // namespace hw
