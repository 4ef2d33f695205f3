#pragma once

namespace hw {

class MainWindow;

/// Adds every feature that is not part of the window's frame: a feature is a QObject owned by the
/// window, in files of its own here. It adds its commands, panels and views through the window's
/// public interface and looks at the ViewState; the window knows nothing of it.
void addFeatures(MainWindow* window);

}  // namespace hw
