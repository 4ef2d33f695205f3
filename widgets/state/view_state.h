#pragma once

#include <QObject>
#include <QString>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/block_store.h"
#include "core/picture/coloring.h"
#include "core/picture/plot.h"
#include "core/run/run.h"
#include "core/trace/timeline.h"
#include "widgets/text/run_text.h"

namespace hw {

/// A moment as another plan of the same model has it too: by its step.
struct StepPlace {
  Step step{};
  /// The number of its events that have happened; none: its allocations have, its releases not.
  std::optional<std::size_t> events{};
};

/// The same place in another run of the model: where that runs the same operator.
StepPlace placeIn(const Run& from, const StepPlace& place, const Run& to);

/// The state that every view of the studio looks at: the run, the moment, the selection, the
/// filter, what the axis to the right counts, and the part of it that is visible. Views read it,
/// ask it to change, and repaint when it says so. No view holds such state of its own, which is
/// what keeps selection linked everywhere.
class ViewState : public QObject {
  Q_OBJECT

 public:
  explicit ViewState(QObject* parent = nullptr);

  std::shared_ptr<const Run> run() const { return run_; }
  /// Shows another run; null shows none. The moment goes to the start, the selection is dropped
  /// unless the model is the same, everything is visible.
  void setRun(std::shared_ptr<const Run> run);

  /// The moment: memory after this many trace events. 0 to trace size.
  std::size_t moment() const { return moment_; }
  void setMoment(std::size_t events);
  /// The step under way: the one `setStep` went to, otherwise that of the last event that
  /// happened, 0 at the start.
  Step step() const { return step_; }
  /// When that is in the run; 0 where nothing is timed.
  SimTime time() const { return time_; }
  /// To the moment after all that has happened by `time`, within the run.
  void setTime(SimTime time);
  /// Number of steps of the run, at least 1.
  Step steps() const;
  /// To the moment at which step `step` has made its allocations and not yet its releases. Steps
  /// without any event can be visited too.
  void setStep(Step step);
  /// To the live peak of the first pool in use: the step with most bytes live; from there to its
  /// highest address: the step that makes it as large as it is.
  void goToPeak();
  /// To a moment that several steps share: those in which nothing happens.
  void setMomentOf(std::size_t events, Step step);
  StepPlace place() const;
  /// To `place`, as far as the run on show has it.
  void goTo(const StepPlace& place);

  /// True if the steps on screen go along with a moment that comes to lie beside them.
  bool follows() const { return follows_; }
  void setFollows(bool follows);

  /// The pinned stay; none when nothing is selected. All stays of its buffer count as selected.
  StayId selected() const { return selected_; }
  void select(StayId stay);
  /// Of the tensors that share the selected stay, the one that is meant; none: all of them.
  TensorId selectedPart() const { return part_; }
  void selectPart(StayId stay, TensorId part);
  OpId selectedOp() const { return selectedOp_; }
  void selectOp(OpId op);
  /// The pinned activity of the run; what it computes or moves is selected with it.
  ActivityId selectedActivity() const { return activity_; }
  void selectActivity(ActivityId activity);
  /// The stay under the pointer, anywhere. Transient.
  StayId hovered() const { return hovered_; }
  void hover(StayId stay);

  /// The stays that are picked out; null: all look alike. Of this run: another one drops it.
  std::shared_ptr<const StayFilter> filter() const { return filter_; }
  void setFilter(std::shared_ptr<const StayFilter> filter);

  /// What gives blocks and operators of the run their colours. Never null.
  std::shared_ptr<const Coloring> coloring() const { return coloring_; }
  ColorBy colorBy() const { return colorBy_; }
  void setColorBy(ColorBy by);

  /// The unit of the axis to the right: what was asked for, or steps of a run that is not timed.
  AxisUnit axis() const { return scale_->unit(); }
  AxisUnit wantedAxis() const { return wanted_; }
  void setAxis(AxisUnit unit);
  /// The places of steps on it. Never null.
  std::shared_ptr<const RunScale> scale() const { return scale_; }
  /// In which order events are gone through, and numbered: by step or by time, as the axis counts.
  /// Never null.
  std::shared_ptr<const EventOrder> events() const { return events_; }
  /// The end of the axis: with the run, or with a longer one that is held against it.
  double length() const;
  void setLeastLength(double length);
  /// The moment nearest to a place of the axis: its step, or its time.
  void goToPlace(double place);
  /// The place of a moment on the axis: in the column of `step`, further right the more of the
  /// step's events have happened, or at its time.
  double placeOf(std::size_t moment, Step step) const;

