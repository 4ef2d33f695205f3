#include "widgets/compare/difference_panel.h"

#include <QBarSet>
#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/picture/plot.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

enum By { bySize, byLifetime };
enum What { bytes, number };

QComboBox* newBox(const QString& name, const QStringList& items, QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setAccessibleName(name);
  box->setToolTip(name);
  box->addItems(items);
  return box;
}

/// Rows of figures of both, with a column each.
class FigureRows {
 public:
  template <class Value, class Text>
  void add(const QString& name, const std::optional<Value>& a, const std::optional<Value>& b,
           const Text& text) {
    if (!a && !b) return;
    const auto word = [&](const std::optional<Value>& value) {
      return QStringLiteral("<td align=right>%1</td>")
          .arg(value ? text(*value) : QStringLiteral("\u2013"));
    };
    const QString same = QStringLiteral("<td align=right>%1</td>").arg(tr("same"));
    html_ += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td>%2<td>&nbsp;&nbsp;</td>%3</tr>")
                 .arg(name.toHtmlEscaped(), word(a), a == b ? same : word(b));
  }
  QString html() const {
    return QStringLiteral(
               "<table><tr><td></td><td align=right><b>A</b></td><td></td>"
               "<td align=right><b>B</b></td></tr>%1</table>")
        .arg(html_);
  }

 private:
  QString html_;
};

QString differenceText(const RunDifference& difference) {
  const RunFigures& left = difference.a;
  const RunFigures& right = difference.b;
  const auto size = [](Bytes bytes) { return sizeText(bytes); };
  const auto share = [](double ratio) { return percentText(ratio); };
  FigureRows rows;
  for (const PoolDiff& pool : difference.plans.pools) {
    rows.add(tr("%1 peak").arg(viewText(printable(pool.name, 40))), pool.peakA, pool.peakB, size);
  }
  rows.add(tr("Total peak"), std::optional(left.peak()), std::optional(right.peak()), size);
  rows.add(tr("Live in all memories"), std::optional(left.lowerBound),
           std::optional(right.lowerBound), size);
  rows.add(tr("Moved to L3"), left.spilled, right.spilled, size);
  rows.add(tr("Latency"), left.latency, right.latency, [](SimTime time) { return timeText(time); });
  rows.add(tr("Holes, mean"), left.fragmentation, right.fragmentation, share);
  rows.add(tr("Bytes reused"), left.reuse, right.reuse, share);
  const PlanDiff& plans = difference.plans;
  return rows.html() +
         QStringLiteral("<p>%1</p>")
             .arg(tr("%1 of %2 tensors lie in the same place; %3 are in A alone, %4 in B alone")
                      .arg(grouped(plans.same), grouped(plans.same + plans.changes.size()),
                           grouped(plans.count(PlanChange::onlyInA)),
                           grouped(plans.count(PlanChange::onlyInB))));
}

}  // namespace

DifferencePanel::DifferencePanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      text_(new QLabel(this)),
      divergence_(new QPushButton(tr("Go to the first difference"), this)),
      by_(newBox(tr("What is alike in a class"), {tr("By size"), tr("By lifetime")}, this)),
      what_(newBox(tr("What bars show"), {tr("Bytes"), tr("Buffers")}, this)),
      pool_(newBox(tr("The memory that bars are about"), {}, this)),
      view_(new QChartView(new QChart, this)),
      bars_(new QHorizontalBarSeries(this)),
      classes_(new QBarCategoryAxis(this)),
      values_(new QCategoryAxis(this)) {
  setObjectName(QStringLiteral("differencePanel"));
  text_->setTextFormat(Qt::RichText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  view_->setAccessibleName(tr("What the two plans hold, by class"));
  view_->setMinimumHeight(180);
  for (std::size_t place = 0; place < sets_.size(); ++place) {
    sets_[place] = new QBarSet(runLetter(place));
    bars_->append(sets_[place]);
  }
  view_->chart()->addSeries(bars_);
  view_->chart()->addAxis(classes_, Qt::AlignLeft);
  view_->chart()->addAxis(values_, Qt::AlignBottom);
  bars_->attachAxis(classes_);
  bars_->attachAxis(values_);
  classes_->setGridLineVisible(false);
  auto* choices = new QHBoxLayout;
  for (QComboBox* box : {by_, what_, pool_}) {
    choices->addWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, &DifferencePanel::showBars);
  }
  choices->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->addWidget(text_);
  column->addWidget(divergence_, 0, Qt::AlignLeft);
  column->addLayout(choices);
  column->addWidget(view_, 1);
  connect(divergence_, &QPushButton::clicked, this, [this] { Q_EMIT divergenceWanted(below_); });
  new SeenWatch(this, [this] { compare(); });
  setBelow(nullptr);
}

