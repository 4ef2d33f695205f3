#include "app/gui/output/report_file.h"

#include <QAbstractTextDocumentLayout>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <algorithm>

#include "core/base/text.h"
#include "core/picture/charts/roofline_scene.h"
#include "core/picture/gantt_scene.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

void TextPictures::append(QTextCursor& cursor, Picture picture) {
  QTextCharFormat format;
  format.setObjectType(kType);
  format.setProperty(QTextFormat::UserProperty, static_cast<int>(pictures_.size()));
  pictures_.push_back(std::move(picture));
  cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
  cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
}

QSizeF TextPictures::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
  return pictureOf(format).size;
}

void TextPictures::drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
                              const QTextFormat& format) {
  painter->save();
  painter->setFont(withLetters(painter->font(), letters_));
  pictureOf(format).paint(*painter, rect.toRect());
  painter->restore();
}

const Picture& TextPictures::pictureOf(const QTextFormat& format) const {
  return pictures_[static_cast<std::size_t>(format.intProperty(QTextFormat::UserProperty))];
}

namespace {

constexpr double kMargin = 53;  // 14 mm.
constexpr double kFoot = 46;    ///< Above the page's end.
constexpr double kSmall = 10;

QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

/// The input of QTextDocument for a page: its own part of HTML and CSS.
class PaperHtml {
 public:
  explicit PaperHtml(const RunReport& report) : report_(report) {}

  QString head() {
    add(QStringLiteral("<h1>%1</h1><p class=muted>%2</p>")
            .arg(escaped(report_.title), escaped(report_.subtitle)));
    list("Problems", "problem", report_.problems);
    cards();
    return std::exchange(text_, {});
  }

  QString rest() {
    for (const ReportTable& each : report_.tables) table(each);
    list("Notes", "note", report_.notes);
    add(QStringLiteral("<h2>Make this report again</h2><p>%1</p>").arg(escaped(report_.command)));
    return std::exchange(text_, {});
  }

  static QString styles() {
    const auto color = [](Ink ink) { return penOf({ink}).color().name(); };
    return QStringLiteral(
               "h1{font-size:24px}h2{font-size:15px;margin-top:20px}"
               "p,li{margin:2px}.muted,th{color:%1}.problem{color:%2}.best{background-color:%3}"
               "td,th{font-size:10px;padding:2px 5px;border-bottom:1px solid %4}"
               ".card{padding:6px 9px;border:1px solid %5}.value{font-size:18px;font-weight:bold}")
        .arg(color(Ink::muted), color(Ink::accent), color(Ink::best), color(Ink::grid),
             color(Ink::axis));
  }

 private:
  void add(const QString& html) { text_ += html + QLatin1Char('\n'); }

  void list(const char* title, const char* style, const std::vector<std::string>& items) {
    if (items.empty()) return;
    add(QStringLiteral("<h2>%1</h2><ul class=%2>").arg(QLatin1String(title), QLatin1String(style)));
    for (const std::string& item : items) add(QStringLiteral("<li>%1</li>").arg(escaped(item)));
    add(QStringLiteral("</ul>"));
  }

  /// Four in a row.
  void cards() {
    add(QStringLiteral("<table width=100% cellspacing=8>"));
    for (std::size_t i = 0; i < report_.cards.size(); ++i) {
      const ReportCard& card = report_.cards[i];
      add(QStringLiteral("%1<td class=card width=25%><span class=muted>%2</span><br>"
                         "<span class=value>%3</span><br><span class=muted>%4</span></td>")
              .arg(i % 4 == 0 ? QStringLiteral("<tr>") : QString(), escaped(card.label),
                   escaped(card.value), escaped(card.detail)));
    }
    add(QStringLiteral("</table>"));
  }

