#include "app/gui/features/scenario/open_offers.h"

#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/import/plans/unknown_parts.h"
#include "core/run/embedded.h"
#include "core/run/model_options.h"
#include "widgets/text/import_notes.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QString dimensionsOffer(const std::vector<ImportNote>& open) {
  const auto ones = std::ranges::count_if(open, &ImportNote::takenAsOne);
  const QString all = open.size() == 1 ? OpenOffers::tr("1 dimension")
                                       : OpenOffers::tr("%1 dimensions").arg(open.size());
  if (static_cast<std::size_t>(ones) == open.size())
    return OpenOffers::tr("%1 taken as 1").arg(all);
  if (ones == 0) return OpenOffers::tr("%1 left open").arg(all);
  return OpenOffers::tr("%1 left open, %2 taken as 1").arg(all).arg(ones);
}

/// "2 signatures" where there are any: each is a subgraph as well, and listed as such too.
QString partsOffer(const std::vector<ModelPart>& parts) {
  const auto count = [&](const char* kind) {
    return std::ranges::count_if(
        parts, [&](const ModelPart& part) { return part.label.starts_with(kind); });
  };
  if (const auto signatures = count("signature "); signatures > 1) {
    return OpenOffers::tr("%1 signatures").arg(signatures);
  }
  if (const auto subgraphs = count("subgraph "); subgraphs > 1) {
    return OpenOffers::tr("%1 subgraphs").arg(subgraphs);
  }
  return OpenOffers::tr("%1 parts").arg(parts.size());
}

/// What a file is that is a plan, and what it does not say; in the words of the importer.
QString planOffer(const Model& model) {
  const auto catalog = importerCatalog();
  const auto importer = std::ranges::find(catalog, model.format, &ImporterInfo::name);
  QString what = importer == catalog.end() ? OpenOffers::tr("plan") : viewText(importer->summary);
  what[0] = what[0].toUpper();
  const QString shown = OpenOffers::tr("%1, shown as it is").arg(what);
  const std::string_view unknown = unknownNote(*model.graph);
  const QString said =
      unknown.empty() ? shown : QStringLiteral("%1; %2").arg(shown, viewText(unknown));
  if (model.format != "plan-json") return said;
  // Its model is never opened by itself.
  const QString name = QString::fromStdString(printable(model.name, 60));
  return OpenOffers::tr("%1. Open %2 and drop the file on it to see them").arg(said, name);
}

}  // namespace

OpenOffers::OpenOffers(MainWindow* window, QMenu* parts)
    : QObject(window), window_(window), parts_(parts), bar_(new MessageBar(window)) {
  auto* centre = qobject_cast<QVBoxLayout*>(window->centralWidget()->layout());
  centre->insertWidget(0, bar_);
  bar_->setAccessibleName(tr("What can be settled about the model"));
  connect(window, &MainWindow::shown, this, &OpenOffers::showRun);
}

void OpenOffers::showRun() {
  const auto model = window_->state()->run()->model;
  if (model_.lock() == model) return;
  model_ = model;
  std::vector<MessageBar::Offer> offers;
  const bool isFigure = !model->options.empty();
  if (!isFigure && hasOwnPlan(*model->graph)) {
    QAction* ours = window_->command(QStringLiteral("oursBelow"));
    offers.push_back({isPlan(*model) ? planOffer(*model) : tr("The file brings a plan of its own"),
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

}  // namespace hw
