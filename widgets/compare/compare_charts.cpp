#include "widgets/compare/compare_charts.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/report/compare/compare_report.h"
#include "widgets/text/run_text.h"

namespace hw {
namespace {

constexpr std::array kFigures = {CompareModel::peak,     CompareModel::gap,
                                 CompareModel::planning, CompareModel::latency,
                                 CompareModel::moved,    CompareModel::fragmentation};

}  // namespace

CompareCharts::CompareCharts(CompareModel* model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      figure_(new QComboBox(this)),
      chart_(new BarChart(this)),
      dots_(new DotChart(this)),
      area_(new QScrollArea(this)),
      empty_(new QLabel(tr("Compare first (Ctrl+D): the figures of all plans are drawn here."),
                        this)) {
  for (const int column : kFigures) {
    figure_->addItem(model_->title(column));
    figure_->setItemData(figure_->count() - 1, model_->meaning(column), Qt::ToolTipRole);
  }
  figure_->addItem(tr("Peak against latency"));
  figure_->setItemData(figure_->count() - 1, tr("Every plan that fits as a dot; a click opens it"),
                       Qt::ToolTipRole);
  figure_->setObjectName(QStringLiteral("barFigure"));
  figure_->setAccessibleName(tr("What the bars show"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  area_->setWidget(chart_);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumSize(240, 90);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(4, 2, 4, 2);
  head->addWidget(figure_);
  head->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(area_, 1);
  layout->addWidget(dots_, 1);
  layout->addWidget(empty_, 1);
  dots_->setAccessibleName(tr("Peak against latency; Left and Right go from plan to plan"));
  dots_->setEmptyText(tr("No plan that fits has a latency: that takes operators."));
  const auto again = [this] { showComparison(); };
  connect(figure_, &QComboBox::currentIndexChanged, this, again);
  connect(model_, &QAbstractItemModel::modelReset, this, again);
  connect(model_, &QAbstractItemModel::dataChanged, this, again);
  connect(chart_, &BarChart::chosen, this, &CompareCharts::rowChosen);
  connect(dots_, &DotChart::picked, this, [this](const QString& id) {
    Q_EMIT openWanted(id.mid(id.indexOf(QLatin1Char('-')) + 1).toInt());
  });
  showComparison();
}

bool CompareCharts::inDots() const { return figure_->currentIndex() == std::ssize(kFigures); }

int CompareCharts::column() const {
  const int most = static_cast<int>(kFigures.size()) - 1;
  return kFigures[static_cast<std::size_t>(std::clamp(figure_->currentIndex(), 0, most))];
}

void CompareCharts::setCurrentRow(int row) { chart_->setCurrent(row); }

void CompareCharts::showDots() {
  const auto comparison = model_->comparison();
  const ParetoScene scene = comparison ? paretoScene(*comparison) : ParetoScene();
  if (scene.points.empty()) return dots_->setDrawing(nullptr);
  dots_->setDrawing(
      [scene](Canvas& canvas, const Box& where) { drawPareto(canvas, scene, where); });
  // Of plans in one place there is one dot.
  const auto isShown = [&](const ParetoPoint& point) {
    return static_cast<int>(point.row) == model_->rowOfA();
  };
  const auto shown = std::ranges::find_if(scene.points, isShown);
  const auto isDot = [&](const ParetoPoint& point) {
    return shown != scene.points.end() && point.peak == shown->peak &&
           point.latency == shown->latency && point.series == shown->series;
  };
  const auto dot = std::ranges::find_if(scene.points, isDot);
  dots_->setMarked(dot == scene.points.end() ? "" : "plan-" + std::to_string(dot->row));
}

void CompareCharts::setFigure(int column) {
  const auto found = std::ranges::find(kFigures, column);
  if (found != kFigures.end()) figure_->setCurrentIndex(static_cast<int>(found - kFigures.begin()));
}

Bar CompareCharts::barOf(int index) const {
  const ComparisonRow& row = *model_->row(index);
  const auto cell = [&](int column) { return model_->index(index, column).data(); };
  const QString letter = cell(CompareModel::shown).toString();
  Bar bar;
  bar.name = cell(CompareModel::allocator).toString();
  if (!model_->isIdle(CompareModel::platform)) {
    bar.name = tr("%1 on %2").arg(bar.name, cell(CompareModel::platform).toString());
  }
  if (!letter.isEmpty()) bar.name = QStringLiteral("%1: %2").arg(letter, bar.name);
  bar.toolTip = QStringLiteral("%1\n%2").arg(bar.name, model_->meaning(column()));
  bar.kind = row.best ? Bar::Kind::best : row.fits() ? Bar::Kind::plain : Bar::Kind::failed;
  bar.value = model_->figure(index, column());
  bar.text = cell(bar.value ? column() : CompareModel::verdict).toString();
  if (row.run && !row.fits()) bar.text = tr("%1, does not fit").arg(bar.text);
  if (column() == CompareModel::peak && row.run) {
    bar.mark = static_cast<double>(row.figures.lowerBound.count());
    bar.toolTip += tr("\nLower bound %1").arg(sizeText(row.figures.lowerBound));
  }
  return bar;
}

void CompareCharts::showComparison() {
  const bool any = model_->rowCount() > 0;
  area_->setVisible(any && !inDots());
  dots_->setVisible(any && inDots());
  empty_->setVisible(!any);
  figure_->setEnabled(any);
  figure_->setToolTip(!any ? tr("There is nothing to draw yet")
                      : inDots()
                          ? figure_->itemData(figure_->currentIndex(), Qt::ToolTipRole).toString()
                          : model_->meaning(column()));
  if (inDots()) return showDots();
  std::vector<Bar> bars;
  for (int row = 0; row < model_->rowCount(); ++row) bars.push_back(barOf(row));
  chart_->setAccessibleName(tr("%1 of all plans as bars").arg(model_->title(column())));
  chart_->setBars(std::move(bars));
  chart_->setMinimumHeight(chart_->sizeHint().height());
}

QString CompareCharts::emptyText() const { return empty_->isHidden() ? QString() : empty_->text(); }

}  // namespace hw