  void table(const ReportTable& table) {
    add(QStringLiteral("<h2>%1</h2><p class=muted>%2</p>"
                       "<table width=100% cellspacing=0 style=\"border-collapse:collapse\">")
            .arg(escaped(table.title), escaped(table.caption)));
    const auto cell = [&](const char* tag, std::size_t column, const std::string& words) {
      return QStringLiteral("<%1 align=%2>%3</%1>")
          .arg(QLatin1String(tag),
               table.columns[column].number ? QStringLiteral("right") : QStringLiteral("left"),
               escaped(words));
    };
    QString row = QStringLiteral("<thead><tr>");
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      row += cell("th", c, table.columns[c].title);
    }
    add(row + QStringLiteral("</tr></thead>"));
    const std::size_t rows = std::min(table.rows.size(), kMostPdfRows);
    for (std::size_t i = 0; i < rows; ++i) {
      const bool best = std::ranges::binary_search(table.marked, i);
      row = best ? QStringLiteral("<tr class=best>") : QStringLiteral("<tr>");
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        row += cell("td", c, table.rows[i][c]);
      }
      add(row + QStringLiteral("</tr>"));
    }
    add(QStringLiteral("</table>"));
    if (rows == table.rows.size()) return;
    add(QStringLiteral("<p class=muted>%1 more rows: the HTML, JSON and CSV reports have them "
                       "all.</p>")
            .arg(QString::fromStdString(
                groupDigits(static_cast<std::int64_t>(table.rows.size() - rows)))));
  }

  const RunReport& report_;
  QString text_;
};

/// The meaning of the colours of the maps.
void drawLegend(Canvas& canvas, const Box& box, const Run& run) {
  double left = box.left + plotLeftMargin(canvas.ruler());
  for (const BlockClass kind : Coloring::byType()->classesOf(run)) {
    const auto ink = [&](BlockPart part) { return blockInk(kind, BlockTime::past, part); };
    canvas.rectangle({left, box.top + 4, 9, 9}, {.fill = Fill{ink(BlockPart::fill)},
                                                 .edge = Stroke{ink(BlockPart::edge), 0.6}});
    canvas.text({left + 14, box.top + 4 + canvas.ruler().ascent()}, className(kind),
                {.ink = Ink::muted});
    left += canvas.ruler().width(className(kind)) + 30;
  }
}

template <class Scene>
Picture drawnBy(const Scene& scene, void (*draw)(Canvas&, const Scene&, const Box&)) {
  Picture picture;
  picture.paint = [scene, draw](QPainter& painter, const QRect& target) {
    PainterCanvas canvas(painter);
    draw(canvas, scene, toBox(target));
  };
  return picture;
}

void addPictures(const Run& run, AxisUnit axis, TextPictures& pictures, QTextCursor& cursor) {
  // The run outlives the scenes, and nobody else is to hold it.
  const std::shared_ptr<const Run> shared(std::shared_ptr<void>(), &run);
  const auto add = [&](Picture picture, int height) {
    picture.size = QSize(static_cast<int>(ReportPages::kSize.width() - 2 * kMargin), height);
    pictures.append(cursor, std::move(picture));
  };
  for (const PoolId pool : usedPools(run)) {
    add(pictureOf(std::vector{MapScene::whole(shared, pool, axis)}), 330);
    add(pictureOf(ChartScene::whole(shared, pool, axis)), 150);
    Picture legend;
    legend.paint = [shared](QPainter& painter, const QRect& target) {
      PainterCanvas canvas(painter);
      drawLegend(canvas, toBox(target), *shared);
    };
    add(legend, 24);
  }
  if (axis == AxisUnit::time) {
    const GanttScene engines = GanttScene::whole(shared);
    add(drawnBy(engines, drawGantt), 50 + 26 * static_cast<int>(engines.store->rows().size()) +
                                         40 * static_cast<int>(engines.store->ports().size()));
  }
  const RooflineScene roofs = RooflineScene::whole(shared);
  if (!roofs.isEmpty()) add(drawnBy(roofs, drawRoofline), 300);
}

