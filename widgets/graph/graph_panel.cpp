#include "widgets/graph/graph_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/graph/counterparts.h"
#include "widgets/base/icons.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

LayoutInput inputOf(const ModelGraph& graph) {
  LayoutInput input;
  for (const GraphNode& node : graph.nodes) input.boxes.push_back(GraphNodeItem::sizeOf(node));
  for (const GraphEdge& edge : graph.edges) input.edges.emplace_back(edge.from, edge.to);
  return input;
}

}  // namespace

GraphPanel::GraphPanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      view_(new GraphView(state, this)),
      conflicts_(new ConflictView(state, this)),
      bar_(new QWidget(this)),
      coloring_(new QComboBox(this)),
      legend_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      busy_(new QWidget(this)),
      what_(new QLabel(this)),
      cancel_(new QPushButton(tr("Cancel"), this)) {
  setMinimumWidth(120);  // Its bar would ask for more than a narrow column has.
  buildBar();
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(12);
  stack_->addWidget(empty_);
  stack_->addWidget(view_);
  stack_->addWidget(conflicts_);
  legend_->setWordWrap(true);
  legend_->setContentsMargins(8, 2, 8, 4);
  legend_->setTextFormat(Qt::RichText);
  auto* line = new QHBoxLayout(busy_);
  line->setContentsMargins(8, 2, 8, 2);
  auto* progress = new QProgressBar(this);
  progress->setRange(0, 0);
  progress->setTextVisible(false);
  progress->setMaximumHeight(6);
  progress->setAccessibleName(tr("Laying out the graph"));
  line->addWidget(what_);
  line->addWidget(progress, 1);
  line->addWidget(cancel_);
  busy_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(busy_);
  layout->addWidget(stack_, 1);
  layout->addWidget(legend_);
  connect(cancel_, &QPushButton::clicked, this, &GraphPanel::cancel);
  connect(state, &ViewState::runChanged, this, &GraphPanel::showRun);
  connect(state, &ViewState::coloringChanged, this, &GraphPanel::fillLegend);
  connect(view_, &GraphView::expandWanted, this, &GraphPanel::expand);
  connect(view_, &GraphView::collapseWanted, this, &GraphPanel::collapse);
  new SeenWatch(this, [this] {
    if (wanted_) start();
  });
  showRun();
}

QToolButton* GraphPanel::addButton(QWidget* bar, const QString& text, const QString& toolTip) {
  auto* button = new QToolButton(bar);
  button->setText(text);
  button->setAccessibleName(toolTip);
  button->setToolTip(toolTip);
  button->setAutoRaise(true);
  bar->layout()->addWidget(button);
  return button;
}

void GraphPanel::buildBar() {
  auto* line = new QHBoxLayout(bar_);
  line->setContentsMargins(6, 3, 6, 3);
  line->setSpacing(2);
  coloring_->setAccessibleName(tr("Colour of the boxes"));
  coloring_->setToolTip(tr("What the colour of a box says"));
  coloring_->addItem(tr("Op class"));
  coloring_->addItem(tr("Device"));
  coloring_->addItem(tr("Live bytes"));
  coloring_->setMinimumContentsLength(8);
  line->addWidget(coloring_);
  connect(coloring_, &QComboBox::currentIndexChanged, this, [this](int index) {
    view_->setColoring(static_cast<GraphColoring>(index));
    fillLegend();
  });
  line->addStretch(1);
  groups_ = addButton(bar_, tr("Groups"),
                      tr("Draw groups of ops, by name scope; double click "
                         "or Enter opens one, Backspace closes it"));
  groups_->setCheckable(true);
  connect(groups_, &QToolButton::toggled, this, &GraphPanel::regroup);
  follow_ = addButton(bar_, tr("Follow"), tr("Keep the op under the playhead in sight"));
  follow_->setCheckable(true);
  follow_->setChecked(true);
  connect(follow_, &QToolButton::toggled, view_, &GraphView::setFollowing);
  QToolButton* fit = addButton(bar_, {}, tr("Fit the whole graph (0)"));
  fit->setIcon(glyphIcon(Glyph::fit));
  connect(fit, &QToolButton::clicked, view_, &GraphView::fit);
  QToolButton* selection = addButton(bar_, {}, tr("Go to the selection (F)"));
  selection->setIcon(glyphIcon(Glyph::zoomIn));
  connect(selection, &QToolButton::clicked, this, &GraphPanel::revealSelection);
}

QString GraphPanel::emptyText() const {
  return stack_->currentWidget() == empty_ ? empty_->text() : QString();
}

void GraphPanel::say(const QString& text) {
  empty_->setText(text);
  stack_->setCurrentWidget(empty_);
  legend_->hide();
}

void GraphPanel::showNoGraph(bool known) {
  drawing_.drop();
  wanted_ = false;
  shown_ = nullptr;
  graph_ = nullptr;
  busy_->hide();
  view_->clearGraph();
  say(known ? tr("There are no ops to draw.\nA planning problem is a list of buffers; open a model "
                 "to see its network here.")
            : tr("Open a model to see its network here."));
  if (conflicts_->hasContent()) stack_->setCurrentWidget(conflicts_);
}

