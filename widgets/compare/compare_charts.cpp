#include "widgets/compare/compare_charts.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QHorizontalStackedBarSeries>
#include <QToolTip>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/report/compare/compare_report.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

/// The share of a bar in its row's height.
constexpr double kBarShare = 0.62;
/// Of the plot's width, for figures beside the longest bars.
constexpr double kFigureShare = 0.3;

}  // namespace

BarChart::BarChart(QWidget* parent)
    : QChartView(new QChart, parent),
      series_(new QHorizontalStackedBarSeries(this)),
      names_(new QBarCategoryAxis(this)),
      values_(new QValueAxis(this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  chart()->addSeries(series_);
  chart()->addAxis(names_, Qt::AlignLeft);
  chart()->addAxis(values_, Qt::AlignBottom);
  series_->attachAxis(names_);
  series_->attachAxis(values_);
  series_->setBarWidth(kBarShare);
  names_->setGridLineVisible(false);
  values_->setVisible(false);  // Each bar says its figure.
  applyTheme();
}

void BarChart::setBars(std::vector<Bar> bars) {
  bars_ = std::move(bars);
  current_ = std::min(current_, static_cast<int>(bars_.size()) - 1);
  series_->clear();
  names_->clear();
  const auto kinds = {Bar::Kind::plain, Bar::Kind::best, Bar::Kind::failed};
  const QString meanings[] = {tr("plan"), tr("best that fits"), tr("does not fit")};
  for (const Bar::Kind kind : kinds) {
    auto* set = new QBarSet(meanings[static_cast<std::size_t>(kind)]);
    // The axis counts from the bottom.
    for (auto bar = bars_.rbegin(); bar != bars_.rend(); ++bar) {
      *set << (bar->kind == kind ? bar->value.value_or(0) : 0);
    }
    series_->append(set);
  }
  QStringList names;
  double most = 0;
  for (auto bar = bars_.rbegin(); bar != bars_.rend(); ++bar) {
    // A QBarCategoryAxis drops repeated names: equal ones are numbered.
    QString name = bar->name;
    for (int more = 2; names.contains(name); ++more) name = tr("%1 (%2)").arg(bar->name).arg(more);
    names.append(name);
    most = std::max({most, bar->value.value_or(0), bar->mark.value_or(0)});
  }
  names_->append(names);
  values_->setRange(0, (most > 0 ? most : 1) / (1 - kFigureShare));
  const bool several =
      std::ranges::any_of(bars_, [&](const Bar& bar) { return bar.kind != bars_.front().kind; });
  chart()->legend()->setVisible(several);
  applyTheme();
  updateGeometry();
  viewport()->update();
}

void BarChart::setCurrent(int index) {
  current_ = index;
  viewport()->update();
}

void BarChart::applyTheme() {
  const Theme& theme = Theme::current();
  styleChart(*this);
  const QColor colors[] = {theme.highWater, theme.lowerBound, theme.hatch};
  const auto sets = series_->barSets();
  for (qsizetype i = 0; i < sets.size(); ++i) {
    QColor color = colors[i];
    color.setAlpha(theme.dark ? 150 : 130);
    sets[i]->setBrush(color);
    sets[i]->setPen(Qt::NoPen);
  }
}

QSize BarChart::sizeHint() const {
  const int rows = static_cast<int>(bars_.size()) + 2;  // With the legend.
  return {480, rows * (fontMetrics().height() + 18)};   // Qt cuts names of lower rows short.
}

double BarChart::toX(double value) const { return chart()->mapToPosition({value, 0}, series_).x(); }

QRectF BarChart::bandOf(int index) const {
  const QRectF plot = chart()->plotArea();
  const double height = plot.height() / std::max<double>(1, static_cast<double>(bars_.size()));
  return {plot.left(), plot.top() + index * height, plot.width(), height};
}

QRectF BarChart::barRect(int index) const {
  const Bar& bar = bars_[static_cast<std::size_t>(index)];
  if (!bar.value) return {};
  const QRectF band = bandOf(index);
  const double inset = band.height() * (1 - kBarShare) / 2;
  return {toX(0), band.top() + inset, toX(*bar.value) - toX(0), band.height() - 2 * inset};
}

int BarChart::indexAt(double y) const {
  const QRectF first = bandOf(0);
  const int index = static_cast<int>(std::floor((y - first.top()) / first.height()));
  return index >= 0 && index < static_cast<int>(bars_.size()) ? index : -1;
}

void BarChart::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  if (current_ < 0) return;
  QColor band = Theme::current().selection;
  band.setAlpha(hasFocus() ? 70 : 40);
  QRectF row = bandOf(current_);
  row.setLeft(0);
  painter->fillRect(row, band);
}

/// Figures beside the bars, and the lines that they are held against.
void BarChart::drawForeground(QPainter* painter, const QRectF&) {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setFont(font());
  for (int index = 0; index < static_cast<int>(bars_.size()); ++index) {
    const Bar& bar = bars_[static_cast<std::size_t>(index)];
    const QRectF band = bandOf(index);
    const double end = toX(std::max(bar.value.value_or(0), bar.mark.value_or(0)));
    const QRectF figure(end + 6, band.top(), viewport()->width() - end - 8, band.height());
    painter->setPen(bar.kind == Bar::Kind::failed ? theme.mutedText : theme.text);
    painter->drawText(
        figure, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(bar.text, Qt::ElideRight, static_cast<int>(figure.width())));
    if (!bar.mark) continue;
    painter->setPen(QPen(theme.lowerBound, 2));
    const double x = toX(*bar.mark);
    painter->drawLine(QPointF(x, band.top() + 1), QPointF(x, band.bottom() - 1));
  }
  painter->restore();
}

void BarChart::choose(int index) {
  if (index < 0 || index >= static_cast<int>(bars_.size())) return;
  setCurrent(index);
  Q_EMIT chosen(index);
}

void BarChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(indexAt(event->position().y()));
}

void BarChart::mouseMoveEvent(QMouseEvent* event) { event->accept(); }

void BarChart::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

/// Charts would zoom; here the wheel scrolls the area that this is in.
void BarChart::wheelEvent(QWheelEvent* event) { event->ignore(); }

void BarChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
    choose(std::max(0, current_ + (event->key() == Qt::Key_Up ? -1 : 1)));
  } else {
    QWidget::keyPressEvent(event);
  }
}

void BarChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

bool BarChart::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QChartView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int index = indexAt(help->pos().y());
  if (index < 0) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), bars_[static_cast<std::size_t>(index)].toolTip, this);
  }
  return true;
}

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
  connect(dots_, &DotChart::picked, this,
          [this](int dot) { Q_EMIT openWanted(rowsOfDots_[static_cast<std::size_t>(dot)]); });
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
  rowsOfDots_.clear();
  for (const ParetoPoint& point : scene.points) rowsOfDots_.push_back(static_cast<int>(point.row));
  if (scene.points.empty()) return dots_->clear();
  dots_->setScene(scene);
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
  const bool any = dot != scene.points.end();
  dots_->setMarked(any ? static_cast<int>(dot - scene.points.begin()) : DotChart::kNone);
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