void DifferencePanel::setBelow(std::shared_ptr<const Run> run) {
  below_ = std::move(run);
  difference_ = nullptr;
  stale_ = true;
  comparing_.drop();
  compare();
}

/// When somebody looks, in the background: two lists of all placements are made.
void DifferencePanel::compare() {
  const auto a = state_->run();
  if (stale_ && a && below_ && isSeen(this)) {
    stale_ = false;
    comparing_.start(
        isSmallRun(*a) && isSmallRun(*below_),
        [a, b = below_] {
          return std::make_shared<const RunDifference>(
              RunDifference{figuresOf(*a), figuresOf(*b),
                            diffPlans({.name = "A", .plan = describePlan(*a)},
                                      {.name = "B", .plan = describePlan(*b)})});
        },
        [this](std::shared_ptr<const RunDifference> made) {
          difference_ = std::move(made);
          showText();
          showPools();
        });
  }
  showText();
  showPools();
}

void DifferencePanel::showText() {
  const auto a = state_->run();
  const bool both = a && below_;
  for (QWidget* part : std::initializer_list<QWidget*>{divergence_, by_, what_, pool_, view_}) {
    part->setVisible(both);
  }
  if (!both) {
    text_->setText(
        tr("Show a second plan below the first one: tick it in the table, or open "
           "another file below."));
    return;
  }
  QString text = QStringLiteral("<p><b>%1</b><br>%2<br>%3</p>")
                     .arg(tr("B against A"), tr("A: %1").arg(runLabel(*a)).toHtmlEscaped(),
                          tr("B: %1").arg(besideLabel(*below_, *a)).toHtmlEscaped());
  if (difference_) text += differenceText(*difference_);
  text_->setText(text);
}

void DifferencePanel::showPools() {
  {
    const QSignalBlocker quiet(pool_);
    const QString before = pool_->currentText();
    pool_->clear();
    if (difference_) {
      for (const PoolDiff& pool : difference_->plans.pools) {
        pool_->addItem(viewText(printable(pool.name, 40)));
      }
    }
    pool_->setCurrentIndex(std::max(0, pool_->findText(before)));
  }
  showBars();
}

std::vector<const DiffClass*> DifferencePanel::shownClasses() const {
  std::vector<const DiffClass*> shown;
  if (!difference_ || difference_->plans.pools.empty()) return shown;
  const auto pool = static_cast<std::size_t>(std::max(0, pool_->currentIndex()));
  const auto& all =
      by_->currentIndex() == bySize ? difference_->plans.sizes : difference_->plans.lifetimes;
  for (const DiffClass& each : all) {
    if (each.pool == difference_->plans.pools[pool].name) shown.push_back(&each);
  }
  return shown;
}

/// The two sets of bars are kept and get other values, because the legend belongs to them.
void DifferencePanel::showBars() {
  const bool ofBytes = what_->currentIndex() == bytes;
  QStringList names;
  std::array<QList<qreal>, 2> lengths;
  double most = 1;
  for (const DiffClass* each : shownClasses()) {
    const std::int64_t from = std::int64_t{1} << each->power;
    names.append(by_->currentIndex() == bySize ? viewText(sizeWord(Bytes(from))) : grouped(from));
    const auto add = [&](std::size_t place, Bytes size, std::size_t count) {
      lengths[place].append(ofBytes ? static_cast<double>(size.count())
                                    : static_cast<double>(count));
      most = std::max(most, lengths[place].back());
    };
    add(0, each->bytesA, each->countA);
    add(1, each->bytesB, each->countB);
  }
  styleChart(*view_);
  for (std::size_t place = 0; place < sets_.size(); ++place) {
    sets_[place]->setBrush(penOf(seriesStroke(place)).color());
    sets_[place]->setPen(Qt::NoPen);
  }
  const QString what =
      by_->currentIndex() == bySize ? tr("by size of buffer") : tr("by life of buffer, in steps");
  view_->chart()->setTitle(tr("%1: %2").arg(pool_->currentText(), what));
  // QtCharts loses bars whose values are set again while they still grow.
  if (names == classes_->categories() && lengths == lengths_) return;
  lengths_ = lengths;
  for (std::size_t place = 0; place < sets_.size(); ++place) {
    sets_[place]->remove(0, sets_[place]->count());
    sets_[place]->append(lengths[place]);
  }
  classes_->setCategories(names);
  setTicks(*values_, 0, most, ofBytes ? byteTicks(0, most) : RunAxis{0, most}.ticks(0.2));
}

void DifferencePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showBars();
}

}  // namespace hw
