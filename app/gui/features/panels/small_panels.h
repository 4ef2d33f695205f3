#pragma once

namespace hw {

class MainWindow;
class Minimap;
class ScenarioHistory;

// Features that need nothing but a few connections. What they make belongs to the window.

/// The What if panel: the machine dragged; a machine taken over is an edit of the scenario too.
void addWhatIf(MainWindow* window, ScenarioHistory* history);

/// The panel of everything that is computed beside the window.
void addJobs(MainWindow* window);

/// The dock "Solver's progress": how the search for the plan goes, or went.
void addSearch(MainWindow* window);

/// View > Lanes of the machine, to have them or not.
void addLanes(MainWindow* window);

/// The minimap below the views, and View > Minimap to have it or not.
Minimap* addMinimap(MainWindow* window);

}  // namespace hw
