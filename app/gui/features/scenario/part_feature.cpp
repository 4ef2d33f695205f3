#include "app/gui/features/scenario/part_feature.h"

#include "app/gui/window/main_window.h"
#include "core/base/text.h"

namespace hw {

PartFeature::PartFeature(MainWindow* window)
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

void PartFeature::fill() {
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

void PartFeature::choose(const QString& key) {
  RunRequest request = window_->request();
  request.import.subgraph = key.toStdString();
  window_->open(request);
  // The mark stays with what is on show until the other part has opened.
  fill();
}

}  // namespace hw
