#include <QFileInfo>
#include <QMenu>
#include <QObject>

#include "app/gui/features/panels/panels.h"
#include "app/gui/output/picture.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "widgets/base/icons.h"
#include "widgets/graph/graph_panel.h"

namespace hw {

/// The model graph beside the schedule, and its commands.
class GraphFeature : public QObject {
 public:
  explicit GraphFeature(MainWindow* window)
      : QObject(window), window_(window), panel_(new GraphPanel(window->state(), window)) {
    panel_->setObjectName(QStringLiteral("graphPanel"));
    window->addPanel("graph", tr("Graph"), panel_);
    QAction* show =
        window->addRunCommand(window->menu(MenuKind::view), "showGraph", tr("Model &graph"),
                              {QKeySequence(Qt::CTRL | Qt::Key_G)}, [this] { showGraph(); });
    show->setToolTip(tr("The network, laid out in layers; goes to the selected op"));
    QAction* exported =
        window->addRunCommand(window->menu(MenuKind::file), "exportGraph",
                              tr("Export &graph\u2026"), {}, [this] { exportGraph(); });
    exported->setIcon(glyphIcon(Glyph::picture));
  }

 private:
  void showGraph() {
    window_->showPanel(QStringLiteral("graph"));
    panel_->view()->setFocus();
    panel_->revealSelection();
  }

  void exportGraph() {
    GraphView* view = panel_->view();
    if (view->graph().nodes.empty()) {
      window_->messages()->showError(
          tr("Nothing was exported: show the graph first, so that it is "
             "laid out (View > Model graph)."));
      return;
    }
    const QString name = QString::fromStdString(printable(window_->request().model, 60));
    const QString file =
        window_->chooseTarget(tr("Export the graph"), QFileInfo(name).completeBaseName(),
                              tr("SVG drawing (*.svg);;PNG picture (*.png)"));
    if (file.isEmpty()) return;
    // As large as it is, but not larger than a program can open.
    const QSizeF whole = view->sceneRect().size();
    const double scale = std::min(1.0, 8'000 / std::max({1.0, whole.width(), whole.height()}));
    const Picture picture{.size = (whole * scale).toSize(),
                          .title = window_->windowTitle(),
                          .paint = [view](QPainter& painter, const QRect& target) {
                            view->renderAll(painter, target);
                          }};
    window_->sayExported(file, writePicture(picture, file));
  }

  MainWindow* window_;
  GraphPanel* panel_;
};

void addGraph(MainWindow* window) { new GraphFeature(window); }

}  // namespace hw
