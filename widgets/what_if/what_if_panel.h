#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "widgets/jobs/background.h"
#include "widgets/lanes/gantt_strip.h"
#include "widgets/state/view_state.h"
#include "widgets/what_if/what_if.h"

namespace hw {

/// Drags the machine of the run on show: the size of L2, how fast DMA is and how many channels it
/// has, how much a unit multiplies; and shows at once what that does to latency, peak and critical
/// path, against the run as it is. The same plan is simulated; only another L2 plans again.
class WhatIfPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhatIfPanel(ViewState* state, QWidget* parent = nullptr);

  /// What the sliders say; empty where they stand as the machine is.
  WhatIf change() const;
  /// What came of it; the run on show where nothing is changed, null without one or while it is
  /// worked out.
  std::shared_ptr<const Run> outcome() const { return outcome_; }
  /// "l2", "dma", "channels", "macs".
  QSlider* slider(const QString& name) const;

 public Q_SLOTS:
  /// As the machine is.
  void reset();

 Q_SIGNALS:
  /// The model is to be planned so.
  void machineWanted(const hw::RunRequest& request);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A size that is dragged: in eighths of a power of two around what it is, or one by one.
  struct Knob {
    QString name{};
    QLabel* title = nullptr;
    QSlider* slider = nullptr;
    QLabel* value = nullptr;
    double base = 0;  ///< As the machine has it; 0: there is nothing to drag.
    bool whole = false;
  };

  QWidget* buildKnobs();
  QWidget* buildFigures();
  QWidget* buildButtons();
  const Knob& knob(const QString& name) const;
  double valueOf(const Knob& knob) const;
  QString textOf(const Knob& knob) const;
  void showRun();
  void setBases();
  void changed();
  void work();
  void accept(const Result<std::shared_ptr<const Run>>& result);
  void showFigures();

  ViewState* state_;
  std::vector<Knob> knobs_;
  QGridLayout* figures_ = nullptr;
  std::vector<QLabel*> asItIs_;                ///< A column of them, with its head.
  std::vector<std::array<QLabel*, 4>> cells_;  ///< What, before, now, by how much.
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
