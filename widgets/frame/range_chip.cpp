#include "widgets/frame/range_chip.h"

#include <QHBoxLayout>
#include <QPainter>

#include "core/base/text.h"
#include "widgets/base/icons.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"

namespace hw {

RangeChip::RangeChip(ViewState* state, QWidget* parent)
    : QWidget(parent), state_(state), label_(new QLabel(this)), close_(new QToolButton(this)) {
  setObjectName(QStringLiteral("rangeChip"));
  close_->setIcon(glyphIcon(Glyph::cancel));
  close_->setIconSize({12, 12});
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Statistics of the whole run again"));
  close_->setAccessibleName(close_->toolTip());
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(8, 0, 2, 0);
  line->setSpacing(2);
  line->addWidget(label_);
  line->addWidget(close_);
  connect(close_, &QToolButton::clicked, this, [this] { state_->restrictStatistics({}); });
  connect(state, &ViewState::statisticsRangeChanged, this, &RangeChip::showRange);
  showRange();
}

void RangeChip::showRange() {
  const auto range = state_->statisticsRange();
  setVisible(range.has_value());
  if (!range) return;
  const auto text = [](Step step) { return QString::fromStdString(groupDigits(step.count())); };
  label_->setText(
      tr("Statistics: steps %1\u2013%2 only").arg(text(range->begin), text(range->end - Step(1))));
  setAccessibleName(label_->text());
}

void RangeChip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = Theme::current();
  painter.setPen(theme.selection);
  painter.setBrush(mixColors(theme.selection, theme.window, 0.2));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

}  // namespace hw
