#pragma once

#include <QLineEdit>
#include <optional>

#include "core/trace/genealogy.h"
#include "widgets/jobs/background.h"
#include "widgets/panels/method_table_view.h"

namespace hw {

/// The byte that a flat address of a pool means, regions laid one after the other; nothing beyond
/// the pool's footprint.
std::optional<ByteAddress> byteAt(const Run& run, PoolId pool, Bytes flat);

/// "0x1_f00", "7,936", "7.75 KiB" or "7936 B" as bytes; nothing for anything else.
std::optional<Bytes> parseAddress(const QString& text);

/// Everything that became of one byte: every tenant, and between them the holes that it was part
/// of, as they were cut and joined. Choosing a row goes to that moment and selects the tenant.
class GenealogyPanel : public PoolTablePanel {
  Q_OBJECT

 public:
  explicit GenealogyPanel(ViewState* state, QWidget* parent = nullptr);

  /// Shows the byte at a flat address.
  void ask(PoolId pool, Bytes address);
  /// Makes the address ready to be typed over.
  void focusAddress();

  QLineEdit* addressBox() const { return address_; }
  bool isLooking() const { return looking_.isRunning(); }
  const std::vector<ByteEra>& eras() const { return eras_; }

 private:
  void showRun();
  void look();
  void showEras();
  void goTo(const QModelIndex& index);
  QString eraText(const ByteEra& era) const;
  QString sumText() const;

  QLineEdit* address_;
  std::shared_ptr<const Run> run_;  ///< That was asked about.
  Bytes asked_{};
  PoolId askedPool_{};
  std::vector<ByteEra> eras_;
  Background<std::vector<ByteEra>> looking_;
};

}  // namespace hw
