#pragma once

#include <QObject>
#include <QVariantList>
#include <optional>
#include <vector>

#include "core/insight/stop_scan.h"
#include "core/trace/trace.h"
#include "widgets/state/view_state.h"

namespace hw {

/// A named moment of the run.
struct Marker {
  int id = 0;
  QString name{};
  StopPoint point{};
  int since = 0;  ///< The marker it is measured from; 0: none.
};

/// The user's markers, in the order they were set. Another plan of the same model keeps them at
/// their steps; another model starts without any. Tells the ViewState where they are.
class MarkerSet : public QObject {
  Q_OBJECT

 public:
  explicit MarkerSet(ViewState* state, QObject* parent = nullptr);

  const std::vector<Marker>& all() const { return markers_; }
  const Marker* find(int id) const;
  /// Where a marker lies on the axis.
  double positionOf(const Marker& marker) const;
  /// From the marker it is measured from to itself; nothing for one that measures nothing.
  std::optional<MomentDelta> deltaOf(const Marker& marker) const;

  /// Marks the moment on show, and returns the marker's id; 0 without a run.
  int add();
  /// The same, measured from the marker that was set last; like `add` when there is none.
  int addDelta();
  void remove(int id);
  void clear();
  /// An empty name is not taken.
  void rename(int id, const QString& name);
  /// To the moment at which `step` has made its allocations.
  void moveTo(int id, Step step);
  /// Shows the marker's moment.
  void goTo(int id);

  /// All of them, to be kept with a session, and back; what does not fit the run is left out.
  QVariantList save() const;
  void restore(const QVariantList& saved);

 Q_SIGNALS:
  void changed();

 private:
  int insert(int since);
  QString freeName() const;
  Marker* find(int id);
  void checkRun();
  void tell();

  ViewState* state_;
  std::shared_ptr<const Model> model_;
  std::vector<Marker> markers_;
  int lastId_ = 0;
};

}  // namespace hw
