#include "widgets/map/map_legend.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>

#include "core/picture/map_scene.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kLegendSwatch = 12;
constexpr int kLegendGap = 16;   ///< Between two lines.
constexpr int kLegendLine = 24;  ///< Of a sample.

constexpr std::pair<std::string_view, ReferenceLine::Kind> kLines[] = {
    {"live peak", ReferenceLine::Kind::lowerBound},
    {"capacity", ReferenceLine::Kind::capacity},
    {"highest address", ReferenceLine::Kind::peak}};

/// Of operators in parts.
constexpr std::string_view kReadAgain = "kept to be read again";
constexpr std::string_view kMadeAgain = "made again";
/// Of plans that do not say.
constexpr std::string_view kGuessed = "life unknown";

std::set<ReferenceLine::Kind> linesOf(const Run& run) {
  std::set<ReferenceLine::Kind> kinds;
  for (const PoolId pool : usedPools(run)) {
    for (const ReferenceLine& line : referenceLines(run, pool)) {
      if (static_cast<double>(line.bytes.count()) <= fullByteRange(run, pool)) {
        kinds.insert(line.kind);
      }
    }
  }
  return kinds;
}

/// As a block of the class looks while it lives.
QIcon legendSwatch(BlockClass kind, double ratio) {
  QPixmap pixmap(QSize(kLegendSwatch, kLegendSwatch) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  const Palette& inks = Theme::current().inks();
  pixmap.fill(QColor(inks[blockInk(kind, BlockTime::live, BlockPart::edge)]));
  QPainter(&pixmap).fillRect(1, 1, kLegendSwatch - 2, kLegendSwatch - 2,
                             QColor(inks[blockInk(kind, BlockTime::live, BlockPart::fill)]));
  return QIcon(pixmap);
}

}  // namespace

