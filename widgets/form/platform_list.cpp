#include "widgets/form/platform_list.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/platforms.h"

namespace hw {

PlatformList::PlatformList(QWidget* parent) : QListWidget(parent) {
  setAccessibleName(tr("Platforms to compare"));
  setUniformItemSizes(true);
  setFrameShape(QFrame::NoFrame);
  viewport()->setAutoFillBackground(false);
  for (const Platform& platform : platformCatalog()) add(platform);
  connect(this, &QListWidget::itemChanged, this, &PlatformList::changed);
}

void PlatformList::add(const Platform& platform) {
  const auto known = std::ranges::find(platforms_, platformText(platform), platformText);
  if (known != platforms_.end()) {
    *known = platform;  // Its file may say something else by now.
    return;
  }
  platforms_.push_back(platform);
  auto* item = new QListWidgetItem(QString::fromStdString(printable(platformLabel(platform), 80)));
  item->setToolTip(QString::fromStdString(printable(platform.summary, 400)));
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(Qt::Checked);
  addItem(item);
}

std::vector<Platform> PlatformList::choices() const {
  std::vector<Platform> choices;
  for (int row = 0; row < count(); ++row) {
    if (item(row)->checkState() != Qt::Checked) continue;
    choices.push_back(platforms_[static_cast<std::size_t>(row)]);
  }
  return choices;
}

}  // namespace hw
