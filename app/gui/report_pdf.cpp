#include "app/gui/report_pdf.h"

#include <algorithm>
#include <cmath>

#include "app/gui/pdf_file.h"
#include "app/gui/picture.h"
#include "core/base/text.h"
#include "widgets/canvas/map_scene.h"
#include "widgets/canvas/reference_lines.h"
#include "widgets/charts/curve_painter.h"
#include "widgets/theme_scope.h"

namespace hw {

namespace {

constexpr QSizeF kPage = kReportPage;
constexpr double kSide = 53;  // 14 mm.
constexpr double kTop = 53;
constexpr double kBottom = 60;  ///< Below it, the page's foot.
constexpr int kText = 12;
constexpr int kSmall = 10;

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

QFont sized(QFont font, int units, bool bold = false) {
  font.setPixelSize(units);
  font.setBold(bold);
  return font;
}

/// Puts what it is given below what is there, and turns the page when that has no room.
class Pager {
 public:
  /// `pages`: how many there will be, for "3 / 7"; 0 while that is not known.
  Pager(QPainter& painter, const PdfFile::NextPage& next, QString footer, int pages)
      : painter_(painter), next_(next), footer_(std::move(footer)), pages_(pages) {
    font_ = painter.font();
    foot();
  }

  int page() const { return page_; }
  QPainter& painter() { return painter_; }
  static double width() { return kPage.width() - 2 * kSide; }
  double room() const { return kPage.height() - kBottom - y_; }

  /// A place `height` high, on this page or the next.
  QRectF take(double height) {
    if (height > room() && y_ > kTop) turn();
    const QRectF box(kSide, y_, width(), height);
    y_ += height;
    return box;
  }

  void turn() {
    next_();
    ++page_;
    y_ = kTop;
    foot();
  }

  void gap(double height) { y_ = std::min(y_ + height, kPage.height() - kBottom); }

  /// A heading stays with at least `with` units of what follows.
  void heading(const QString& words, double with) {
    gap(14);
    if (room() < 24 + with) turn();
    const QRectF box = take(24);
    write(box, words, sized(font_, 15, true), Theme::current().text);
  }

  void paragraph(const QString& words, int letters, const QColor& color, double indent = 0) {
    const QFont font = sized(font_, letters);
    const QFontMetricsF metrics(font, painter_.device());
    for (const QString& line : brokenLines(words, metrics, width() - indent)) {
      write(take(metrics.lineSpacing() + 1).adjusted(indent, 0, 0, 0), line, font, color);
    }
  }

  void write(const QRectF& box, const QString& words, const QFont& font, const QColor& color,
             Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter) {
    painter_.setFont(font);
    painter_.setPen(color);
    const QFontMetricsF metrics(font, painter_.device());
    painter_.drawText(box, static_cast<int>(align | Qt::TextSingleLine),
                      metrics.elidedText(words, Qt::ElideRight, box.width() + 1));
  }

  QFont font(int letters, bool bold = false) const { return sized(font_, letters, bold); }

 private:
  void foot() {
    const double top = kPage.height() - kBottom + 14;
    painter_.setPen(Theme::current().grid);
    painter_.drawLine(QPointF(kSide, top), QPointF(kPage.width() - kSide, top));
    const QString number =
        pages_ > 0 ? QStringLiteral("%1 / %2").arg(page_).arg(pages_) : QString::number(page_);
    const QRectF line(kSide, top + 4, width(), 14);
    write(line, number, sized(font_, kSmall), Theme::current().mutedText,
          Qt::AlignRight | Qt::AlignVCenter);
    const QFont small = sized(font_, kSmall);
    const QFontMetricsF metrics(small, painter_.device());
    QRectF rest = line.adjusted(0, 0, -70, 0);
    for (const QString& words : brokenLines(footer_, metrics, rest.width())) {
      write(rest, words, small, Theme::current().mutedText);
      rest.translate(0, 12);
    }
  }

  QPainter& painter_;
  const PdfFile::NextPage& next_;
  QString footer_;
  QFont font_;
  int pages_;
  int page_ = 1;
  double y_ = kTop;
};

/// A table whose head stands on every page that it goes on to.
class TablePages {
 public:
  TablePages(Pager& pager, const ReportTable& table) : pager_(pager), table_(table) {
    rows_ = std::min(table.rows.size(), kMostPdfRows);
    measure();
  }

