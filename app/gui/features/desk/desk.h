#pragma once

namespace hw {

class ComparePanel;
class KeyBindings;
class MainWindow;
class ScenarioHistory;

// Features of the desk around a run. The window owns what they make.

/// Help > How the methods work, and trying one of them on the model on show.
void addGuide(MainWindow* window, ScenarioHistory* history);

/// The samples, planned in the background for their cards on the welcome page.
void addWelcomeCards(MainWindow* window);

/// The pages of the place Report beside its tables: the report as it will be, choices, and the
/// command line that does it without a window.
void addPlacePages(MainWindow* window, ComparePanel* comparison);

/// The Help menu.
void addHelp(MainWindow* window, KeyBindings* keys);

}  // namespace hw
