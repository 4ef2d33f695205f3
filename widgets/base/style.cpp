#include "widgets/base/style.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <algorithm>

#include "widgets/base/theme.h"

namespace hw {

namespace {

constexpr double kControlRadius = 6;
constexpr double kSmallRadius = 4;
constexpr int kScrollBar = 10;
constexpr int kHandle = 14;  ///< Of a slider.

constexpr const char* kPrimary = "primary";
constexpr int kDisc = 36;  ///< Across.

bool isPrimary(const QWidget& widget) { return widget.property(kPrimary).toBool(); }

bool has(const QStyleOption& option, QStyle::StateFlag state) {
  return option.state.testFlag(state);
}

/// Rounded, with a line of one pixel around it that is sharp.
void drawBox(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line,
             double radius) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(line.isValid() ? QPen(line, 1) : QPen(Qt::NoPen));
  painter.setBrush(fill);
  painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
  painter.restore();
}

/// Background of a button that is pressed, on, under the pointer or neither.
void drawButton(QPainter& painter, const QStyleOption& option, bool raised, bool isDefault) {
  const Theme& theme = Theme::current();
  const bool enabled = has(option, QStyle::State_Enabled);
  const bool on = has(option, QStyle::State_On);
  const bool down = has(option, QStyle::State_Sunken);
  const bool over = has(option, QStyle::State_MouseOver) && enabled;
  if (raised && !on && !down && !over) return;
  QColor fill = on || down || over ? theme.hover : theme.plot;
  if (raised && on) fill = theme.hover;
  if (isDefault && enabled) fill = theme.selection;
  const bool outlined = !raised || on;
  const QColor line = !outlined ? QColor() : on ? theme.selection : theme.line;
  drawBox(painter, option.rect, fill, isDefault && enabled ? theme.selection : line,
          kControlRadius);
}

/// One of several on a track: only the chosen one has a surface of its own.
void drawSegment(QPainter& painter, const QStyleOption& option) {
  const Theme& theme = Theme::current();
  const QRect inside = option.rect.adjusted(1, 1, -1, -1);
  if (has(option, QStyle::State_On)) {
    drawBox(painter, inside, theme.raised, theme.line, kControlRadius - 2);
  } else if (has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled)) {
    drawBox(painter, inside, theme.hover, QColor(), kControlRadius - 2);
  }
}

/// The round button for what is done most.
void drawDisc(QPainter& painter, const QStyleOption& option) {
  const Theme& theme = Theme::current();
  const bool enabled = has(option, QStyle::State_Enabled);
  drawBox(painter, option.rect, enabled ? theme.selection : theme.hole, QColor(),
          option.rect.height() / 2.0);
}

/// `widget` may be null.
void drawToolButton(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  if (widget && isPrimary(*widget)) return drawDisc(painter, option);
  if (widget && qobject_cast<const Segment*>(widget->parentWidget())) {
    return drawSegment(painter, option);
  }
  drawButton(painter, option, has(option, QStyle::State_AutoRaise), false);
}

void drawPushButton(QPainter& painter, const QStyleOption& option) {
  const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
  const auto is = [&](QStyleOptionButton::ButtonFeature feature) {
    return button && button->features.testFlag(feature);
  };
  drawButton(painter, option, is(QStyleOptionButton::Flat), is(QStyleOptionButton::DefaultButton));
}

/// A tick, a dash where only some of what it stands for is on.
void drawTick(QPainter& painter, const QRectF& box, bool some, const QColor& color) {
  painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  const auto at = [&](double x, double y) {
    return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
  };
  QPainterPath path(some ? at(0.25, 0.5) : at(0.22, 0.52));
  if (!some) path.lineTo(at(0.43, 0.72));
  path.lineTo(some ? at(0.75, 0.5) : at(0.78, 0.3));
  painter.drawPath(path);
}

void drawIndicator(QPainter& painter, const QStyleOption& option, bool round) {
  const Theme& theme = Theme::current();
  const bool enabled = has(option, QStyle::State_Enabled);
  const bool some = has(option, QStyle::State_NoChange);
  const bool on = has(option, QStyle::State_On) || some;
  const int side = std::min(option.rect.width(), option.rect.height());
  QRectF box(0, 0, side - 1, side - 1);
  box.moveCenter(QRectF(option.rect).center());
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor filled = enabled ? theme.selection : theme.hatch;
  painter.setPen(QPen(on                                     ? filled
                      : has(option, QStyle::State_MouseOver) ? theme.axis
                                                             : theme.hatch,
                      1.2));
  painter.setBrush(on && !round ? filled : theme.plot);
  round ? painter.drawEllipse(box) : painter.drawRoundedRect(box, kSmallRadius, kSmallRadius);
  if (on && round) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(filled);
    const double inset = box.width() * 0.25;
    painter.drawEllipse(box.adjusted(inset, inset, -inset, -inset));
  } else if (on) {
    drawTick(painter, box, some, theme.onSelection);
  }
  painter.restore();
}