  void write() {
    pager_.heading(text(table_.title), 3 * kRow);
    if (!table_.caption.empty()) {
      pager_.paragraph(text(table_.caption), kText - 1, Theme::current().mutedText);
    }
    pager_.gap(4);
    head();
    for (std::size_t i = 0; i < rows_; ++i) {
      if (pager_.room() < kRow) {
        pager_.turn();
        head();
      }
      row(i);
    }
    if (rows_ == table_.rows.size()) return;
    const auto rest = static_cast<std::int64_t>(table_.rows.size() - rows_);
    pager_.paragraph(QStringLiteral("%1 more rows: the HTML, JSON and CSV reports have them all.")
                         .arg(text(groupDigits(rest))),
                     kText - 1, Theme::current().mutedText);
  }

 private:
  static constexpr double kRow = 17;
  static constexpr double kPad = 5;

  /// Columns as wide as their contents; when that is too wide, the widest give way.
  void measure() {
    const QFontMetricsF metrics(pager_.font(kSmall, true), pager_.painter().device());
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      double width = metrics.horizontalAdvance(text(table_.columns[c].title));
      for (std::size_t i = 0; i < rows_; ++i) {
        width = std::max(width, metrics.horizontalAdvance(text(table_.rows[i][c])));
      }
      widths_.push_back(width + 2 * kPad);
    }
    double sum = 0;
    for (const double width : widths_) sum += width;
    while (sum > Pager::width()) {
      auto widest = std::ranges::max_element(widths_);
      const double less = std::min(4.0, sum - Pager::width());
      *widest -= less;
      sum -= less;
    }
    // What is left over goes to the first column of words.
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      if (table_.columns[c].number) continue;
      widths_[c] += Pager::width() - sum;
      break;
    }
  }

  void cells(const QRectF& line, const QFont& font, const QColor& color,
             const std::function<QString(std::size_t)>& words) {
    double left = line.left();
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      const QRectF box(left + kPad, line.top(), widths_[c] - 2 * kPad, line.height());
      pager_.write(box, words(c), font, color,
                   (table_.columns[c].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
      left += widths_[c];
    }
  }

  void rule(const QRectF& line, const QColor& color) {
    pager_.painter().setPen(QPen(color, 0.7));
    pager_.painter().drawLine(line.bottomLeft(), line.bottomRight());
  }

  void head() {
    const QRectF line = pager_.take(kRow);
    cells(line, pager_.font(kSmall, true), Theme::current().mutedText,
          [&](std::size_t c) { return text(table_.columns[c].title); });
    rule(line, Theme::current().axis);
  }

  void row(std::size_t index) {
    const QRectF line = pager_.take(kRow);
    const bool marked = std::ranges::binary_search(table_.marked, index);
    QColor best = Theme::current().lowerBound;
    best.setAlpha(28);
    if (marked) pager_.painter().fillRect(line, best);
    cells(line, pager_.font(kSmall, marked), Theme::current().text,
          [&](std::size_t c) { return text(table_.rows[index][c]); });
    rule(line, Theme::current().grid);
  }

  Pager& pager_;
  const ReportTable& table_;
  std::size_t rows_;
  std::vector<double> widths_;
};

class ReportPages {
 public:
  ReportPages(const Run& run, const RunReport& report, Pager& pager)
      : run_(run), report_(report), pager_(pager) {}

  void write() {
    const Theme& theme = Theme::current();
    pager_.write(pager_.take(34), text(report_.title), pager_.font(24, true), theme.text);
    pager_.paragraph(text(report_.subtitle), kText, theme.mutedText);
    list("Problems", report_.problems, theme.accent);
    cards();
    for (const PoolMetrics& pool : run_.metrics.pools) {
      if (pool.stays > 0) pictures(pool.pool);
    }
    for (const ReportTable& table : report_.tables) TablePages(pager_, table).write();
    list("Notes", report_.notes, theme.text);
    pager_.heading(QStringLiteral("Make this report again"), 30);
    pager_.paragraph(text(report_.command), kText - 1, theme.text);
  }

 private:
  void list(const char* title, const std::vector<std::string>& items, const QColor& color) {
    if (items.empty()) return;
    pager_.heading(QString::fromLatin1(title), 20);
    for (const std::string& item : items) {
      pager_.paragraph(QStringLiteral("\u2013 ") + text(item), kText - 1, color, 6);
      pager_.gap(2);
    }
  }

  /// Four in a row.
  void cards() {
    constexpr std::size_t kColumns = 4;
    constexpr double kGap = 9;
    constexpr double kHeight = 64;
    const double width = (Pager::width() - (kColumns - 1) * kGap) / kColumns;
    pager_.gap(14);
    QRectF line;
    for (std::size_t i = 0; i < report_.cards.size(); ++i) {
      const std::size_t column = i % kColumns;
      if (column == 0 && i > 0) pager_.gap(kGap);
      if (column == 0) line = pager_.take(kHeight);
      card(report_.cards[i], QRectF(line.left() + static_cast<double>(column) * (width + kGap),
                                    line.top(), width, kHeight));
    }
  }