/// The source of the report, and the number of the page and of all pages.
void drawFoot(QPainter& painter, const std::string& text, const QString& number) {
  PainterCanvas canvas(painter);
  canvas.setLetters(kSmall);
  const Ruler& ruler = canvas.ruler();
  double y = ReportPages::kSize.height() - kFoot;
  const double right = ReportPages::kSize.width() - kMargin;
  canvas.line({kMargin, y}, {right, y}, {Ink::grid});
  y += 4 + ruler.ascent();
  canvas.text({right, y}, number.toStdString(), {.ink = Ink::muted, .anchor = Anchor::end});
  for (const std::string& line : brokenLines(ruler, text, right - kMargin - 70)) {
    canvas.text({kMargin, y}, line, {.ink = Ink::muted});
    y += 12;
  }
}

}  // namespace

ReportPages::ReportPages(const Run& run, const RunReport& report, const QFont& font)
    : report_(report), pictures_(kSmall) {
  document_.documentLayout()->registerHandler(TextPictures::kType, &pictures_);
  document_.setDefaultFont(font);
  document_.setDefaultStyleSheet(PaperHtml::styles());
  document_.setDocumentMargin(kMargin);
  document_.setPageSize(kSize);
  QTextFrameFormat frame = document_.rootFrame()->frameFormat();
  frame.setBottomMargin(kFoot + 14);
  document_.rootFrame()->setFrameFormat(frame);
  PaperHtml html(report);
  QTextCursor cursor(&document_);
  cursor.insertHtml(html.head());
  addPictures(run, report.axis, pictures_, cursor);
  cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
  cursor.insertHtml(html.rest());
}

void ReportPages::paint(QPainter& painter, int page) {
  const QRectF shown(QPointF(0, page * kSize.height()), kSize);
  painter.save();
  painter.translate(-shown.topLeft());
  // Text that no style colours has the colour of the palette, which is that of the screen.
  QAbstractTextDocumentLayout::PaintContext context;
  context.palette = Theme::current().palette();
  context.clip = shown;
  painter.setClipRect(shown);
  document_.documentLayout()->draw(&painter, context);
  painter.restore();
  drawFoot(painter, report_.footer, QStringLiteral("%1 / %2").arg(page + 1).arg(count()));
}

QByteArray reportPdf(const Run& run, const RunReport& report) {
  const ThemeScope paper(Theme::light());
  const QString title = QString::fromStdString(report.title) + QStringLiteral(": memory report");
  return pdfOf(ReportPages::kSize, title, ReportPages::kLetters,
               [&](QPainter& painter, const std::function<void()>& next) {
                 ReportPages pages(run, report, painter.font());
                 for (int page = 0; page < pages.count(); ++page) {
                   if (page > 0) next();
                   pages.paint(painter, page);
                 }
               });
}

Result<void> checkReportFile(const QString& file) {
  const QString ending = endingOf(file);
  for (const char* known : {"html", "htm", "pdf", "md", "json", "csv"}) {
    if (ending == QLatin1String(known)) return {};
  }
  return fail(ErrorCode::invalidArgument,
              file.toStdString() + ": a report's name ends in .html, .pdf, .md, .json or .csv");
}

Result<void> writeReport(const Run& run, const Comparison* comparison, AxisUnit axis,
                         const QString& file) {
  HW_DO(checkReportFile(file));
  const QString ending = endingOf(file);
  const std::string command =
      commandForReport(run.request, ending.toStdString(), {.comparison = comparison, .axis = axis});
  QByteArray bytes;
  if (ending == QLatin1String("json")) {
    bytes = QByteArray::fromStdString(jsonDocument(reportJson(run, comparison, command)));
  } else if (ending == QLatin1String("csv")) {
    bytes = QByteArray::fromStdString(reportCsv(run));
  } else {
    const RunReport report = makeReport(run, comparison, command, axis);
    if (ending == QLatin1String("pdf")) {
      bytes = reportPdf(run, report);
    } else if (ending == QLatin1String("md")) {
      bytes = QByteArray::fromStdString(reportMarkdown(report));
    } else {
      bytes = QByteArray::fromStdString(reportHtml(run, report));
    }
  }
  if (bytes.isEmpty()) {
    return fail(ErrorCode::unsupported, file.toStdString() + ": the report cannot be drawn");
  }
  return writeWhole(file, bytes);
}

}  // namespace hw