/// A chevron.
void drawArrow(QPainter& painter, const QRect& rect, int quarterTurns, const QColor& color) {
  const double side = std::min({9.0, double(rect.width()), double(rect.height())});
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(QRectF(rect).center());
  painter.rotate(90 * quarterTurns);
  painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPolyline(QPolygonF{{-side / 2, -side / 4}, {0, side / 4}, {side / 2, -side / 4}});
  painter.restore();
}

void drawLineEdit(QPainter& painter, const QStyleOption& option) {
  const Theme& theme = Theme::current();
  const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(&option);
  if (frame && frame->lineWidth == 0) return;
  drawBox(painter, option.rect, theme.raised,
          has(option, QStyle::State_HasFocus) ? theme.selection : theme.line, kControlRadius);
}

/// Only where the keys brought the focus.
void drawFocus(QPainter& painter, const QStyleOption& option) {
  if (!has(option, QStyle::State_KeyboardFocusChange)) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Theme::current().selection, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), kSmallRadius, kSmallRadius);
  painter.restore();
}

/// A line below the tab that is chosen, a ground below the one under the pointer.
void drawTab(QPainter& painter, const QStyleOption& option) {
  const Theme& theme = Theme::current();
  if (!has(option, QStyle::State_Selected)) {
    if (!has(option, QStyle::State_MouseOver)) return;
    return drawBox(painter, option.rect.adjusted(2, 3, -2, -3), theme.hover, {}, kControlRadius);
  }
  QRect line = option.rect.adjusted(8, 0, -8, 0);
  line.setTop(line.bottom() - 1);
  painter.fillRect(line, theme.selection);
}

void drawHeader(QPainter& painter, const QRect& rect) {
  painter.fillRect(rect, Theme::current().plot);
  painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), Theme::current().line);
}

/// Without an end it is half full: the words beside it say what goes on.
void drawProgress(QPainter& painter, const QStyleOptionProgressBar& bar, bool groove) {
  const Theme& theme = Theme::current();
  constexpr int kHigh = 6;
  QRect track = bar.rect;
  track.setTop(track.center().y() - kHigh / 2);
  track.setHeight(kHigh);
  if (groove) return drawBox(painter, track, theme.line, {}, kHigh / 2.0);
  const bool endless = bar.maximum <= bar.minimum;
  const double share =
      endless ? 0.5 : static_cast<double>(bar.progress - bar.minimum) / (bar.maximum - bar.minimum);
  track.setWidth(static_cast<int>(track.width() * std::clamp(share, 0.0, 1.0)));
  drawBox(painter, track, endless ? theme.hatch : theme.selection, {}, kHigh / 2.0);
}

/// Frame of a field with arrows.
void drawField(QPainter& painter, const QStyleOption& option) {
  const Theme& theme = Theme::current();
  const bool over = has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled);
  drawBox(painter, option.rect, over ? theme.hover : theme.plot,
          has(option, QStyle::State_HasFocus) ? theme.selection : theme.line, kControlRadius);
}

void drawSlider(QPainter& painter, const QStyleOptionSlider& option, const QRect& groove,
                const QRect& handle) {
  const Theme& theme = Theme::current();
  const bool enabled = has(option, QStyle::State_Enabled);
  const bool across = option.orientation == Qt::Horizontal;
  const QColor color = enabled ? theme.selection : theme.hatch;
  QRect track = groove;
  constexpr int kTrack = 4;
  if (across) {
    track.setTop(groove.center().y() - kTrack / 2 + 1);
    track.setHeight(kTrack);
  } else {
    track.setLeft(groove.center().x() - kTrack / 2 + 1);
    track.setWidth(kTrack);
  }
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.line);
  painter.drawRoundedRect(track, kTrack / 2.0, kTrack / 2.0);
  QRect done = track;
  across ? done.setRight(handle.center().x()) : done.setTop(handle.center().y());
  painter.setBrush(color);
  painter.drawRoundedRect(done, kTrack / 2.0, kTrack / 2.0);
  QRectF knob(0, 0, kHandle - 3, kHandle - 3);
  knob.moveCenter(QRectF(handle).center());
  painter.setPen(QPen(color, 2));
  painter.setBrush(theme.plot);
  painter.drawEllipse(knob);
  painter.restore();
}

}  // namespace

