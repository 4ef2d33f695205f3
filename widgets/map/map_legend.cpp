#include "widgets/map/map_legend.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "core/picture/constraint_links.h"
#include "core/picture/map_scene.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kLegendSwatch = 12;
constexpr QSize kLegendIcon(kLegendSwatch + 3, kLegendSwatch);  ///< With air before the word.

template <class Draw>
QIcon swatch(double ratio, Rgb edge, const Draw& draw) {
  QPixmap pixmap(kLegendIcon * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.fillRect(0, 0, kLegendSwatch, kLegendSwatch, QColor(QRgb(edge)));
  draw(painter, QRect(1, 1, kLegendSwatch - 2, kLegendSwatch - 2));
  return QIcon(pixmap);
}

/// A block of the class while it lives.
QIcon classSwatch(BlockClass kind, double ratio) {
  const Palette& inks = Theme::current().inks();
  return swatch(ratio, inks[blockInk(kind, BlockTime::live, BlockPart::edge)],
                [&](QPainter& painter, const QRect& inside) {
                  const Ink fill = blockInk(kind, BlockTime::live, BlockPart::fill);
                  painter.fillRect(inside, QColor(QRgb(inks[fill])));
                });
}

QIcon hatchSwatch(const Fill& hatch, double ratio) {
  const Theme& theme = Theme::current();
  return swatch(ratio, theme.inks()[Ink::live], [&](QPainter& painter, const QRect& inside) {
    PainterCanvas canvas(painter);
    canvas.hatch(toBox(inside), hatch);
  });
}

/// A piece of the line.
QIcon linkSwatch(LinkKind kind, double ratio) {
  QPixmap pixmap(kLegendIcon * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  const double middle = kLegendSwatch / 2.0;
  PainterCanvas(painter).line({0, middle}, {kLegendSwatch, middle}, strokeOf(kind));
  return QIcon(pixmap);
}

QToolButton* newChip(QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIconSize(kLegendIcon);
  button->setAutoRaise(true);
  button->hide();
  return button;
}

}  // namespace

MapLegend::MapLegend(ViewState* state, QWidget* parent)
    : QWidget(parent), state_(state), choose_(new QToolButton(this)) {
  setObjectName(QStringLiteral("mapLegend"));
  setAccessibleName(tr("What colours and hatches of the maps mean"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  for (QToolButton*& button : buttons_) {
    button = newChip(this);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, &MapLegend::filter);
  }
  explainHatches();
  explainLinks();
  row->addStretch(1);
  for (QToolButton* chip : chips()) row->addWidget(chip);
  choose_->setPopupMode(QToolButton::InstantPopup);
  choose_->setAutoRaise(true);
  choose_->setFocusPolicy(Qt::TabFocus);
  choose_->setAccessibleName(tr("What colours tell"));
  choose_->setToolTip(tr("What colours tell"));
  choose_->hide();
  row->addWidget(choose_);
  connect(state, &ViewState::runChanged, this, &MapLegend::showRun);
  connect(state, &ViewState::coloringChanged, this, &MapLegend::showRun);
  connect(state, &ViewState::filterChanged, this, &MapLegend::followFilter);
  drawSwatches();
  showRun();
}

/// One that explains and cannot be pressed.
void MapLegend::explain(const QString& name, const Swatch& swatch) {
  QToolButton* chip = newChip(this);
  chip->setText(name);
  chip->setToolTip(name);
  chip->setFocusPolicy(Qt::NoFocus);
  chip->setAttribute(Qt::WA_TransparentForMouseEvents);
  explained_.emplace_back(chip, swatch);
}

void MapLegend::explainHatches() {
  const auto add = [this](const QString& name, const Fill& hatch) {
    explain(name, [hatch](double ratio) { return hatchSwatch(hatch, ratio); });
  };
  add(tr("kept to be read again"), kReadAgainHatch);
  add(tr("made again"), kMadeAgainHatch);
  add(tr("life unknown"), kGuessedHatch);
  add(tr("reserved"), kReservedHatch);
}

/// In the order of their kinds.
void MapLegend::explainLinks() {
  for (std::size_t kind = 0; kind < kLinkKinds; ++kind) {
    const auto link = static_cast<LinkKind>(kind);
    explain(viewText(linkName(link)), [link](double ratio) { return linkSwatch(link, ratio); });
  }
}

std::vector<QToolButton*> MapLegend::chips() const {
  std::vector<QToolButton*> all(buttons_.begin(), buttons_.end());
  for (const auto& [chip, swatch] : explained_) all.push_back(chip);
  return all;
}

void MapLegend::setChoices(QMenu* menu) {
  choose_->setMenu(menu);
  choose_->show();
  measure();
}

/// How wide it is with the words of chips and without.
void MapLegend::measure() {
  const auto widthAs = [this](Qt::ToolButtonStyle style) {
    int width = choose_->isHidden() ? 0 : choose_->sizeHint().width();
    for (QToolButton* chip : chips()) {
      chip->setToolButtonStyle(style);
      if (!chip->isHidden()) width += chip->sizeHint().width() + layout()->spacing();
    }
    return width;
  };
  withoutWords_ = widthAs(Qt::ToolButtonIconOnly);
  withWords_ = widthAs(Qt::ToolButtonTextBesideIcon);
  updateGeometry();
  showWords();
}

void MapLegend::showWords() {
  const auto style = width() < withWords_ ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
  for (QToolButton* chip : chips()) chip->setToolButtonStyle(style);
}

MapLegend::Classes MapLegend::classesOf(const Run& run, const Coloring& coloring) {
  Classes classes;
  classes.guessed = hasGuessed(run);
  classes.madeAgain = !MadeAgain(run.graph()).empty();
  classes.parts = bool(run.graph().tiling);
  classes.links = linkKindsOf(run.problem, run.plan);
  classes.reserved = std::ranges::any_of(
      run.problem.pools, [](const ProblemPool& pool) { return !pool.reserved.empty(); });
  classes.ofStay.reserve(run.problem.stays.size());
  for (const StayId stay : run.problem.stays.keys()) {
    const BlockClass kind = coloring.of(run, stay);
    classes.ofStay.push_back(kind);
    ++classes.counts[static_cast<std::size_t>(kind)];
    classes.bytes[static_cast<std::size_t>(kind)] += run.problem.stays[stay].size;
  }
  return classes;
}

void MapLegend::showRun() {
  if (own_) state_->setFilter(nullptr);
  const auto run = state_->run();
  const auto count = [run, coloring = state_->coloring()] {
    return std::make_shared<const Classes>(run ? classesOf(*run, *coloring) : Classes());
  };
  classes_ = nullptr;
  counting_.start(!run || isSmallRun(*run), count,
                  [this](const auto& classes) { accept(classes); });
}

void MapLegend::accept(const std::shared_ptr<const Classes>& classes) {
  classes_ = classes;
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    QToolButton* button = buttons_[kind];
    button->setVisible(classes->counts[kind] > 0);
    button->setText(viewText(state_->coloring()->name(static_cast<BlockClass>(kind))));
    button->setAccessibleName(tr("Pick out buffers of class %1").arg(button->text()));
    button->setToolTip(
        tr("%1: %2 buffers, %3 together. A click picks them out, another ends that")
            .arg(button->text(), grouped(classes->counts[kind]), sizeText(classes->bytes[kind])));
  }
  std::vector<bool> shown{classes->parts, classes->madeAgain, classes->guessed, classes->reserved};
  shown.insert(shown.end(), classes->links.begin(), classes->links.end());
  shown.resize(explained_.size(), false);
  for (std::size_t i = 0; i < shown.size(); ++i) explained_[i].first->setVisible(shown[i]);
  const auto by = static_cast<std::size_t>(state_->colorBy());
  choose_->setText(tr("by %1 \u25be").arg(viewText(kColorings[by].title)));
  measure();
}

void MapLegend::filter() {
  if (!classes_) return;
  QStringList names;
  std::array<bool, kAllClasses> wanted{};
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
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
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    buttons_[kind]->setIcon(classSwatch(static_cast<BlockClass>(kind), devicePixelRatioF()));
  }
  for (const auto& [chip, swatch] : explained_) chip->setIcon(swatch(devicePixelRatioF()));
}

/// Chips that cannot be pressed let the mouse through to here.
bool MapLegend::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto* chip = childAt(help->pos());
  for (const auto& [each, swatch] : explained_) {
    if (each->isVisible() && each->geometry().contains(help->pos())) chip = each;
  }
  QToolTip::showText(help->globalPos(), chip ? chip->toolTip() : QString(), this);
  return true;
}

void MapLegend::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showWords();
}

void MapLegend::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawSwatches();
  if (event->type() == QEvent::FontChange) measure();
}

}  // namespace hw
