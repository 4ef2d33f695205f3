#pragma once

#include <QSlider>
#include <vector>

namespace hw {

/// A slider over decisions, with a mark below each of those that are about what is selected.
class TickSlider : public QSlider {
  Q_OBJECT

 public:
  explicit TickSlider(QWidget* parent = nullptr);

  /// Ascending values.
  void setMarks(std::vector<std::size_t> values);
  const std::vector<std::size_t>& marks() const { return marks_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QRect groove() const;

  std::vector<std::size_t> marks_;
};

}  // namespace hw