  void card(const ReportCard& card, const QRectF& box) {
    const Theme& theme = Theme::current();
    pager_.painter().setPen(QPen(theme.axis, 0.7));
    pager_.painter().setBrush(Qt::NoBrush);
    pager_.painter().drawRoundedRect(box, 5, 5);
    const QRectF inside = box.adjusted(9, 6, -9, -6);
    const auto line = [&](double from, double to) {
      return QRectF(inside.left(), inside.top() + from, inside.width(), to - from);
    };
    pager_.write(line(0, 14), text(card.label), pager_.font(kSmall), theme.mutedText);
    pager_.write(line(14, 37), text(card.value), pager_.font(18, true), theme.text);
    pager_.write(line(38, 52), text(card.detail), pager_.font(kSmall), theme.mutedText);
  }

  void pictures(PoolId pool) {
    pager_.gap(14);
    pager_.painter().setFont(pager_.font(kSmall));
    map(pager_.take(330).toRect(), pool);
    pager_.gap(8);
    pager_.painter().setFont(pager_.font(kSmall));
    paintCurves(pager_.painter(), pager_.take(150).toRect(), run_, pool);
    legend();
  }

  void map(const QRect& target, PoolId pool) {
    QPainter& painter = pager_.painter();
    const auto steps = static_cast<double>(run_.problem.steps.count());
    // The run outlives the scene, and nobody else is to hold it.
    const std::shared_ptr<const Run> run(&run_, [](const Run*) {});
    const MapScene scene{
        .run = run,
        .blocks = std::make_shared<const BlockStore>(BlockStore::ofPool(run_, pool)),
        .pool = pool,
        .window = {0, std::max(1.0, steps), 0, fullByteRange(run_, pool)},
        .playhead = -1};
    const QFontMetrics metrics(painter.font(), painter.device());
    const MapPainter map(scene, PlotFrame::inside(target, metrics));
    if (scene.blocks->size() <= MapPainter::kMostExact) return map.paintExact(painter);
    constexpr double kDotsPerUnit = 3;
    map.paint(painter, rasterize(*scene.blocks, map.request(kDotsPerUnit, metrics)));
  }

  void legend() {
    const std::pair<const char*, TensorClass> entries[] = {
        {"graph input", TensorClass::input},
        {"intermediate", TensorClass::intermediate},
        {"shared by several tensors", TensorClass::view},
        {"graph output", TensorClass::output}};
    const QFont font = pager_.font(kSmall);
    const QFontMetricsF metrics(font, pager_.painter().device());
    QRectF line = pager_.take(18);
    line.setLeft(line.left() + plotLeftMargin(QFontMetrics(font, pager_.painter().device())));
    for (const auto& [name, kind] : entries) {
      const auto shade = MapColors::of(Theme::current()).past[static_cast<std::size_t>(kind)];
      const QRectF box(line.left(), line.center().y() - 4.5, 9, 9);
      pager_.painter().fillRect(box, QColor(shade.fill));
      pager_.painter().setPen(QPen(QColor(shade.edge), 0.6));
      pager_.painter().drawRect(box);
      const QString words = QString::fromLatin1(name);
      pager_.write(line.adjusted(14, 0, 0, 0), words, font, Theme::current().mutedText);
      line.setLeft(line.left() + 14 + metrics.horizontalAdvance(words) + 16);
    }
  }

  const Run& run_;
  const RunReport& report_;
  Pager& pager_;
};

}  // namespace

int paintReport(QPainter& painter, const PdfFile::NextPage& next, const Run& run,
                const RunReport& report, int pages) {
  const ThemeScope paper(Theme::light());
  Pager pager(painter, next, text(report.footer), pages);
  ReportPages(run, report, pager).write();
  return pager.page();
}

QByteArray reportPdf(const Run& run, const RunReport& report) {
  const QString title = text(report.title) + QStringLiteral(": memory report");
  // Twice: how many pages there are is known when there are.
  int pages = 0;
  QByteArray bytes;
  for (int round = 0; round < 2; ++round) {
    bytes =
        PdfFile::write(kPage, title, kText, [&](QPainter& painter, const PdfFile::NextPage& next) {
          pages = paintReport(painter, next, run, report, pages);
        });
  }
  return bytes;
}

}  // namespace hw
