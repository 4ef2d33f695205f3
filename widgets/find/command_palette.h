#pragma once

#include <QAbstractListModel>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <functional>
#include <vector>

namespace hw {

/// Something that the palette can do.
struct PaletteEntry {
  QString text{};      ///< "Go to the peak".
  QString context{};   ///< The menu it is in, or its kind: "Simulate", "sample".
  QString keys{};      ///< "P"; empty: none.
  QString disabled{};  ///< Why it cannot be done now; empty: it can.
  std::function<void()> run{};
};

/// The entries that match what was typed, best first.
class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { kContextRole = Qt::UserRole, kKeysRole, kDisabledRole, kPlacesRole };

  using QAbstractListModel::QAbstractListModel;

  void setEntries(std::vector<PaletteEntry> entries);
  /// Each word of `pattern` has to match the entry's text or context.
  void setPattern(const QString& pattern);
  const PaletteEntry& entry(int row) const {
    return entries_[rows_[static_cast<std::size_t>(row)].entry];
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Row {
    std::size_t entry = 0;
    int score = 0;
    QList<int> places{};  ///< Letters of the text that matched.
  };

  std::vector<PaletteEntry> entries_;
  std::vector<Row> rows_;
};

/// Every command in one list to type into: Up and Down choose, Enter does it, Esc leaves.
class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* parent = nullptr);

  /// Shows `entries` over the top of the parent window.
  void openWith(std::vector<PaletteEntry> entries);

  QLineEdit* line() const { return line_; }
  QListView* list() const { return list_; }
  PaletteModel* model() const { return model_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& pattern);
  void runRow(const QModelIndex& index);

  QLineEdit* line_;
  QListView* list_;
  QLabel* none_;  ///< In place of the list where nothing is found.
  PaletteModel* model_;
};

}  // namespace hw