void setPrimary(QToolButton* button) {
  button->setProperty(kPrimary, true);
  button->setAutoRaise(false);
  button->setFixedSize(kDisc, kDisc);
}

Segment::Segment(QWidget* parent) : QWidget(parent), row_(new QHBoxLayout(this)) {
  row_->setContentsMargins(2, 2, 2, 2);
  row_->setSpacing(0);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Segment::add(QToolButton* button) {
  button->setAutoRaise(true);
  row_->addWidget(button);
}

void Segment::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = Theme::current();
  drawBox(painter, rect(), theme.window, theme.line, kControlRadius);
}

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  const Theme& theme = Theme::current();
  switch (element) {
    case PE_PanelButtonCommand:
      return drawPushButton(*painter, *option);
    case PE_PanelButtonTool:
    case PE_IndicatorButtonDropDown:
      return drawToolButton(*painter, *option, widget);
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
      return drawIndicator(*painter, *option, false);
    case PE_IndicatorRadioButton:
      return drawIndicator(*painter, *option, true);
    case PE_FrameLineEdit:
    case PE_PanelLineEdit:
      return drawLineEdit(*painter, *option);
    case PE_FrameFocusRect:
      return drawFocus(*painter, *option);
    case PE_PanelTipLabel:
      return drawBox(*painter, option->rect, theme.plot, theme.line, 0);
    case PE_FrameStatusBarItem:
    case PE_FrameDefaultButton:
    case PE_FrameTabBarBase:
      return;
    case PE_PanelStatusBar:
      return painter->fillRect(QRect(option->rect.topLeft(), QSize(option->rect.width(), 1)),
                               theme.line);
    case PE_IndicatorArrowDown:
      return drawArrow(*painter, option->rect, 0, theme.mutedText);
    case PE_IndicatorArrowLeft:
      return drawArrow(*painter, option->rect, 1, theme.mutedText);
    case PE_IndicatorArrowUp:
      return drawArrow(*painter, option->rect, 2, theme.mutedText);
    case PE_IndicatorArrowRight:
      return drawArrow(*painter, option->rect, 3, theme.mutedText);
    default:
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
  const Theme& theme = Theme::current();
  switch (element) {
    case CE_TabBarTabShape:
      return drawTab(*painter, *option);
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
      return drawHeader(*painter, option->rect);
    case CE_Splitter: {
      const bool thin = option->rect.width() == 1 || option->rect.height() == 1;
      return painter->fillRect(option->rect, thin ? theme.line : theme.window);
    }
    case CE_ProgressBarGroove:
    case CE_ProgressBarContents:
      if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) {
        drawProgress(*painter, *bar, element == CE_ProgressBarGroove);
      }
      return;
    case CE_ToolBar:
      return;
    default:
      return drawLabel(element, option, painter, widget);
  }
}

