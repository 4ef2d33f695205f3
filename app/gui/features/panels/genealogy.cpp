#include <QContextMenuEvent>
#include <QMenu>
#include <QObject>
#include <cmath>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "widgets/explain/genealogy_panel.h"
#include "widgets/text/run_text.h"

namespace hw {

/// The panel "Tenants": everything that became of one byte, asked for by number or on a map.
class GenealogyFeature : public QObject {
 public:
  explicit GenealogyFeature(MainWindow* window)
      : QObject(window), window_(window), panel_(new GenealogyPanel(window->state(), window)) {
    panel_->setObjectName(QStringLiteral("genealogyPanel"));
    window->addPanel("tenants", tr("Tenants"), panel_);
    window->addRunCommand(window->menu(MenuKind::edit), "tenantsOf",
                          tr("&Tenants of an address\u2026"),
                          {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)}, [this] {
                            showPanel();
                            panel_->focusAddress();
                          });
    const auto watch = [this](MapView* map) { map->installEventFilter(this); };
    for (MapView* map : window->maps()) watch(map);
    connect(window, &MainWindow::mapAdded, this, watch);
  }

 protected:
  /// The maps' context menu.
  bool eventFilter(QObject* watched, QEvent* event) override {
    auto* map = qobject_cast<MapView*>(watched);
    if (!map || event->type() != QEvent::ContextMenu || !window_->state()->run()) {
      return QObject::eventFilter(watched, event);
    }
    openMenu(map, *static_cast<QContextMenuEvent*>(event));
    return true;
  }

 private:
  void showPanel() { window_->showPanel(QStringLiteral("tenants")); }

  void openMenu(MapView* map, const QContextMenuEvent& event) {
    const QRect plot = map->plotArea();
    if (!plot.contains(event.pos())) return;
    const MapWindow shown = map->window();
    const ByteAxis axis{shown.lowByte, shown.highByte,
                        static_cast<double>(plot.top() + plot.height()),
                        -static_cast<double>(plot.height())};
    const Bytes address(
        static_cast<std::int64_t>(std::max(0.0, std::floor(axis.toBytes(event.pos().y() + 0.5)))));
    const StayId stay = map->stayAt(event.pos());
    auto* menu = new QMenu(map);
    menu->setObjectName(QStringLiteral("mapMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, const std::function<void()>& act) {
      connect(menu->addAction(text), &QAction::triggered, this, act);
    };
    add(tr("&Tenants of %1").arg(addressText(address)), [this, map, address] {
      showPanel();
      panel_->ask(map->pool(), address);
    });
    menu->addSeparator();
    if (stay) {
      const QString name = stayText(*window_->state()->run(), stay);
      add(tr("&Select %1").arg(name), [this, stay] { window_->state()->select(stay); });
      add(tr("Zoom to %1").arg(name), [this, map, stay] {
        window_->state()->select(stay);
        map->zoomToSelection();
      });
    }
    for (const char* command : {"addMarker", "fit"}) {
      menu->addAction(window_->command(QString::fromLatin1(command)));
    }
    menu->popup(event.globalPos());
  }

  MainWindow* window_;
  GenealogyPanel* panel_;
};

void addGenealogy(MainWindow* window) { new GenealogyFeature(window); }

}  // namespace hw