MapLegend::MapLegend(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  setObjectName(QStringLiteral("mapLegend"));
  setAccessibleName(tr("What colours and lines of the maps mean"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 1, 8, 1);
  row->setSpacing(2);
  for (std::size_t kind = 0; kind < kBlockClasses; ++kind) {
    auto* button = new QToolButton(this);
    button->setText(viewText(className(static_cast<BlockClass>(kind))));
    button->setAccessibleName(tr("Pick out buffers of class %1").arg(button->text()));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({kLegendSwatch, kLegendSwatch});
    button->setAutoRaise(true);
    button->setCheckable(true);
    button->setMinimumWidth(kLegendSwatch +
                            8);  // Rather without its word than wider than the views.
    button->setFocusPolicy(Qt::TabFocus);
    button->hide();
    connect(button, &QToolButton::clicked, this, &MapLegend::filter);
    row->addWidget(button);
    buttons_[kind] = button;
  }
  row->addStretch(1);
  setFixedHeight(fontMetrics().height() + 10);
  connect(state, &ViewState::runChanged, this, &MapLegend::showRun);
  connect(state, &ViewState::filterChanged, this, &MapLegend::followFilter);
  drawSwatches();
  showRun();
}

void MapLegend::showRun() {
  const auto run = state_->run();
  lines_ = run ? linesOf(*run) : std::set<ReferenceLine::Kind>();
  const auto count = [run] {
    auto classes = std::make_shared<Classes>();
    if (!run) return std::shared_ptr<const Classes>(classes);
    classes->guessed = hasGuessed(*run);
    classes->madeAgain = !MadeAgain(run->graph()).empty();
    classes->ofStay.reserve(run->problem.stays.size());
    for (const StayId stay : run->problem.stays.keys()) {
      const auto kind = static_cast<std::size_t>(stayClass(*run, stay));
      classes->ofStay.push_back(static_cast<BlockClass>(kind));
      ++classes->counts[kind];
      classes->bytes[kind] += run->problem.stays[stay].size;
    }
    return std::shared_ptr<const Classes>(classes);
  };
  classes_ = nullptr;
  counting_.start(!run || isSmallRun(*run), count,
                  [this](const auto& classes) { accept(classes); });
}

void MapLegend::accept(const std::shared_ptr<const Classes>& classes) {
  classes_ = classes;
  for (std::size_t kind = 0; kind < kBlockClasses; ++kind) {
    buttons_[kind]->setVisible(classes->counts[kind] > 0);
    buttons_[kind]->setToolTip(
        tr("%1 buffers, %2 together. A click picks them out, another ends that")
            .arg(grouped(classes->counts[kind]), sizeText(classes->bytes[kind])));
  }
  update();
}

void MapLegend::filter() {
  if (!classes_) return;
  QStringList names;
  std::array<bool, kBlockClasses> wanted{};
  for (std::size_t kind = 0; kind < kBlockClasses; ++kind) {
    wanted[kind] = buttons_[kind]->isChecked() && classes_->counts[kind] > 0;
    if (wanted[kind]) names.append(buttons_[kind]->text());
  }
  std::vector<bool> kept(classes_->ofStay.size(), false);
  for (std::size_t stay = 0; stay < kept.size(); ++stay) {
    kept[stay] = wanted[static_cast<std::size_t>(classes_->ofStay[stay])];
  }
  own_ =
      names.isEmpty() ? nullptr : makeFilter(names.join(QStringLiteral(", ")).toStdString(), kept);
  state_->setFilter(own_);
}

/// Something else was picked out, or nothing: no class is any more.
void MapLegend::followFilter() {
  if (own_ && state_->filter() == own_) return;
  own_ = nullptr;
  for (QToolButton* button : buttons_) button->setChecked(false);
}

void MapLegend::drawSwatches() {
  for (std::size_t kind = 0; kind < kBlockClasses; ++kind) {
    buttons_[kind]->setIcon(legendSwatch(static_cast<BlockClass>(kind), devicePixelRatioF()));
  }
}

/// The lines and hatches, from the right end.
void MapLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Theme::current().plot);
  drawCardEdge(*this, painter);
  if (!state_->run()) return;
  PainterCanvas canvas(painter);
  const Ruler& ruler = canvas.ruler();
  int from = 0;
  for (const QToolButton* button : buttons_) {
    if (!button->isHidden()) from = button->geometry().right() + kLegendGap;
  }
  double x = width() - kPlotRightMargin;
  const double middle = std::floor(height() / 2.0);
  const auto explain = [&](std::string_view name, const auto& draw) {
    const double left = x - ruler.width(name) - 5 - kLegendLine;
    if (left < from) return false;
    draw(left);
    canvas.text({x, middle - ruler.height() / 2 + ruler.ascent()}, name,
                {.ink = Ink::muted, .anchor = Anchor::end});
    x = left - kLegendGap;
    return true;
  };
  const auto explainHatch = [&](std::string_view name, const Fill& hatch) {
    return explain(name, [&](double left) {
      const Box sample{left, middle - kLegendSwatch / 2.0, kLegendLine, kLegendSwatch};
      canvas.rectangle(sample, {.fill = Fill{Ink::live}});
      canvas.hatch(sample, hatch);
    });
  };
  if (classes_ && classes_->guessed && !explainHatch(kGuessed, kGuessedHatch)) return;
  if (classes_ && classes_->madeAgain && !explainHatch(kMadeAgain, kMadeAgainHatch)) return;
  if (state_->run()->graph().tiling && !explainHatch(kReadAgain, kReadAgainHatch)) return;
  for (const auto& [name, kind] : kLines) {
    if (!lines_.contains(kind)) continue;
    const auto draw = [&](double left) {
      canvas.line({left, middle}, {left + kLegendLine, middle}, strokeOf(kind));
    };
    if (!explain(name, draw)) return;
  }
}

void MapLegend::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawSwatches();
  if (event->type() == QEvent::FontChange) setFixedHeight(fontMetrics().height() + 10);
}

}  // namespace hw
