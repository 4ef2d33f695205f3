#include "widgets/form/tick_lists.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/run/embedded.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Ticked at the start. Not `none`: its bar is so much longer than all others that these would look
/// alike beside it.
bool isUsual(const AllocatorInfo& info) {
  return info.name == kDefaultAllocator || (!info.isSearch && info.granule == Bytes(1) &&
                                            info.way != Way::perDevice && info.name != "none");
}

/// Every item's text came from a choice, so it reads as one.
AllocatorChoice choiceOf(const QListWidgetItem& item) {
  return AllocatorChoice::parse(item.text().toStdString()).value();
}

}  // namespace

AllocatorList::AllocatorList(QWidget* parent)
    : QWidget(parent),
      list_(new QListWidget(this)),
      variant_(new QLineEdit(this)),
      error_(new QLabel(this)) {
  list_->setAccessibleName(tr("Allocators to compare"));
  list_->setUniformItemSizes(true);
  list_->setMinimumHeight(2 * fontMetrics().height());
  // Boxes without a tick would not be seen on the background of lists in the dark.
  list_->viewport()->setAutoFillBackground(false);
  variant_->setAccessibleName(tr("Allocator with parameters"));
  variant_->setPlaceholderText(tr("add: free-list:pick=best"));
  variant_->setToolTip(tr("An allocator with parameters, as on the command line; Enter adds it"));
  error_->setWordWrap(true);
  error_->setObjectName(QStringLiteral("allocatorError"));
  error_->hide();
  for (const AllocatorInfo& info : allocatorCatalog()) item({.info = &info});
  chooseUsual();

  auto* usual = new QPushButton(tr("Usual"), this);
  usual->setToolTip(tr("Tick the quick ones and the default"));
  auto* all = new QPushButton(tr("All"), this);
  all->setToolTip(tr("Tick everything, searches included: they take as long as their budgets"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(usual);
  buttons->addWidget(all);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 0, 4);
  layout->setSpacing(4);
  layout->addWidget(list_, 1);
  layout->addWidget(variant_);
  layout->addWidget(error_);
  layout->addLayout(buttons);
  connect(usual, &QPushButton::clicked, this, &AllocatorList::chooseUsual);
  connect(all, &QPushButton::clicked, this, &AllocatorList::chooseAll);
  connect(variant_, &QLineEdit::returnPressed, this, &AllocatorList::addTyped);
  connect(list_, &QListWidget::itemChanged, this, &AllocatorList::changed);
}

QListWidgetItem* AllocatorList::item(const AllocatorChoice& choice) {
  const QString text = QString::fromStdString(choice.text());
  for (int row = 0; row < list_->count(); ++row) {
    if (list_->item(row)->text() == text) return list_->item(row);
  }
  auto* fresh = new QListWidgetItem(text, list_);
  fresh->setToolTip(viewText(choice.info->summary));
  fresh->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  fresh->setCheckState(Qt::Unchecked);
  return fresh;
}

Result<void> AllocatorList::add(const QString& text) {
  HW_TRY(choice, AllocatorChoice::parse(text.trimmed().toStdString()));
  item(choice)->setCheckState(Qt::Checked);
  return {};
}

void AllocatorList::addTyped() {
  const auto added = add(variant_->text());
  error_->setVisible(!added.has_value());
  if (added) {
    variant_->clear();
    list_->scrollToBottom();
  } else {
    error_->setText(QString::fromStdString(added.error().text()));
  }
}

std::vector<AllocatorChoice> AllocatorList::choices() const {
  std::vector<AllocatorChoice> choices;
  for (int row = 0; row < list_->count(); ++row) {
    const QListWidgetItem* item = list_->item(row);
    if (item->checkState() != Qt::Checked || !(item->flags() & Qt::ItemIsEnabled)) continue;
    choices.push_back(choiceOf(*item));
  }
  return choices;
}

void AllocatorList::offerFor(const Graph& graph) {
  {
    const QSignalBlocker quiet(list_);
    for (int row = 0; row < list_->count(); ++row) {
      QListWidgetItem* item = list_->item(row);
      const AllocatorInfo& info = *choiceOf(*item).info;
      const bool applies = appliesTo(info, graph);
      item->setFlags(item->flags().setFlag(Qt::ItemIsEnabled, applies));
      item->setToolTip(applies ? viewText(info.summary)
                               : tr("This model brings no plan of its own to follow"));
    }
  }
  Q_EMIT changed();
}

void AllocatorList::chooseAll() {
  for (int row = 0; row < list_->count(); ++row) list_->item(row)->setCheckState(Qt::Checked);
}

void AllocatorList::chooseUsual() {
  for (int row = 0; row < list_->count(); ++row) {
    const auto info = findAllocator(list_->item(row)->text().toStdString());
    const bool ticked = info.has_value() && isUsual(**info);
    list_->item(row)->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
  }
}

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
