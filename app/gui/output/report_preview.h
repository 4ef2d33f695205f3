#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <memory>
#include <vector>

#include "core/study/compare.h"
#include "widgets/jobs/job.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The pages of a report as they will be printed, one below the other: of the run on show, over its
/// axis, with a comparison or without; at the left small pictures of them, which lead there. Drawn
/// in the background while somebody looks.
class ReportPreview : public QAbstractScrollArea {
  Q_OBJECT

 public:
  /// More pages are only counted.
  static constexpr int kMostPages = 12;

  explicit ReportPreview(ViewState* state, QWidget* parent = nullptr);

  /// Null: without one.
  void setComparison(std::shared_ptr<const Comparison> comparison);
  const std::vector<QImage>& pages() const { return shown_.pages; }
  /// Of the whole report; 0 before it is drawn.
  int pageCount() const { return shown_.count; }
  /// The place of the small picture of a page in the viewport.
  QRect thumbnail(int page) const;
  /// The page at the top of the viewport.
  int currentPage() const;

 Q_SIGNALS:
  void drawn();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  struct Drawn {
    std::vector<QImage> pages{};
    int count = 0;
  };

  static Drawn draw(const Run& run, const Comparison* comparison, AxisUnit axis,
                    const std::stop_token& stop);
  void forget();
  void work();
  void setRange();
  void paintThumbnails(QPainter& painter) const;
  /// Height of a page and the gap below it, as it is shown.
  int pageHeight() const;
  int pageWidth() const;

  ViewState* state_;
  std::shared_ptr<const Comparison> comparison_;
  bool current_ = false;  ///< What is shown, or being drawn, is of the run on show.
  Drawn shown_;
  /// Ends before the window does: fonts are gone when the application is.
  Job drawing_{tr("Drawing the report"), Job::Stopping::abandons};
};

}  // namespace hw
