#include "widgets/graph/conflict_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

ConflictScene conflictsShown(const ViewState& state) {
  ConflictScene scene = ConflictScene::of(*state.run(), *state.coloring());
  scene.selected = state.selected();
  return scene;
}

ConflictView::ConflictView(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  setObjectName(QStringLiteral("conflictView"));
  setAccessibleName(tr("Conflicts of buffers"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  const auto anew = [this] {
    scene_.reset();
    update();
  };
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::runChanged, this, anew);
  connect(state, &ViewState::coloringChanged, this, anew);
  connect(state, &ViewState::selectionChanged, this, repaint);
  connect(state, &ViewState::hoverChanged, this, repaint);
}

bool ConflictView::hasContent() const { return state_->run() && hasConflicts(*state_->run()); }

const ConflictScene& ConflictView::scene() const {
  if (!scene_) {
    scene_ =
        hasContent() ? ConflictScene::of(*state_->run(), *state_->coloring()) : ConflictScene();
  }
  return *scene_;
}

std::vector<Box> ConflictView::boxes() const {
  return conflictBoxes(scene(), toBox(rect()), FontRuler(font()));
}

std::optional<std::size_t> ConflictView::nodeAt(const QPoint& position) const {
  constexpr double kAir = 3;  // Small ones can be hit, too.
  const std::vector<Box> places = boxes();
  for (std::size_t node = 0; node < places.size(); ++node) {
    const QRectF box = toRectF(places[node]).adjusted(-kAir, -kAir, kAir, kAir);
    if (box.contains(position)) return node;
  }
  return {};
}

StayId ConflictView::stayAt(const QPoint& position) const {
  const auto node = nodeAt(position);
  return node ? scene().nodes[*node].stay : StayId();
}

QString ConflictView::describe(const ConflictScene::Node& node) const {
  return tr("%1  %2, %3 conflict(s)")
      .arg(viewText(node.name), sizeText(node.size), grouped(node.conflicts));
}

PlotRows ConflictView::spokenRows() const {
  PlotRows rows{.columns = {tr("Buffer"), tr("Size"), tr("Conflicts")}};
  const std::vector<Box> places = boxes();
  for (std::size_t i = 0; i < places.size() && !rows.isFull(); ++i) {
    const ConflictScene::Node& node = scene().nodes[i];
    rows.add({viewText(node.name), sizeText(node.size), grouped(node.conflicts)},
             toRect(places[i]));
  }
  return rows;
}

void ConflictView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  ConflictScene shown = scene();
  shown.selected = state_->selected();
  shown.hovered = state_->hovered();
  PainterCanvas canvas(painter);
  drawConflicts(canvas, shown, toBox(rect()));
}

void ConflictView::mouseMoveEvent(QMouseEvent* event) {
  state_->hover(stayAt(event->position().toPoint()));
}

void ConflictView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) state_->select(stayAt(event->position().toPoint()));
}

void ConflictView::leaveEvent(QEvent*) { state_->hover({}); }

void ConflictView::walk(int direction) {
  const auto& nodes = scene().nodes;
  if (nodes.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(nodes.size());
  const auto found = std::ranges::find(nodes, state_->selected(), &ConflictScene::Node::stay);
  const std::ptrdiff_t next =
      found == nodes.end() ? 0 : (found - nodes.begin() + direction + count) % count;
  const ConflictScene::Node& node = nodes[static_cast<std::size_t>(next)];
  state_->select(node.stay);
  setAccessibleDescription(describe(node));
}

void ConflictView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Right:
      return walk(1);
    case Qt::Key_Left:
      return walk(-1);
    case Qt::Key_Escape:
      return state_->select({});
    default:
      QWidget::keyPressEvent(event);
  }
}

bool ConflictView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // Elsewhere these two go from one operator to the next.
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool walks = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
    if (walks && key->modifiers() == Qt::NoModifier) event->accept();
  }
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto node = nodeAt(help->pos());
  QToolTip::showText(help->globalPos(), node ? describe(scene().nodes[*node]) : QString(), this);
  return true;
}

}  // namespace hw
