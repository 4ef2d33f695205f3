#include "app/gui/request/dimensions_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "widgets/text/import_notes.h"
#include "widgets/text/text.h"

namespace hw {

DimensionsDialog::DimensionsDialog(const Model& model,
                                   const std::map<std::string, std::int64_t>& bound,
                                   QWidget* parent)
    : QDialog(parent), table_(new QTableWidget(this)), wrong_(new QLabel(this)) {
  setObjectName(QStringLiteral("dimensions"));
  setWindowTitle(tr("Free dimensions"));
  const std::vector<ImportNote> open = openDimensions(*model.graph);
  QStringList notes;
  for (const ImportNote& note : open) notes.append(note.text);
  auto* text = new QLabel(
      notes.isEmpty() ? tr("This model has no free dimensions.") : notes.join(QLatin1Char('\n')),
      this);
  for (QLabel* words : {text, wrong_}) {
    words->setTextFormat(Qt::PlainText);
    words->setWordWrap(true);
  }
  buildTable();
  for (const auto& [name, value] : bound) {
    addRow(QString::fromStdString(name), QString::number(value), QString::number(value));
  }
  for (const ImportNote& note : open) {
    if (bound.contains(*note.dimension)) continue;
    addRow(QString::fromStdString(*note.dimension), {},
           note.size ? QString::number(*note.size) : QString());
  }
  addRow({}, {}, {});
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  wrong_->setObjectName(QStringLiteral("dimensionsWrong"));
  wrong_->hide();
  connect(buttons, &QDialogButtonBox::accepted, this, &DimensionsDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text);
  layout->addWidget(table_);
  layout->addWidget(wrong_);
  layout->addWidget(buttons);
  resize(460, 320);
}

void DimensionsDialog::buildTable() {
  table_->setColumnCount(3);
  table_->setHorizontalHeaderLabels({tr("Name"), tr("Value"), tr("In use")});
  table_->horizontalHeaderItem(kInUse)->setToolTip(
      tr("What the model on show was opened with; empty: it depends on data"));
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->verticalHeader()->hide();
  table_->setTextElideMode(Qt::ElideMiddle);  // Names often differ at their ends alone.
  table_->setAccessibleName(tr("Free dimensions and their values"));
}

void DimensionsDialog::addRow(const QString& name, const QString& value, const QString& used) {
  const int row = table_->rowCount();
  table_->insertRow(row);
  table_->setItem(row, 0, new QTableWidgetItem(name));
  table_->item(row, 0)->setToolTip(plainTip(name));
  table_->setItem(row, 1, new QTableWidgetItem(value));
  auto* cell = new QTableWidgetItem(used);
  cell->setFlags(Qt::ItemIsEnabled);
  table_->setItem(row, kInUse, cell);
}

void DimensionsDialog::accept() {
  for (int row = 0; row < table_->rowCount(); ++row) {
    const QString text = table_->item(row, 1)->text().trimmed();
    const auto value = parseInteger(text.toStdString());
    if (text.isEmpty() || (value && *value >= 0)) continue;
    wrong_->setText(tr("%1: %2 is not a size; expected a whole number, 0 or more")
                        .arg(table_->item(row, 0)->text(), text));
    wrong_->show();
    table_->setCurrentCell(row, 1);
    return;
  }
  QDialog::accept();
}

std::map<std::string, std::int64_t> DimensionsDialog::dimensions() const {
  std::map<std::string, std::int64_t> dimensions;
  for (int row = 0; row < table_->rowCount(); ++row) {
    const std::string name = table_->item(row, 0)->text().trimmed().toStdString();
    const auto value = parseInteger(table_->item(row, 1)->text().trimmed().toStdString());
    if (!name.empty() && value && *value >= 0) dimensions[name] = *value;
  }
  return dimensions;
}

}  // namespace hw
