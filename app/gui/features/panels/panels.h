#pragma once

namespace hw {

class Inspector;
class MainWindow;
class Minimap;
class MomentPanel;
class ScenarioHistory;
class SchedulePanel;
class ShrinkPanel;

// Features that add a panel. The window owns what they make.

/// The panels among those of every run that other features speak to.
struct RunPanels {
  Inspector* inspector;
  SchedulePanel* schedule;
  MomentPanel* moment;
};

/// The panels of every run: schedule, inspector, settings, metrics, events, peak and problems.
RunPanels addRunPanels(MainWindow* window);

/// The panel "Tenants": everything that became of one byte, asked for by number or on a map.
void addGenealogy(MainWindow* window);

/// The model graph beside the schedule.
void addGraph(MainWindow* window);

/// The memory that chart and minimap are about.
void addMemory(MainWindow* window, Minimap* minimap);

/// The panel "Method": how the method came to its plan, played in planning time.
void addMethod(MainWindow* window);

/// The Shrink panel and what it saves; a step that is opened is an edit of the scenario.
ShrinkPanel* addShrink(MainWindow* window, ScenarioHistory* history);

/// File > Save a model that runs, which that panel asks for, too.
void addRunnable(MainWindow* window, ShrinkPanel* panel);

/// The run as tables.
void addTables(MainWindow* window);

/// The What if panel; a machine that is taken over is an edit of the scenario.
void addWhatIf(MainWindow* window, ScenarioHistory* history);

/// The questions of the place Improve as cards, each with its answer, which the inspector tells,
/// too. After the panels that answer.
void addQuestions(MainWindow* window, Inspector* inspector);

/// The panel of everything that is computed beside the window.
void addJobs(MainWindow* window);

/// The panel "Solver's progress": how the search for the plan goes, or went.
void addSearch(MainWindow* window);

/// View > Lanes of the machine, to have them or not.
void addLanes(MainWindow* window);

/// The minimap beside the player, and View > Minimap to have it or not.
Minimap* addMinimap(MainWindow* window);

}  // namespace hw