  /// Steps that were marked by dragging, to zoom to or to restrict statistics to; none: nothing is.
  std::optional<Interval<Step>> markedSteps() const { return marked_; }
  /// Cut to the run; an empty range marks nothing.
  void markSteps(std::optional<Interval<Step>> steps);
  /// Steps that all statistics are about; none: the whole run.
  std::optional<Interval<Step>> statisticsRange() const { return statistics_; }
  /// Cut to the run; an empty range, or all of it, is the whole run.
  void restrictStatistics(std::optional<Interval<Step>> steps);

  /// The part of the axis on screen, in its unit: all stacked views share it.
  double visibleBegin() const { return visibleBegin_; }
  double visibleEnd() const { return visibleEnd_; }
  /// Clamped to the axis and to at least what its scale calls visible.
  void setVisible(double begin, double end);
  void showAll();
  /// Moves to where `step` is in the middle, unless all of it is on screen already.
  void reveal(Step step);

  /// Places of the axis that the user has marked; a line through every view of the column.
  const std::vector<double>& marks() const { return marks_; }
  void setMarks(std::vector<double> places);
  /// Other places for the selected stay; told by who explains it, gone with the
  /// selection.
  const std::vector<Ghost>& ghosts() const { return ghosts_; }
  void setGhosts(std::vector<Ghost> ghosts);
  /// True if axes write addresses in hexadecimal.
  static bool hexAddresses() { return TextUnits::current().addresses == AddressStyle::hex; }

 Q_SIGNALS:
  void runChanged();
  /// Of what it counts; what is visible and the marks have been told anew by then.
  void axisChanged();
  void momentChanged();
  void selectionChanged();
  void hoverChanged();
  void visibleChanged();
  /// Of the marks, of the ghosts, or of how addresses are written.
  void decorationChanged();
  void filterChanged();
  void coloringChanged();
  void markedStepsChanged();
  void statisticsRangeChanged();

 private:
  void moveTo(std::size_t moment, Step step);
  void moveTo(std::size_t moment, Step step, SimTime time);
  void revealPlayhead();
  void setScale(std::shared_ptr<const RunScale> scale);
  std::optional<Interval<Step>> insideRun(std::optional<Interval<Step>> steps) const;

  std::shared_ptr<const Run> run_;
  std::size_t moment_ = 0;
  Step step_{};
  SimTime time_{};
  AxisUnit wanted_ = AxisUnit::step;
  std::shared_ptr<const RunScale> scale_;
  std::shared_ptr<const EventOrder> events_;
  double leastLength_ = 0;
  StayId selected_;
  TensorId part_;
  OpId selectedOp_;
  ActivityId activity_;
  StayId hovered_;
  std::shared_ptr<const StayFilter> filter_;
  ColorBy colorBy_ = ColorBy::type;
  std::shared_ptr<const Coloring> coloring_ = Coloring::byType();
  std::optional<Interval<Step>> marked_;
  std::optional<Interval<Step>> statistics_;
  double visibleBegin_ = 0;
  double visibleEnd_ = 1;
  bool follows_ = false;
  std::vector<double> marks_;
  std::vector<Ghost> ghosts_;
};

/// The place of the playhead on the axis: inside the column of the step under way, further right
/// the more of its events have happened, never at the column's end; or at the time. 0 before the
/// first event. O(log events).
double playheadOf(const ViewState& state);

/// A place of the axis in words: "step 41"; "0.41 ms (step 12)".
QString placeText(const ViewState& state, double place);

/// When a run is at a moment: the start of the op of `step` while nothing has happened since, else
/// the time of the last of the `moment` events. 0 of a run that is not timed.
SimTime timeOfMoment(const Run& run, std::size_t moment, Step step);

/// The moment and the marks as they are drawn in every plot.
PlotNow nowOf(const ViewState& state);

}  // namespace hw
