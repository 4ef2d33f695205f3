#include "widgets/panels/unit_rows.h"

#include <QPainter>

#include "core/base/text.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

UnitRows::UnitRows(const Run& run) {
  const Partition& partition = run.partition;
  const auto& devices = run.request.platform.devices;
  const auto word = [](const std::string& text) { return QString::fromStdString(printable(text)); };
  rows_.assign(static_cast<std::size_t>(run.schedule.steps().count()),
               {.unit = partition.units.size()});
  std::size_t previous = partition.subFunctions.size();
  for (const ExecutionUnit& unit : partition.units) {
    const DeviceSpec& device = devices[unit.device];
    const QString part = word(device.units[unit.unit].name);
    const SubFunction& whole = partition.subFunctions[unit.subFunction];
    const auto steps = [](const Interval<Step>& of) {
      return tr("steps %1 to %2").arg(of.begin.count()).arg(of.end.count() - 1);
    };
    const bool first = unit.subFunction != previous;
    previous = unit.subFunction;
    const QString dispatched = tr("sub-function %1, dispatched to %2: %3")
                                   .arg(unit.subFunction)
                                   .arg(word(device.name), steps(whole.steps));
    const QString managed =
        tr("execution unit %1, on %2: %3").arg(units_.size()).arg(part, steps(unit.steps));
    for (Step step = unit.steps.begin; step < unit.steps.end; step += Step(1)) {
      const auto row = static_cast<std::size_t>(step.count());
      if (row >= rows_.size()) break;
      rows_[row].unit = units_.size();
      if (step == unit.steps.begin) rows_[row].begin = first ? Begin::subFunction : Begin::unit;
    }
    units_.push_back({.name = word(device.name) + QLatin1Char('/') + part,
                      .toolTip = dispatched + QLatin1Char('\n') + managed,
                      .device = static_cast<int>(unit.device)});
  }
}

QString UnitRows::name(int row) const {
  const auto at = static_cast<std::size_t>(row);
  return at < rows_.size() && rows_[at].unit < units_.size() ? units_[rows_[at].unit].name
                                                             : QString();
}

QString UnitRows::toolTip(int row) const {
  return name(row).isEmpty() ? QString()
                             : units_[rows_[static_cast<std::size_t>(row)].unit].toolTip;
}

UnitRows::Begin UnitRows::begin(int row) const {
  const auto at = static_cast<std::size_t>(row);
  return at < rows_.size() ? rows_[at].begin : Begin::none;
}

int UnitRows::device(int row) const {
  return name(row).isEmpty() ? -1 : units_[rows_[static_cast<std::size_t>(row)].unit].device;
}

void UnitDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  constexpr int kBar = 3;
  const Theme& theme = Theme::current();
  QStyleOptionViewItem text = option;
  text.rect.adjust(kBar + 2, 0, 0, 0);
  if (option.state & QStyle::State_Selected) {
    painter->fillRect(option.rect, option.palette.highlight());
  }
  QStyledItemDelegate::paint(painter, text, index);
  const int device = index.data(UnitRows::kDeviceRole).toInt();
  if (device < 0) return;
  const auto ink =
      static_cast<std::size_t>(Ink::series) + static_cast<std::size_t>(device) % kSeriesInks;
  const QColor color(QRgb(theme.inks()[static_cast<Ink>(ink)]));
  painter->fillRect(QRect(option.rect.topLeft(), QSize(kBar, option.rect.height())), color);
  const auto begin = static_cast<UnitRows::Begin>(index.data(UnitRows::kBeginRole).toInt());
  if (begin == UnitRows::Begin::none) return;
  const int thick = begin == UnitRows::Begin::subFunction ? 2 : 1;
  painter->fillRect(QRect(option.rect.topLeft(), QSize(option.rect.width(), thick)),
                    thick == 2 ? color : theme.axis);
}

}  // namespace hw
