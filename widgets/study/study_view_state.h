#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/report/study/study_file.h"
#include "core/report/study/study_picture.h"
#include "widgets/jobs/background.h"

namespace hw {

/// Room around and between the parts of the place Study.
inline constexpr int kStudyAir = 12;

/// The state that all views of the place Study look at: the file of results, which is read again
/// when it grows, the values that filters leave, the figure, the axes of the pictures, and the run
/// that is chosen. Filters are kept by the names of values, so that they outlast a reading.
class StudyViewState : public QObject {
  Q_OBJECT

 public:
  explicit StudyViewState(QObject* parent = nullptr);

  /// Reads a file of results in the background; what is on show stays until it is there.
  void open(const QString& path);
  QString path() const { return path_; }
  /// Null before there is one.
  std::shared_ptr<const StudyFile> file() const { return file_; }
  /// The reason why the last one could not be read; empty: it could.
  QString failure() const { return failure_; }
  /// Reads it again if it has changed.
  void refresh();
  /// Waits until what is being read is there: for pictures.
  void wait();

  const StudyTable& table() const { return file_->table; }
  bool isEmpty() const { return !file_ || table().size() == 0; }

  /// The place of the model that pictures of one model show.
  std::size_t model() const { return model_; }
  void setModel(std::size_t value);
  /// The figure, by its place in the table; 0 where the table has none.
  std::size_t figure() const { return figure_; }
  void setFigure(std::size_t figure);
  /// The figure to the right of the dots.
  std::size_t across() const;
  /// Axes of the table that are worth showing, those that matter most first.
  const std::vector<std::size_t>& axes() const { return look_.axes; }
  using Pair = StudyLook::Pair;
  /// The axes of the heat map and of the curves; nothing where there are no two.
  std::optional<Pair> pair() const { return pair_; }
  void setPair(const Pair& pair);
  /// The axis with a curve for each value, where there is a pair.
  std::size_t series() const { return look_.seriesOf(table(), *pair_); }

  /// Values of an axis that are wanted; none picked: all are.
  bool isPicked(std::size_t axis, std::size_t value) const;
  bool hasPicks(std::size_t axis) const;
  void pick(std::size_t axis, std::size_t value, bool on);
  void clearPicks(std::optional<std::size_t> axis = {});

  /// Rows that filters leave: of the model; of it, those that they take away; of all models.
  const StudyRows& rows() const { return rows_; }
  const StudyRows& others() const { return others_; }
  const StudyRows& everyModel() const { return everyModel_; }

  std::optional<std::uint32_t> chosen() const { return chosen_; }
  void choose(std::optional<std::uint32_t> row);

 Q_SIGNALS:
  /// Of what was read: everything else may be another, too.
  void fileChanged();
  /// Of the rows, the figure or the axes.
  void viewChanged();
  void chosenChanged();
  void failed(const QString& why);

 private:
  using Read = Result<std::shared_ptr<const StudyFile>>;

  void read();
  void take(const Read& read);
  void forget();
  void chooseLook();
  void filter();

  QString path_;
  std::shared_ptr<const StudyFile> file_;
  QString failure_;
  QString stamp_;  ///< Of the file when it was read last.
  QTimer watch_;
  Background<Read> reading_;
  std::size_t model_ = 0;
  std::string modelName_;
  std::size_t figure_ = 0;
  std::string figureKey_;
  StudyLook look_;
  std::optional<Pair> pair_;
  std::map<std::string, std::set<std::string>> picks_;  ///< Values, by axis.
  StudyRows rows_;
  StudyRows others_;
  StudyRows everyModel_;
  std::optional<std::uint32_t> chosen_;
  std::int64_t chosenId_ = -1;
};

}  // namespace hw
