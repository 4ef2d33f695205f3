#pragma once

#include <QAbstractButton>
#include <QBoxLayout>
#include <QImage>
#include <QLabel>
#include <QRectF>
#include <QScrollArea>
#include <QString>
#include <QStringList>
#include <optional>
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
  QString count{};    ///< "122 operators".
  QString peak{};     ///< "9.19 MiB".
  std::vector<Block> blocks{};
};

/// Of the first pool of `run`; of many blocks the largest.
SampleCard sampleCard(const Run& run);

/// The card's map in the colours of `theme`, `scale` pixels a point.
QImage cardPicture(const SampleCard& card, const QSize& size, const Theme& theme, double scale);

/// Something that can be opened: a picture, a name, and what it is. All of it is one button.
class OpenCard : public QAbstractButton {
  Q_OBJECT

 public:
  OpenCard(const QString& name, const QString& summary, QWidget* parent);

  /// The look of a sample: until then there are words alone, in the same room.
  void setSample(const SampleCard& sample);
  bool hasPicture() const { return sample_.has_value(); }
  /// Leaves no room for a picture.
  void setWordsOnly();
  /// All of its words.
  QString words() const;

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int pictureHeight() const;

  QString summary_;
  std::optional<SampleCard> sample_;
  bool wordsOnly_ = false;
};

/// A shelf of cards of equal width, in as many columns as there is room for.
class CardShelf : public QWidget {
  Q_OBJECT

 public:
  /// `wordsOnly`: of cards without pictures.
  CardShelf(const QString& title, bool wordsOnly, QWidget* parent);

  OpenCard* add(const QString& name, const QString& summary);
  void clear();
  OpenCard* find(const QString& name) const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();
  int columns() const;
  int rowHeight() const;

  QLabel* title_;
  bool wordsOnly_;
  int least_;  ///< Width of a card.
  QList<OpenCard*> cards_;
};

/// The page that a window shows while no model is on show: how to open one, recent ones, samples
/// and lessons as cards.
class WelcomePage : public QScrollArea {
  Q_OBJECT

 public:
  struct Sample {
    QString name{};
    QString summary{};
  };

  explicit WelcomePage(QWidget* parent = nullptr);

  void setSamples(const std::vector<Sample>& samples);
  void setRecent(const QStringList& paths);
  /// Names of the allocators that have a lesson, and their titles.
  void setLessons(const std::vector<Sample>& lessons);
  bool hasCard(const QString& sample) const;
  /// The look of the sample called `name`.
  void setCard(const QString& name, const SampleCard& card);

 Q_SIGNALS:
  void openWanted();
  /// `samples:NAME` or a path.
  void modelChosen(const QString& name);
  void lessonChosen(const QString& allocator);

 private:
  void buildHead(QBoxLayout* column);

  CardShelf* recent_;
  CardShelf* samples_;
  CardShelf* lessons_;
  QLabel* missing_;  ///< Why there are no samples.
};

}  // namespace hw
