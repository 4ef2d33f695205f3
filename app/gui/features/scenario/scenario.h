#pragma once

namespace hw {

class MainWindow;
class ScenarioHistory;
class SchedulePanel;

// Features of what is opened and how it is planned. The window owns what they make.

/// Files, samples, recent models and free dimensions, and the head of the Simulate menu.
void addFiles(MainWindow* window);

/// File > Part of the file, and a bar that says what a model leaves to its reader.
void addOffers(MainWindow* window);

/// The order of the operators, changed in the schedule or by keys.
void addOrder(MainWindow* window, ScenarioHistory* history, SchedulePanel* schedule);

}  // namespace hw
