#include "app/gui/request/dimensions_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"

namespace hw {

namespace {

/// Notes of the import, without those that have nothing to do with dimensions.
QString dimensionNotes(const Graph& graph) {
  QStringList notes;
  for (const std::string& note : graph.notes) {
    if (note.find("dimension") == std::string::npos) continue;
    notes.append(QString::fromStdString(printable(note, 600)));
  }
  return notes.join(QLatin1Char('\n'));
}

/// The names that the notes offer to bind: "...; --dim NAME=VALUE...".
std::vector<std::string> freeDimensions(const Graph& graph) {
  constexpr std::string_view kBefore = "--dim ";
  std::vector<std::string> names;
  for (const std::string& note : graph.notes) {
    const auto option = note.find(kBefore);
    if (option == std::string::npos) continue;
    const auto begin = option + kBefore.size();
    const auto end = note.find("=VALUE", begin);
    if (end == std::string::npos) continue;
    const std::string name = note.substr(begin, end - begin);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

DimensionsDialog::DimensionsDialog(const Model& model,
                                   const std::map<std::string, std::int64_t>& bound,
                                   QWidget* parent)
    : QDialog(parent), table_(new QTableWidget(this)) {
  setObjectName(QStringLiteral("dimensions"));
  setWindowTitle(tr("Free dimensions"));
  const QString notes = dimensionNotes(*model.graph);
  auto* text = new QLabel(notes.isEmpty() ? tr("This model has no free dimensions.") : notes, this);
  text->setTextFormat(Qt::PlainText);
  text->setWordWrap(true);
  table_->setColumnCount(2);
  table_->setHorizontalHeaderLabels({tr("Name"), tr("Value")});
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->verticalHeader()->hide();
  table_->setAccessibleName(tr("Free dimensions and their values"));
  for (const auto& [name, value] : bound) {
    addRow(QString::fromStdString(name), QString::number(value));
  }
  for (const std::string& name : freeDimensions(*model.graph)) {
    if (!bound.contains(name)) addRow(QString::fromStdString(name), QString());
  }
  addRow({}, {});
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text);
  layout->addWidget(table_);
  layout->addWidget(buttons);
  resize(460, 320);
}

void DimensionsDialog::addRow(const QString& name, const QString& value) {
  const int row = table_->rowCount();
  table_->insertRow(row);
  table_->setItem(row, 0, new QTableWidgetItem(name));
  table_->setItem(row, 1, new QTableWidgetItem(value));
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
