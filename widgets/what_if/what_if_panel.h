#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <span>
#include <vector>

#include "core/machine/tuning.h"
#include "core/picture/gantt_scene.h"
#include "core/run/run.h"
#include "widgets/base/figure_card.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Another machine for the model on show: what differs from its own.
struct WhatIf {
  std::optional<Bytes> l2{};  ///< The part of the first memory that may be planned.
  Tuning tuning{};
  bool empty() const { return !l2 && tuning.empty(); }
};

/// The request of `run` on that machine. Fails where the machine has nothing to change.
Result<RunRequest> whatIfRequest(const Run& run, const WhatIf& change);

/// The run as it would be on it: with another L2 the model is planned again, else the same plan is
/// simulated.
Result<std::shared_ptr<const Run>> whatIf(const Run& run, const WhatIf& change,
                                          const RunContext& context);

/// Of what the critical path of a run consists, in words: "compute 62 %, moves 38 %, in 47
/// activities".
std::string pathShares(const Run& run);

/// The engines of one run in time, to be looked at only: from 0 to `end`, so that two runs can have
/// one scale, with a line where another run ends.
class GanttStrip : public QWidget {
  Q_OBJECT

 public:
  explicit GanttStrip(QWidget* parent = nullptr);

  /// Null: nothing. A run that is not timed is nothing too.
  void setRun(std::shared_ptr<const Run> run, SimTime end, SimTime mark);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {160, 60}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  GanttScene scene_;
};

/// Drags the machine of the run on show: the size of L2, how fast DMA is and how many channels it
/// has, how much a unit multiplies; and shows at once what that does to latency, peak and critical
/// path, against the run as it is. The same plan is simulated; only another L2 plans again.
class WhatIfPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhatIfPanel(ViewState* state, QWidget* parent = nullptr);

  /// The change that the sliders say; empty where they stand as the machine is.
  WhatIf change() const;
  /// The result; the run on show where nothing is changed, null without one or while it is
  /// worked out.
  std::shared_ptr<const Run> outcome() const { return outcome_; }
  /// Its latency against that of the run on show; no words where nothing is changed.
  Figure answer() const;
  /// The engines of the outcome in time, which the window shows beside this.
  GanttStrip* strip() const { return strip_; }
  /// "l2", "dma", "channels", "macs".
  QSlider* slider(const QString& name) const;

 public Q_SLOTS:
  /// As the machine is.
  void reset();

 Q_SIGNALS:
  /// The answer may be another one.
  void answered();
  /// The model is to be planned so.
  void machineWanted(const hw::RunRequest& request);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A size of the machine that is dragged: in eighths of a doubling around what it is, or one by
  /// one.
  struct Knob {
    QString name{};
    QString title{};
    QString toolTip{};
    bool whole = false;
    /// The size as the machine of a timed run has it; 0: there is nothing to drag.
    std::function<double(const Run&, const Tuning&)> base{};
    std::function<QString(double)> text{};
    std::function<void(WhatIf&, double)> apply{};
    double grain = 0;  ///< Values are multiples of it; 0: they have two digits that count.
    /// The values that a machine may have, of which the nearest is taken; an empty list, or no
    /// function: any.
    std::function<std::span<const std::int64_t>(const Platform&)> choices{};
  };
  /// A knob on the screen.
  struct Row {
    Knob knob{};
    double base = 0;
    std::span<const std::int64_t> choices{};
    QSlider* slider = nullptr;
    QLabel* value = nullptr;
  };

  static std::vector<Knob> knobs();
  void addKnob(const Knob& knob, QGridLayout* grid);
  QWidget* buildKnobs();
  QWidget* buildFigures();
  QWidget* buildButtons();
  double valueOf(const Row& row) const;
  QString textOf(const Row& row) const;
  void showRun();
  void setBases();
  void changed();
  void work();
  void accept(const Result<std::shared_ptr<const Run>>& result);
  void showFigures();
  /// Figures of the run, and of it on the changed machine, which is not known yet where null.
  void fillCells(const Run& run, const Run* outcome);

  ViewState* state_;
  std::vector<Row> knobs_;
  QGridLayout* figures_ = nullptr;
  std::vector<QLabel*> asItIs_;                ///< A column of them, with its head.
  std::vector<std::array<QLabel*, 4>> cells_;  ///< A title, before, now, by how much.
  QLabel* note_ = nullptr;
  QPushButton* take_ = nullptr;
  QPushButton* reset_ = nullptr;
  GanttStrip* strip_ = nullptr;
  QTimer delay_;
  bool asked_ = false;  ///< Of this run, what would be.
  std::shared_ptr<const Run> outcome_;
  Background<Result<std::shared_ptr<const Run>>> working_;
};

}  // namespace hw
