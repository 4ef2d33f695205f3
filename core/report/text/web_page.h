#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/picture/svg_canvas.h"
#include "core/report/text/text_table.h"

namespace hw {

/// A figure that a reader should see first.
struct ReportCard {
  std::string label{};
  std::string value{};
  std::string detail{};
};

/// A titled table of a report; cells are text as it comes, unescaped.
struct ReportTable {
  struct Column {
    std::string title{};
    bool number = false;  ///< Stands on the right.
  };
  std::string title{};
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::size_t> marked{};  ///< Rows to stress, ascending.
};

/// `rows` under the titles of their columns.
template <class Row, class Rows>
ReportTable reportTable(std::string title, const Columns<Row>& columns, const Rows& rows,
                        std::size_t width = 80) {
  ReportTable table{.title = std::move(title)};
  for (const Column<Row>& column : columns) {
    // Digits alone do not say what they count.
    const bool bare = column.kind == ColumnKind::bytes && !column.title.ends_with("bytes");
    table.columns.push_back({bare ? column.title + ", B" : column.title, standsRight(column.kind)});
  }
  for (const Row& row : rows) table.rows.push_back(cellTexts(columns, row, width, "–"));
  return table;
}

/// A page of HTML that needs nothing but itself: nothing in it is loaded or run, whatever a name in
/// a model says. Texts are given as they are, and escaped here.
class WebPage {
 public:
  /// `heading` stands above all, and `subtitle` below it; `title` is that of the window.
  WebPage(std::string_view heading, std::string_view title, std::string_view subtitle);

  /// Nothing where there are no items.
  void list(std::string_view title, const std::vector<std::string>& items, std::string_view style);
  void cards(const std::vector<ReportCard>& cards);
  /// A long one is folded: a reader opens what they want to see.
  void table(const ReportTable& table);
  /// 1,200 units wide, drawn by `draw`.
  template <class Scene>
  void figure(const Scene& scene, std::string_view title, double height,
              void (*draw)(Canvas&, const Scene&, const Box&)) {
    constexpr double kWidth = 1200;
    SvgCanvas canvas(kWidth, height, title, kDocumentLetters, nullptr);
    draw(canvas, scene, {0, 0, kWidth, height});
    line("<figure>" + canvas.finish() + "</figure>");
  }
  void heading(std::string_view text);
  void command(std::string_view title, std::string_view command);
  /// The whole page, with its last line; call once.
  std::string finish(std::string_view footer);

 protected:
  /// Markup, as it is.
  void line(std::string_view text);

 private:
  std::string text_;
};

}  // namespace hw
