#pragma once

namespace hw {

class CapacityPanel;
class ComparePanel;
class FrontPanel;
class MainWindow;

// Features of plans beside the one on show. The window owns what they make.

/// The comparison panel, what its rows ask of the window, and the Compare menu.
ComparePanel* addComparison(MainWindow* window);

/// The panels of curves that belong to the comparison.
struct CurvePanels {
  CapacityPanel* capacity;
  FrontPanel* front;
};

/// Bars, fragmentation, the sweep of L2, capacity against latency, and the autopsy of a row.
CurvePanels addCurves(MainWindow* window, ComparePanel* comparison);

}  // namespace hw