/// The words of tabs, buttons and headings have a colour of their own.
void Style::drawLabel(ControlElement element, const QStyleOption* option, QPainter* painter,
                      const QWidget* widget) const {
  const Theme& theme = Theme::current();
  const auto drawWith = [&](auto own, QPalette::ColorRole role, const QColor& color) {
    own.palette.setColor(role, color);
    QProxyStyle::drawControl(element, &own, painter, widget);
  };
  const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
  if (element == CE_TabBarTabLabel && tab) {
    const bool chosen = has(*option, State_Selected);
    return drawWith(*tab, QPalette::WindowText, chosen ? theme.text : theme.mutedText);
  }
  const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
  if (element == CE_PushButtonLabel && button && has(*option, State_Enabled) &&
      button->features.testFlag(QStyleOptionButton::DefaultButton)) {
    return drawWith(*button, QPalette::ButtonText, theme.onSelection);
  }
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  if (element == CE_HeaderLabel && header) {
    return drawWith(*header, QPalette::ButtonText, theme.mutedText);
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                               QPainter* painter, const QWidget* widget) const {
  const Theme& theme = Theme::current();
  const auto rectOf = [&](SubControl part) {
    return subControlRect(control, option, part, widget);
  };
  if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
    if (box->frame) drawField(*painter, *option);
    return drawArrow(*painter, rectOf(SC_ComboBoxArrow), 0, theme.mutedText);
  }
  if (const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
    if (box->frame) drawField(*painter, *option);
    if (box->buttonSymbols == QAbstractSpinBox::NoButtons) return;
    const auto arrow = [&](SubControl part, int turns, QAbstractSpinBox::StepEnabledFlag can) {
      drawArrow(*painter, rectOf(part).adjusted(4, 3, -4, -3), turns,
                box->stepEnabled.testFlag(can) ? theme.mutedText : theme.hatch);
    };
    arrow(SC_SpinBoxUp, 2, QAbstractSpinBox::StepUpEnabled);
    return arrow(SC_SpinBoxDown, 0, QAbstractSpinBox::StepDownEnabled);
  }
  const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (control == CC_Slider && slider) {
    return drawSlider(*painter, *slider, rectOf(SC_SliderGroove), rectOf(SC_SliderHandle));
  }
  if (control == CC_ScrollBar && slider) {
    constexpr int kAir = 2;
    return drawBox(*painter, rectOf(SC_ScrollBarSlider).adjusted(kAir, kAir, -kAir, -kAir),
                   has(*option, State_MouseOver) ? theme.axis : theme.hatch, {},
                   kScrollBar / 2.0 - kAir);
  }
  const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
  if (button && button->features.testFlag(QStyleOptionToolButton::HasMenu)) {
    // A button that is a menu says so in its words.
    QStyleOptionToolButton own = *button;
    own.features.setFlag(QStyleOptionToolButton::HasMenu, false);
    return QProxyStyle::drawComplexControl(control, &own, painter, widget);
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

/// Scroll bars have no buttons at their ends.
QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                            SubControl part, const QWidget* widget) const {
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (control != CC_ScrollBar || !bar) {
    return QProxyStyle::subControlRect(control, option, part, widget);
  }
  const bool across = bar->orientation == Qt::Horizontal;
  const int length = across ? bar->rect.width() : bar->rect.height();
  const auto range = static_cast<double>(bar->maximum) - bar->minimum;
  const double page = std::max(1, bar->pageStep);
  constexpr int kLeast = 24;
  const int handle = range <= 0 ? length
                                : std::clamp(static_cast<int>(length * page / (range + page)),
                                             std::min(kLeast, length), length);
  const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition,
                                            length - handle, bar->upsideDown);
  const auto stretch = [&](int from, int to) {
    QRect rect = bar->rect;
    if (across) {
      rect.setLeft(bar->rect.left() + from);
      rect.setWidth(to - from);
    } else {
      rect.setTop(bar->rect.top() + from);
      rect.setHeight(to - from);
    }
    return rect;
  };
  switch (part) {
    case SC_ScrollBarGroove:
      return bar->rect;
    case SC_ScrollBarSlider:
      return stretch(start, start + handle);
    case SC_ScrollBarSubPage:
      return stretch(0, start);
    case SC_ScrollBarAddPage:
      return stretch(start + handle, length);
    default:
      return {};
  }
}

QRect Style::subElementRect(SubElement element, const QStyleOption* option,
                            const QWidget* widget) const {
  const QRect rect = QProxyStyle::subElementRect(element, option, widget);
  const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
  const bool field = element == SE_LineEditContents && frame && frame->lineWidth > 0;
  return field ? rect.adjusted(4, 0, -4, 0) : rect;
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const {
  QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
  constexpr int kControl = 28;
  switch (type) {
    case CT_PushButton:
      return {wanted.width() + 8, std::max(wanted.height(), kControl)};
    case CT_ComboBox:
    case CT_LineEdit:
    case CT_SpinBox:
      return {wanted.width(), std::max(wanted.height(), kControl)};
    case CT_ToolButton: {
      const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
      const bool words = button && button->toolButtonStyle != Qt::ToolButtonIconOnly &&
                         !button->text.isEmpty() && button->icon.isNull();
      return words ? QSize(wanted.width() + 4, std::max(wanted.height(), kControl)) : wanted;
    }
    case CT_TabBarTab:
      return {wanted.width(), std::max(wanted.height(), 34)};
    case CT_HeaderSection:
      return {wanted.width(), std::max(wanted.height(), 24)};
    default:
      return wanted;
  }
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option,
                       const QWidget* widget) const {
  switch (metric) {
    case PM_ScrollBarExtent:
      return kScrollBar;
    case PM_SliderLength:
    case PM_SliderThickness:
    case PM_SliderControlThickness:
      return kHandle;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
      return 16;
    case PM_FocusFrameHMargin:  // Beside the words of a row.
      return 5;
    case PM_HeaderMargin:
      return 6;
    case PM_TabBarTabHSpace:
      return 18;
    case PM_ToolBarFrameWidth:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_TabBarBaseOverlap:
      return 0;
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* data) const {
  switch (hint) {
    case SH_Slider_AbsoluteSetButtons:
      return Qt::LeftButton;
    case SH_ScrollBar_ContextMenu:
    case SH_EtchDisabledText:
      return 0;
    default:
      return QProxyStyle::styleHint(hint, option, widget, data);
  }
}

}  // namespace hw
