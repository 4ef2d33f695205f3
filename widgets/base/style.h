#pragma once

#include <QHBoxLayout>
#include <QProxyStyle>
#include <QToolButton>

namespace hw {

/// Buttons of which one is chosen, side by side on a track: one control.
class Segment : public QWidget {
  Q_OBJECT

 public:
  explicit Segment(QWidget* parent = nullptr);

  /// Takes it over, as the last.
  void add(QToolButton* button);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QHBoxLayout* row_;
};

/// Makes a button with an icon a filled disc, for what is done most.
void setPrimary(QToolButton* button);

/// The look of the studio: flat controls in the colours of the theme in force, which it reads when
/// it paints, so that a change of theme repaints everything and installs nothing. Radius of
/// controls 8, of small parts 4; the focus has a ring of 2 where the keys brought it.
class Style final : public QProxyStyle {
 public:
  Style();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option,
                       const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;

 private:
  void drawLabel(ControlElement element, const QStyleOption* option, QPainter* painter,
                 const QWidget* widget) const;
};

}  // namespace hw
