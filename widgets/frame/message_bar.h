#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <functional>
#include <vector>

namespace hw {

/// The ground of a strip above the views, with a band of `color` at its left end.
void paintStrip(QPainter& painter, const QRect& where, const QColor& color);

/// A strip above the views that says what went wrong, until it is closed or something succeeds.
class MessageBar : public QFrame {
  Q_OBJECT

 public:
  explicit MessageBar(QWidget* parent = nullptr);

  void showError(const QString& text);
  void showNote(const QString& text);
  /// What can be done about what a note says.
  struct Remedy {
    QString button{};
    std::function<void()> act{};
  };
  /// A note with buttons; pressing one closes it.
  void showNote(const QString& text, const std::vector<Remedy>& remedies);
  QString text() const { return text_->text(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void showText(const QString& text, bool error);

  QLabel* icon_;
  QLabel* text_;
  QHBoxLayout* buttons_;
  bool error_ = false;
};

}  // namespace hw
