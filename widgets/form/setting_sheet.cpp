#include "widgets/form/setting_sheet.h"

#include <QHeaderView>

#include "core/base/text.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

enum SheetColumn { kNameColumn, kSaidColumn, kSheetColumns };

QString headingOf(OptionGroup group) {
  switch (group) {
    case OptionGroup::machine:
      return tr("Machine");
    case OptionGroup::storage:
      return tr("Storage");
    case OptionGroup::order:
      return tr("Order and parts");
    case OptionGroup::search:
    case OptionGroup::effort:
      return tr("Search");
    case OptionGroup::model:
    case OptionGroup::import:
    case OptionGroup::allocator:
      return tr("Allocator");
  }
  return {};
}

}  // namespace

SettingSheet::SettingSheet(SettingChoice* choice, QWidget* parent)
    : QTableWidget(0, kSheetColumns, parent), choice_(choice) {
  setObjectName(QStringLiteral("settingSheet"));
  setAccessibleName(tr("Settings of the run"));
  dressTable(this);
  setHorizontalHeaderLabels({tr("Setting"), tr("Value")});
  horizontalHeader()->hide();
  horizontalHeader()->setSectionResizeMode(kNameColumn, QHeaderView::ResizeToContents);
  horizontalHeader()->setSectionResizeMode(kSaidColumn, QHeaderView::Stretch);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(this, &QTableWidget::cellActivated, this, [this](int row) { openRow(row); });
  connect(this, &QTableWidget::cellClicked, this, [this](int row) { openRow(row); });
}

void SettingSheet::setRun(const std::shared_ptr<const Run>& run) {
  const int current = currentRow();
  run_ = run;
  rows_.clear();
  setRowCount(0);
  QString heading;
  for (const Setting& setting : settingsOf(run)) {
    if (headingOf(setting.group) != heading) {
      heading = headingOf(setting.group);
      addHeading(heading);
    }
    addRow(setting);
  }
  setCurrentCell(std::clamp(current, 1, rowCount() - 1), kNameColumn);
}

void SettingSheet::addHeading(const QString& text) {
  const int row = rowCount();
  insertRow(row);
  rows_.emplace_back();
  setSpan(row, kNameColumn, 1, kSheetColumns);
  auto* item = new QTableWidgetItem(text.toUpper());
  item->setFlags(Qt::NoItemFlags);
  setItem(row, kNameColumn, item);
}

void SettingSheet::addRow(const Setting& setting) {
  const int row = rowCount();
  insertRow(row);
  rows_.emplace_back(setting);
  const bool parameter = setting.name.find(':') != std::string::npos;
  const QString indent = parameter ? QStringLiteral("    ") : QString();
  const QString texts[] = {indent + titleText(setting.label),
                           QString::fromStdString(printable(setting.now, 60))};
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  for (int column = 0; column < kSheetColumns; ++column) {
    auto* item = new QTableWidgetItem(texts[column]);
    item->setToolTip(titleText(setting.whyNot.empty() ? setting.help : setting.whyNot));
    if (!setting.isStandard()) item->setFont(strong);
    if (!setting.whyNot.empty()) item->setFlags(Qt::NoItemFlags);
    setItem(row, column, item);
  }
}

void SettingSheet::openRow(int row) {
  const auto& setting = rows_[static_cast<std::size_t>(row)];
  if (!setting || !setting->whyNot.empty()) return;
  choice_->open(*setting, run_, viewport(), visualRect(model()->index(row, kSaidColumn)));
}

}  // namespace hw
