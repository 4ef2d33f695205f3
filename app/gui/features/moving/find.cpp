#include <QMenu>
#include <QObject>
#include <algorithm>
#include <functional>
#include <vector>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/run/embedded.h"
#include "widgets/find/command_palette.h"
#include "widgets/find/search_box.h"

namespace hw {

namespace {

constexpr QChar kInMenu(0x203a);

QString plainText(const QAction& action) {
  QString text = action.text();
  return text.remove(QLatin1Char('&')).remove(QChar(0x2026));
}

/// "View > Theme": the menus an action is in.
QString menuPath(const QAction* action) {
  for (QObject* object : action->associatedObjects()) {
    const auto* menu = qobject_cast<QMenu*>(object);
    if (!menu) continue;
    const QString above = menuPath(menu->menuAction());
    const QString name = plainText(*menu->menuAction());
    return above.isEmpty() ? name : above + QStringLiteral(" %1 ").arg(kInMenu) + name;
  }
  return {};
}

}  // namespace

/// The search box of the bar above, and the palette of all commands.
class FindFeature : public QObject {
 public:
  explicit FindFeature(MainWindow* window)
      : QObject(window),
        window_(window),
        box_(new SearchBox(window->state(), window)),
        palette_(new CommandPalette(window)) {
    box_->setMinimumWidth(100);
    box_->setMaximumWidth(280);
    window->topBar()->setFinder(box_);
    connect(box_, &SearchBox::chosen, this, &FindFeature::goTo);
    addFinding();
    addPalette();
  }

 private:
  void addFinding() {
    QMenu* menu = window_->menu(MenuKind::edit);
    const auto add = [&](const char* name, const QString& text, const QList<QKeySequence>& keys,
                         const QString& toolTip, const std::function<void()>& act) {
      window_->addRunCommand(menu, name, text, keys, act)->setToolTip(toolTip);
    };
    add("find", tr("&Find\u2026"), {QKeySequence::Find},
        tr("Tensors, ops, addresses, sizes and steps"), [this] { box_->begin(); });
    add("findNext", tr("Find &next"), {Qt::Key_F3}, tr("The next of what was found"),
        [this] { box_->goOn(1); });
    add("findPrevious", tr("Find &previous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)},
        tr("The one before"), [this] { box_->goOn(-1); });
    QAction* dim = window_->addCommand(menu, "findDims", tr("&Dim what was not found"), {}, {});
    dim->setToolTip(tr("While something is searched for, everything else is drawn pale"));
    dim->setCheckable(true);
    connect(dim, &QAction::toggled, box_, &SearchBox::setDims);
    menu->addSeparator();
  }

  void addPalette() {
    QAction* action = window_->addCommand(
        window_->menu(MenuKind::edit), "commandPalette", tr("Command pa&lette\u2026"),
        {QKeySequence(Qt::CTRL | Qt::Key_K)}, [this] { palette_->openWith(entries()); });
    action->setToolTip(tr("Every command, sample and allocator in one list"));
  }

  /// Selects what was found and brings it on screen; time moves only when it is not live now.
  void goTo(const SearchHit& hit) {
    ViewState* state = window_->state();
    window_->player()->pause();
    switch (hit.kind) {
      case SearchHit::Kind::step:
        state->setStep(hit.step);
        break;
      case SearchHit::Kind::op:
        state->select({});
        state->selectOp(hit.op);
        state->setStep(hit.step);
        break;
      case SearchHit::Kind::tensor:
      case SearchHit::Kind::address:
        if (!hit.stay) {
          window_->messages()->showNote(
              tr("This tensor has no place in memory: it is a view, a constant or not planned."));
          return;
        }
        state->select(hit.stay);
        const Interval<Step> steps = state->run()->problem.stays[hit.stay].steps;
        if (!steps.contains(state->step())) state->setStep(steps.begin);
        break;
    }
    reveal();
  }

  void reveal() {
    for (MapView* map : window_->maps()) map->revealSelection();
    window_->state()->reveal(window_->state()->step());
  }

  std::vector<PaletteEntry> entries() const {
    std::vector<PaletteEntry> entries;
    addActions(entries);
    addModels(entries);
    addAllocators(entries);
    return entries;
  }

  void addActions(std::vector<PaletteEntry>& entries) const {
    const auto isPanel = [](const QAction* action) {
      return action->objectName().startsWith(QLatin1String("panel:"));
    };
    // As menus have them, but the many panels last.
    QList<QAction*> actions = window_->findChildren<QAction*>();
    std::stable_partition(actions.begin(), actions.end(), std::not_fn(isPanel));
    for (QAction* action : actions) {
      const bool panel = isPanel(action);
      if (action->isSeparator() || action->menu() || action->text().isEmpty()) continue;
      if (action->objectName().isEmpty()) continue;
      if (action->objectName() == QLatin1String("commandPalette")) continue;
      if (action->objectName().startsWith(QLatin1String("qt_"))) continue;
      PaletteEntry entry{.text = plainText(*action), .context = menuPath(action)};
      if (panel) entry.text = tr("Panel: show %1").arg(entry.text);
      // Without its menu a name such as "Plan" says too little.
      const QString menu = entry.context.section(kInMenu, -1).trimmed();
      if (!panel && !menu.isEmpty()) entry.text = tr("%1: %2").arg(menu, entry.text);
      if (action->isCheckable() && action->isChecked()) entry.context += tr(" (on)");
      entry.keys = QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText);
      if (!action->isEnabled()) {
        const QString why = action->toolTip();
        const bool says = !why.isEmpty() && why != plainText(*action);
        entry.disabled = says ? why : tr("Not possible now");
      }
      entry.run = [action] { action->trigger(); };
      entries.push_back(std::move(entry));
    }
  }

  void addModels(std::vector<PaletteEntry>& entries) const {
    MainWindow* window = window_;
    for (const SampleInfo& sample : sampleCatalog()) {
      const QString name = QString::fromStdString(sample.name);
      entries.push_back(
          {.text = tr("Open: the sample %1").arg(name),
           .context = QString::fromStdString(sample.summary),
           .run = [window, name] { window->openModel(QStringLiteral("samples:") + name); }});
    }
    for (const QString& name : window_->settings()->recentModels()) {
      entries.push_back(
          {.text = tr("Open: %1").arg(QString::fromStdString(printable(name.toStdString()))),
           .context = tr("recent"),
           .run = [window, name] { window->openModel(name); }});
    }
  }

  void addAllocators(std::vector<PaletteEntry>& entries) const {
    MainWindow* window = window_;
    for (const AllocatorInfo& info : allocatorCatalog()) {
      const std::string name(info.name);
      auto choice = AllocatorChoice::parse(name);
      if (!choice) continue;
      PaletteEntry entry{.text = tr("Plan: again with %1").arg(QString::fromStdString(name)),
                         .context = QString::fromStdString(std::string(info.summary))};
      const auto run = window->state()->run();
      if (!run) {
        entry.disabled = tr("Open a model first");
      } else if (!appliesTo(info, run->graph())) {
        entry.disabled = tr("This model brings no plan of its own");
      }
      entry.run = [window, choice = *choice] {
        RunRequest request = window->request();
        request.allocator = choice;
        window->planWith(request);
      };
      entries.push_back(std::move(entry));
    }
  }

  MainWindow* window_;
  SearchBox* box_;
  CommandPalette* palette_;
};

void addFind(MainWindow* window) { new FindFeature(window); }

}  // namespace hw
