#pragma once

#include <QSize>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/request/picture_style.h"
#include "app/gui/request/settings.h"
#include "core/picture/axis.h"
#include "core/picture/coloring.h"
#include "core/run/options.h"
#include "widgets/state/view_state.h"

namespace hw {

/// What is to stand below the plan on show: another plan of its model, or of another model.
struct PlanBelow {
  AllocatorChoice allocator{};
  std::string model{};  ///< Empty: that of the plan on show, by `allocator`.
};

/// The command line, understood.
struct StudioArguments {
  RunRequest request{};
  std::optional<ThemeChoice> theme{};  ///< Nothing: as remembered.
  QString exportFile{};                ///< Empty: open a window.
  bool report = false;                 ///< The file is a report, not a picture.
  PictureStyle picture{.kind = PictureKind::window, .footer = false};
  QSize size{1600, 960};
  bool sizeGiven = false;
  bool connect = false;             ///< All of it is for a window that is open already.
  std::optional<Step> step{};       ///< Nothing: the peak in a picture, else as it is.
  std::optional<ColorBy> colors{};  ///< Nothing: as it is.
  std::optional<AxisUnit> axis{};   ///< Nothing: steps in a picture, else as it is.
  /// Steps to show, the end inclusive; nothing: all.
  std::optional<std::pair<Step, Step>> range{};
  std::string select{};            ///< A tensor; empty: none.
  std::vector<PlanBelow> below{};  ///< In order.
  bool allocatorGiven = false;     ///< Otherwise a window takes what its settings say.
  bool platformGiven = false;
  QString panel{};       ///< The panel to raise; empty: as it is.
  bool compare = false;  ///< Fills the comparison first.
  /// With whom, of whom none are all; nothing: the usual ones.
  std::optional<std::vector<AllocatorChoice>> compared{};
};

/// The options of the request that differ from `standard`, and who plans wherever that was
/// named.
OptionTexts saidBy(const StudioArguments& arguments, const RunRequest& standard);

/// The outcome of reading the arguments: run, or print and exit.
struct ArgumentsOutcome {
  std::optional<StudioArguments> arguments{};
  int exitCode = 0;  ///< Without arguments: 0 after --help and --version, 2 bad usage, 3 bad file.
  std::string text{};  ///< The text to print then; to standard error when the code is not 0.
};

ArgumentsOutcome parseArguments(int argc, const char* const* argv);

/// 2 for bad usage, 3 for bad input, 1 for a stop.
int exitCodeOf(const Error& error);

/// Takes all views to the axis, the step, the range and the tensor that the command line names, as
/// far as it names any. Fails, and says which there are, when the run on show does not have them.
Result<void> goToPlace(const StudioArguments& arguments, ViewState& state);

}  // namespace hw
