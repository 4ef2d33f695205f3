#include <QActionGroup>
#include <QMenu>
#include <QObject>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

#include "app/gui/features/scenario/scenario.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/import/importer.h"
#include "core/import/plans/unknown_parts.h"
#include "core/run/embedded.h"
#include "core/run/options.h"
#include "widgets/frame/message_bar.h"
#include "widgets/text/import_notes.h"
#include "widgets/text/text.h"

namespace hw {

/// File > Part of the file: the signatures, subgraphs and models among which a file with several
/// has a choice. Disabled for a file that holds one model only.
class PartFeature : public QObject {
 public:
  explicit PartFeature(MainWindow* window)
      : QObject(window), window_(window), group_(new QActionGroup(this)) {
    QMenu* file = window->menu(MenuKind::file);
    menu_ = new QMenu(tr("&Part of the file"), file);
    menu_->setObjectName(QStringLiteral("parts"));
    QAction* after = nullptr;
    const auto entries = file->actions();
    for (qsizetype i = 0; i + 1 < entries.size(); ++i) {
      if (entries[i]->objectName() == QLatin1String("dimensions")) after = entries[i + 1];
    }
    file->insertMenu(after, menu_);
    connect(window->state(), &ViewState::runChanged, this, &PartFeature::fill);
    fill();
  }

  QMenu* menu() const { return menu_; }

 private:
  void fill() {
    menu_->clear();
    for (QAction* action : group_->actions()) group_->removeAction(action);
    const auto& run = window_->state()->run();
    menu_->setEnabled(run && !run->model->parts.empty());
    if (!menu_->isEnabled()) return;
    const Model& model = *run->model;
    for (std::size_t i = 0; i < model.parts.size(); ++i) {
      const QString key = QString::fromStdString(model.parts[i].key);
      QString label = QString::fromStdString(printable(model.parts[i].label, 100));
      QAction* action = menu_->addAction(label.replace(QLatin1Char('&'), QStringLiteral("&&")));
      action->setCheckable(true);
      action->setChecked(i == model.part);
      group_->addAction(action);
      connect(action, &QAction::triggered, this, [this, key] { choose(key); });
    }
  }

  void choose(const QString& key) {
    RunRequest request = window_->request();
    request.import.subgraph = key.toStdString();
    window_->open(request);
    // The mark stays with what is on show until the other part has opened.
    fill();
  }

  MainWindow* window_;
  QMenu* menu_;
  QActionGroup* group_;
};

namespace {

QString dimensionsOffer(const std::vector<ImportNote>& open) {
  const auto ones = std::ranges::count_if(open, &ImportNote::takenAsOne);
  const QString all = open.size() == 1 ? tr("1 dimension") : tr("%1 dimensions").arg(open.size());
  if (static_cast<std::size_t>(ones) == open.size()) return tr("%1 taken as 1").arg(all);
  if (ones == 0) return tr("%1 left open").arg(all);
  return tr("%1 left open, %2 taken as 1").arg(all).arg(ones);
}

/// "2 signatures" where there are any: each is a subgraph as well, and listed as such too.
QString partsOffer(const std::vector<ModelPart>& parts) {
  const auto count = [&](const char* kind) {
    return std::ranges::count_if(
        parts, [&](const ModelPart& part) { return part.label.starts_with(kind); });
  };
  if (const auto signatures = count("signature "); signatures > 1) {
    return tr("%1 signatures").arg(signatures);
  }
  if (const auto subgraphs = count("subgraph "); subgraphs > 1) {
    return tr("%1 subgraphs").arg(subgraphs);
  }
  return tr("%1 parts").arg(parts.size());
}

/// The kind of a file that is a plan, and what it does not say; in the words of the importer.
QString planOffer(const Model& model) {
  const auto catalog = importerCatalog();
  const auto importer = std::ranges::find(catalog, model.format, &ImporterInfo::name);
  QString what = importer == catalog.end() ? tr("plan") : viewText(importer->summary);
  what[0] = what[0].toUpper();
  const QString shown = tr("%1, shown as it is").arg(what);
  const std::string_view unknown = unknownNote(*model.graph);
  const QString said =
      unknown.empty() ? shown : QStringLiteral("%1; %2").arg(shown, viewText(unknown));
  if (model.format != "plan-json") return said;
  // Its model is never opened by itself.
  const QString name = QString::fromStdString(printable(model.name, 60));
  return tr("%1. Open %2 and drop the file on it to see them").arg(said, name);
}

}  // namespace

/// Says of a model that was just opened what it leaves to its reader: a plan that came with it and
/// what that does not say, dimensions without a size, and which of several models in the file is
/// meant. Small figures of a model that was hardly given
/// any sizes would go unnoticed otherwise.
class OpenOffers : public QObject {
 public:
  /// `parts` is the menu to choose from.
  OpenOffers(MainWindow* window, QMenu* parts)
      : QObject(window), window_(window), parts_(parts), bar_(new MessageBar(window)) {
    auto* centre = qobject_cast<QVBoxLayout*>(window->centralWidget()->layout());
    centre->insertWidget(0, bar_);
    bar_->setObjectName(QStringLiteral("offers"));
    bar_->setAccessibleName(tr("What can be settled about the model"));
    connect(window, &MainWindow::shown, this, &OpenOffers::showRun);
  }

 private:
  void showRun() {
    const auto model = window_->state()->run()->model;
    if (model_.lock() == model) return;
    model_ = model;
    std::vector<MessageBar::Offer> offers;
    const bool isFigure = !model->options.empty();
    if (!isFigure && hasOwnPlan(*model->graph)) {
      QAction* ours = window_->command(QStringLiteral("oursBelow"));
      offers.push_back(
          {isPlan(*model) ? planOffer(*model) : tr("The file brings a plan of its own"),
           tr("Ours below theirs"), [ours](const QPoint&) { ours->trigger(); }});
    }
    if (const auto open = openDimensions(*model->graph); !open.empty()) {
      QAction* set = window_->command(QStringLiteral("dimensions"));
      offers.push_back(
          {dimensionsOffer(open), tr("Set\u2026"), [set](const QPoint&) { set->trigger(); }});
    }
    if (model->parts.size() > 1) {
      offers.push_back({partsOffer(model->parts), tr("Choose\u2026"),
                        [this](const QPoint& below) { parts_->popup(below); }});
    }
    bar_->offer(offers);
  }

  MainWindow* window_;
  QMenu* parts_;
  MessageBar* bar_;
  std::weak_ptr<const Model> model_;  ///< That the bar is about; planning again is no news.
};

void addOffers(MainWindow* window) { new OpenOffers(window, (new PartFeature(window))->menu()); }

}  // namespace hw
