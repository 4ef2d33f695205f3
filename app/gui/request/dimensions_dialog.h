#pragma once

#include <QDialog>
#include <QLabel>
#include <QTableWidget>
#include <cstdint>
#include <map>
#include <string>

#include "core/import/importer.h"

namespace hw {

/// Gives values to a model's free dimensions: a table of names and values, with those that are in
/// use, and one empty row for more. What the import said about them is above it.
class DimensionsDialog : public QDialog {
  Q_OBJECT

 public:
  DimensionsDialog(const Model& model, const std::map<std::string, std::int64_t>& bound,
                   QWidget* parent = nullptr);

  /// Rows with a name and a value.
  std::map<std::string, std::int64_t> dimensions() const;
  QTableWidget* table() const { return table_; }

 public Q_SLOTS:
  /// Closes the dialog, or stays open and names the first value that is not a size.
  void accept() override;

 private:
  static constexpr int kInUse = 2;  ///< The column of values as they are.

  void buildTable();
  void addRow(const QString& name, const QString& value, const QString& used);

  QTableWidget* table_;
  QLabel* wrong_;
};

}  // namespace hw
