#pragma once

#include <QImage>
#include <QMap>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <QTextBrowser>
#include <QTextTableCell>
#include <vector>

#include "core/run/run.h"
#include "widgets/base/theme.h"

namespace hw {

/// A sample at a glance: its map in small, and its figures.
struct SampleCard {
  struct Block {
    QRectF place{};  ///< In the unit square: steps to the right, addresses upwards.
    BlockClass kind = BlockClass::buffer;
  };
  QString figures{};  ///< "122 operators, 9.19 MiB in unlimited L2".
  std::vector<Block> blocks{};
};

/// Of the first pool of `run`; of many blocks the largest.
SampleCard sampleCard(const Run& run);

/// The card's map in the colours of `theme`, `scale` pixels a point.
QImage cardPicture(const SampleCard& card, const QSize& size, const Theme& theme, double scale);

/// The page that a window shows while no model is open: ways to open one, recent ones, samples as
/// cards.
class WelcomePage : public QTextBrowser {
  Q_OBJECT

 public:
  struct Sample {
    QString name{};
    QString summary{};
  };

  explicit WelcomePage(QWidget* parent = nullptr);

  void setSamples(std::vector<Sample> samples);
  void setRecent(const QStringList& paths);
  bool hasCard(const QString& sample) const { return cards_.contains(sample); }
  /// The look of the sample called `name`: until then its card has words alone.
  void setCard(const QString& name, const SampleCard& card);

 Q_SIGNALS:
  void openWanted();
  /// `samples:NAME` or a path.
  void modelChosen(const QString& name);

 protected:
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int columns() const;
  const Sample* cardAt(const QPoint& place) const;
  QRectF cardBox(const QTextTableCell& cell) const;
  void refresh();
  QString recentList() const;
  QString sampleList() const;
  QString cardText(const Sample& sample) const;
  void drawCards();

  std::vector<Sample> samples_;
  QStringList recent_;
  QMap<QString, SampleCard> cards_;
  int columns_ = 0;  ///< As shown.
  QPoint pressed_{};
};

}  // namespace hw