void GraphPanel::showRun() {
  const auto run = state_->run();
  const bool any = run && !run->graph().ops.empty();
  bar_->setEnabled(any);
  bar_->setVisible(!conflicts_->hasContent());
  if (!any) return showNoGraph(run != nullptr);
  const bool devices = hasDevices(*run);
  coloring_->setItemData(1, devices ? QVariant() : QVariant(0), Qt::UserRole - 1);
  coloring_->setItemData(1, devices ? QString() : tr("All ops run on one device"), Qt::ToolTipRole);
  if (!devices && coloring_->currentIndex() == 1) coloring_->setCurrentIndex(0);
  // Planned differently, in the same parts: only the colours are others.
  if (run->model == shown_ && Counterparts(shownGraph(), run->graph()).same()) {
    view_->setColoring(static_cast<GraphColoring>(coloring_->currentIndex()));
    fillLegend();
    return;
  }
  shown_ = run->model;
  graph_ = run->rewritten;
  const bool large = wholeGraph(run->graph()).ops.size() > OpGroups::kMostNodes;
  groups_->setEnabled(!large);
  groups_->setToolTip(large ? tr("With more than %1 ops the graph is always drawn in groups; "
                                 "double click or Enter opens one, Backspace closes it")
                                  .arg(grouped(OpGroups::kMostNodes))
                            : tr("Draw groups of ops, by name scope; double click or Enter opens "
                                 "one, Backspace closes it"));
  view_->clearGraph();
  say(tr("Laying out the graph\u2026"));
  regroup(groups_->isChecked());
}

void GraphPanel::regroup(bool grouped) {
  if (!shown_) return;
  ranges_ = OpGroups(&wholeGraph(shownGraph()), grouped);
  unfolded_.clear();
  start();
}

void GraphPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) fillLegend();
}

void GraphPanel::start() {
  drawing_.drop();
  const auto run = state_->run();
  wanted_ = run != nullptr;
  if (!run || !isSeen(this)) return;
  wanted_ = false;
  const auto ranges = ranges_.ranges();
  what_->setText(tr("Laying out %1 boxes").arg(grouped(ranges.size())));
  busy_->show();
  drawing_.start(
      false,
      [run, ranges, unfolded = unfolded_](const std::stop_token& stop) {
        Drawn drawn{.graph = modelGraph(*run, ranges, unfolded)};
        drawn.layout = layOut(inputOf(drawn.graph), [&] {
                         return stop.stop_requested();
                       }).value_or(GraphLayout());
        return std::make_shared<const Drawn>(std::move(drawn));
      },
      [this](const std::shared_ptr<const Drawn>& drawn) { accept(drawn); });
}

void GraphPanel::accept(const std::shared_ptr<const Drawn>& drawn) {
  busy_->hide();
  const bool first = stack_->currentWidget() != view_;
  stack_->setCurrentWidget(view_);
  view_->setGraph(drawn->graph, drawn->layout, !first);
  fillLegend();
  if (std::exchange(revealing_, false)) view_->goToSelection();
}

void GraphPanel::cancel() {
  drawing_.drop();
  busy_->hide();
  if (stack_->currentWidget() != view_) {
    say(tr("Laying out was cancelled.\nTurn Groups on for a smaller picture."));
  }
}

void GraphPanel::fillLegend() {
  QString text;
  for (const LegendEntry& entry : view_->legend()) {
    text += QStringLiteral("<span style='color:%1'>\u25a0</span>&nbsp;%2 &nbsp; ")
                .arg(entry.color.name(), entry.text.toHtmlEscaped().replace(
                                             QLatin1Char(' '), QStringLiteral("&nbsp;")));
  }
  legend_->setText(text);
  legend_->setVisible(!text.isEmpty() && stack_->currentWidget() == view_);
}

/// A box of one op has its parts inside.
void GraphPanel::expand(OpRange range) {
  const bool opened = range.size() == 1 ? unfold(OpId(range.first)) : ranges_.expand(range);
  if (opened) start();
}

bool GraphPanel::unfold(OpId op) {
  const auto& graph = view_->graph();
  const std::size_t parts = Counterparts(wholeGraph(shownGraph()), shownGraph()).ops(op).size();
  if (parts < 2 || graph.nodes.size() + parts > OpGroups::kMostNodes) return false;
  return unfolded_.insert(op).second;
}

void GraphPanel::collapse(OpRange range) {
  const bool folded = range.size() == 1 && unfolded_.erase(OpId(range.first)) > 0;
  if (folded || ranges_.collapse(range)) start();
}

void GraphPanel::revealSelection() {
  const OpId op = state_->selectedOp();
  const auto node = op ? view_->graph().nodeOf(op) : std::nullopt;
  if (node && view_->graph().nodes[*node].ops.size() > 1) {
    ranges_.reveal(Counterparts(shownGraph(), wholeGraph(shownGraph())).op(op));
    revealing_ = true;
    start();
    return;
  }
  view_->goToSelection();
}

}  // namespace hw
