#pragma once

namespace hw {

class MainWindow;
class MarkerSet;
class MomentPanel;

// Features of moving about a run. The window owns what they make.

/// The head of the View menu: what the maps show, the theme, motion and panels.
void addView(MainWindow* window);

/// The search box at the end of the transport, and the palette of all commands.
void addFind(MainWindow* window);

/// Peaks, ends of the selection, earlier selections, and the map by keyboard; `moment` gets a
/// button with the peaks.
void addNavigation(MainWindow* window, MomentPanel* moment);

/// The walk from activity to activity, to causes and along the critical path.
void addPath(MainWindow* window);

/// Markers as flags above the views and as a dock; the window owns the set.
MarkerSet* addMarkers(MainWindow* window);

/// Marked steps, statistics of a range, and the histogram of sizes.
void addRange(MainWindow* window);

/// Playing in three modes and both directions, and running until something happens.
void addTransport(MainWindow* window);

/// Steps, time or decisions, above the views.
void addClock(MainWindow* window);

}  // namespace hw
