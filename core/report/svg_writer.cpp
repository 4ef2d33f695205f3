#include "core/report/svg_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"

namespace hw {

std::string escapeMarkup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string svgNumber(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

SvgWriter::SvgWriter(double width, double height, std::string_view title) {
  raw(fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" role="img" )"
                  R"(font-family="DejaVu Sans,Helvetica,sans-serif" font-size="12">)",
                  svgNumber(width), svgNumber(height)));
  raw(fmt::format("<title>{}</title>", escapeMarkup(title)));
}

void SvgWriter::raw(std::string_view text) {
  text_ += text;
  text_ += '\n';
}

void SvgWriter::rectangle(double x, double y, double width, double height, std::string_view more,
                          std::string_view tooltip) {
  const std::string open =
      fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" {})", svgNumber(x), svgNumber(y),
                  svgNumber(width), svgNumber(height), more);
  raw(tooltip.empty() ? open + "/>"
                      : open + "><title>" + escapeMarkup(tooltip) + "</title></rect>");
}

void SvgWriter::line(double x1, double y1, double x2, double y2, std::string_view more) {
  raw(fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>)", svgNumber(x1), svgNumber(y1),
                  svgNumber(x2), svgNumber(y2), more));
}

void SvgWriter::text(double x, double y, std::string_view text, std::string_view more) {
  raw(fmt::format(R"(<text x="{}" y="{}" {}>{}</text>)", svgNumber(x), svgNumber(y), more,
                  escapeMarkup(text)));
}

void SvgWriter::path(const std::vector<double>& points, std::string_view more) {
  std::string data;
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    data += data.empty() ? 'M' : 'L';
    data += svgNumber(points[i]) + ' ' + svgNumber(points[i + 1]);
  }
  raw(fmt::format(R"(<path d="{}" {}/>)", data, more));
}

std::string SvgWriter::finish() {
  raw("</svg>");
  return std::move(text_);
}

std::vector<PlotTick> stepTicks(double end, int count) {
  double distance = 1;
  for (double power = 1; distance * count < end; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      distance = factor * power;
      if (distance * count >= end) break;
    }
  }
  std::vector<PlotTick> ticks;
  for (double step = 0; step <= end; step += distance) {
    ticks.push_back({step, groupDigits(static_cast<std::int64_t>(step))});
  }
  return ticks;
}

std::vector<PlotTick> byteTicks(double high, int count) {
  // The unit in which the top of the axis is a number below 1024; the distance is a round number
  // of it, or a binary fraction.
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t index = 0;
  double unit = 1;
  while (index + 1 < std::size(kUnits) && high >= 1024 * unit) {
    unit *= 1024;
    ++index;
  }
  double distance = unit;
  constexpr double kFactors[] = {0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
  for (const double factor : kFactors) {
    distance = factor * unit;
    if (distance >= 1 && distance * count >= high) break;
  }
  std::vector<PlotTick> ticks;
  for (double bytes = 0; bytes <= high; bytes += distance) {
    ticks.push_back({bytes, bytes == 0 ? "0" : svgNumber(bytes / unit) + " " + kUnits[index]});
  }
  return ticks;
}

}  // namespace hw
