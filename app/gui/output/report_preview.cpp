#include "app/gui/output/report_preview.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "app/gui/output/picture.h"
#include "app/gui/output/report_file.h"
#include "core/report/run/run_report.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kPageGap = 16;
/// Pixels of a page for each of its units: sharp on screens of high density, too.
constexpr double kDensity = 1.5;
constexpr int kStrip = 88;  ///< Width of the strip of small pictures.
constexpr int kLargestThumbnail = 100;

}  // namespace

ReportPreview::ReportPreview(ViewState* state, QWidget* parent)
    : QAbstractScrollArea(parent), state_(state) {
  setObjectName(QStringLiteral("reportPreview"));
  setAccessibleName(tr("Pages of the report"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setBackgroundRole(QPalette::Window);
  connect(state, &ViewState::runChanged, this, &ReportPreview::forget);
  connect(state, &ViewState::axisChanged, this, &ReportPreview::forget);
  new SeenWatch(this, [this] { work(); });
}

void ReportPreview::setComparison(std::shared_ptr<const Comparison> comparison) {
  if (comparison == comparison_) return;
  comparison_ = std::move(comparison);
  forget();
}

void ReportPreview::forget() {
  current_ = false;
  drawing_.abandon();
  if (isSeen(this)) work();
}

ReportPreview::Drawn ReportPreview::draw(const Run& run, const Comparison* comparison,
                                         AxisUnit axis, const std::stop_token& stop) {
  const ThemeScope paper(Theme::light());
  const std::string command =
      commandForReport(run.request, "pdf", {.comparison = comparison, .axis = axis});
  const RunReport report = makeReport(run, comparison, command, axis);
  QImage image((ReportPages::kSize * kDensity).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(kDensity);
  const QFont font = paperFont(ReportPages::kLetters);
  ReportPages pages(run, report, font);
  Drawn drawn{.count = pages.count()};
  for (int page = 0; page < std::min(drawn.count, kMostPages); ++page) {
    if (stop.stop_requested()) break;
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setFont(font);
    pages.paint(painter, page);
    painter.end();
    drawn.pages.push_back(image.copy());
  }
  return drawn;
}

void ReportPreview::work() {
  const auto run = state_->run();
  if (!run || current_) return;
  current_ = true;
  drawing_.start(
      [run, comparison = comparison_, axis = state_->axis()](const JobContext& context) {
        return draw(*run, comparison.get(), axis, context.stop);
      },
      [this](Drawn drawn) -> JobEnd {
        shown_ = std::move(drawn);
        setRange();
        viewport()->update();
        Q_EMIT this->drawn();
        return {JobState::done, tr("%1 pages").arg(shown_.count)};
      });
}

int ReportPreview::pageWidth() const {
  return std::min(static_cast<int>(ReportPages::kSize.width()),
                  viewport()->width() - kStrip - 2 * kPageGap);
}

int ReportPreview::currentPage() const {
  return (verticalScrollBar()->value() + pageHeight() / 2) / pageHeight();
}

/// All of them are in sight: the more there are, the smaller they are.
QRect ReportPreview::thumbnail(int page) const {
  const int line = fontMetrics().height() + 6;
  const auto pages = std::max(1, static_cast<int>(shown_.pages.size()));
  const int height =
      std::clamp((viewport()->height() - 2 * kPageGap) / pages - line, 8, kLargestThumbnail);
  const int width = qRound(height * ReportPages::kSize.width() / ReportPages::kSize.height());
  return {(kStrip - width) / 2, kPageGap + page * (height + line), width, height};
}

void ReportPreview::mousePressEvent(QMouseEvent* event) {
  for (int page = 0; page < static_cast<int>(shown_.pages.size()); ++page) {
    if (thumbnail(page).contains(event->position().toPoint())) {
      return verticalScrollBar()->setValue(page * pageHeight());
    }
  }
  QAbstractScrollArea::mousePressEvent(event);
}

void ReportPreview::paintThumbnails(QPainter& painter) const {
  const Theme& theme = Theme::current();
  for (int page = 0; page < static_cast<int>(shown_.pages.size()); ++page) {
    const QRect place = thumbnail(page);
    const bool current = page == currentPage();
    painter.drawImage(place, shown_.pages[static_cast<std::size_t>(page)]);
    painter.setPen(QPen(current ? theme.selection : theme.line, current ? 2 : 1));
    painter.drawRect(place.adjusted(-1, -1, 0, 0));
    painter.setPen(current ? theme.text : theme.mutedText);
    painter.drawText(QRect(0, place.bottom() + 2, kStrip, fontMetrics().height()), Qt::AlignCenter,
                     QString::number(page + 1));
  }
}

int ReportPreview::pageHeight() const {
  const double share = pageWidth() / ReportPages::kSize.width();
  return qRound(ReportPages::kSize.height() * share) + kPageGap;
}

void ReportPreview::setRange() {
  const auto pages = static_cast<int>(shown_.pages.size());
  const int line = shown_.count > pages ? 2 * fontMetrics().height() : 0;
  const int height = pages * pageHeight() + kPageGap + line;
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(fontMetrics().height() * 3);
}

void ReportPreview::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  setRange();
}

void ReportPreview::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme.window);
  painter.setPen(theme.mutedText);
  if (shown_.pages.empty()) {
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Drawing the report\u2026"));
    return;
  }
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  paintThumbnails(painter);
  QRect page(kStrip + (viewport()->width() - kStrip - pageWidth()) / 2,
             kPageGap - verticalScrollBar()->value(), pageWidth(), pageHeight() - kPageGap);
  for (const QImage& image : shown_.pages) {
    if (page.intersects(viewport()->rect())) {
      painter.drawImage(page, image);
      painter.setPen(theme.line);
      painter.drawRect(page.adjusted(-1, -1, 0, 0));
    }
    page.translate(0, pageHeight());
  }
  const auto more = shown_.count - static_cast<int>(shown_.pages.size());
  if (more <= 0) return;
  painter.setPen(theme.mutedText);
  painter.drawText(page, Qt::AlignHCenter | Qt::AlignTop, tr("and %1 more pages").arg(more));
}

}  // namespace hw
