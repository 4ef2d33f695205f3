#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <functional>
#include <vector>

namespace hw {

/// A strip above the views with what could be settled about what is open: "4 dimensions taken as
/// 1", and beside each a button to settle it. Stays until it is closed or offers something else.
class OfferBar : public QFrame {
  Q_OBJECT

 public:
  struct Offer {
    QString text{};
    QString button{};
    /// Told where the button is, for a menu to open there.
    std::function<void(const QPoint& below)> act{};
  };

  explicit OfferBar(QWidget* parent = nullptr);

  /// Shows these instead of what it showed before; hides without any.
  void offer(const std::vector<Offer>& offers);
  /// What it says, buttons included.
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QHBoxLayout* row_;
  QList<QWidget*> parts_;
};

}  // namespace hw
