#pragma once

#include <QObject>
#include <optional>

#include "widgets/state/same_stay.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Two runs on one playhead: A leads, B follows. What the axis counts, and the step or
/// the time, go from A to B; the visible part of the axis, the selection and what the pointer is
/// over go both ways. Selections are carried over by tensor.
///
/// When operators run in parts in one of them only, or are cut in two ways, steps are not the
/// same: over steps, each has an axis of its own, B goes to where it runs the operator under A's
/// playhead, and shows the operators that are on screen in the other. So it is with runs of two
/// models, where B goes to the same share of its steps and tensors are carried over by name.
class LockStep : public QObject {
  Q_OBJECT

 public:
  /// Both outlive this.
  LockStep(ViewState* a, ViewState* b, QObject* parent = nullptr);

  /// Shows `run` as B, at A's step. Null: ends the lock-step, as another model as A does.
  void setB(std::shared_ptr<const Run> run);

 Q_SIGNALS:
  /// B is another run, or none: also when A became a run that B cannot be held against.
  void changed();

 private:
  using Part = void (LockStep::*)(const ViewState& from, ViewState& to);
  /// Counterparts of the two runs.
  struct Links {
    Links(const Run& a, const Run& b) : down(a, b), up(b, a) {}
    SameThings down;  ///< From A to B.
    SameThings up;
  };

  void follow(ViewState* from, ViewState* to, Part part);
  void checkA();
  void link();
  const SameThings& same(const ViewState& from) const;
  bool sharesAxis(const ViewState& from) const;
  void syncAll();
  void syncAxis(const ViewState& from, ViewState& to);
  void syncStep(const ViewState& from, ViewState& to);
  void syncVisible(const ViewState& from, ViewState& to);
  void syncSelection(const ViewState& from, ViewState& to);
  void syncHover(const ViewState& from, ViewState& to);
  void syncMarked(const ViewState& from, ViewState& to);
  void syncFilter(const ViewState& from, ViewState& to);
  void syncColoring(const ViewState& from, ViewState& to);

  ViewState* a_;
  ViewState* b_;
  std::shared_ptr<const Model> model_;  ///< Of A when it got its B.
  std::optional<Links> links_;          ///< While there are two runs.
  bool following_ = false;              ///< True while one changes because the other did.
};

}  // namespace hw
