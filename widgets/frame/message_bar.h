#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QTimer>
#include <functional>
#include <vector>

namespace hw {

/// A box that lies over the views: what went wrong, what came of something, or what could be
/// settled, with buttons for it. Stays until it is closed or says something else;
/// a note that asks for nothing goes by itself.
class MessageBar : public QFrame {
  Q_OBJECT

 public:
  struct Offer {
    QString text{};  ///< Before the button.
    QString button{};
    /// Told where the button is, for a menu to open there.
    std::function<void(const QPoint& below)> act{};
  };

  explicit MessageBar(QWidget* parent = nullptr);

  void showError(const QString& text);
  /// Pressing a button closes it; without any it goes by itself after a while.
  void showNote(const QString& text, const std::vector<Offer>& ways = {});
  /// Stays when a button is pressed: a dialog may have been cancelled. Hides without any.
  void offer(const std::vector<Offer>& offers);
  /// Its words, buttons included.
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  enum class Tone { error, note, offer };

  void begin(Tone tone);
  QLabel* addText(const QString& text);
  void addButton(const Offer& offer, const QString& description);

  Tone tone_ = Tone::note;
  QTimer leaving_;
  QLabel* icon_;
  QHBoxLayout* row_;
  QList<QWidget*> parts_;  ///< Of `row_`.
};

}  // namespace hw
