#pragma once

#include <QSize>
#include <QString>
#include <optional>
#include <string>

#include "app/gui/settings.h"
#include "core/run/run.h"

namespace hw {

/// A model to open and how to plan it.
struct RunRequest {
  std::string model{};  ///< A path, samples:NAME, or "-"; empty: none.
  ImportOptions import{};
  RunConfig config{};
};

/// What a picture shows.
enum class PictureKind { window, map, chart, now };

/// The command line, understood.
struct StudioArguments {
  RunRequest request{};
  std::optional<ThemeChoice> theme{};  ///< Nothing: as remembered.
  QString exportFile{};                ///< Empty: open a window.
  PictureKind picture = PictureKind::window;
  QSize size{1600, 960};
  std::optional<Step> step{};              ///< Nothing: the peak.
  std::string select{};                    ///< A tensor; empty: none.
  std::optional<AllocatorChoice> below{};  ///< Whose plan is shown below; nothing: none.
  QString panel{};                         ///< The panel to raise; empty: as it is.
};

/// What the program should do about its arguments: run, or print and exit.
struct ArgumentsOutcome {
  std::optional<StudioArguments> arguments{};
  int exitCode = 0;  ///< Without arguments: 0 after --help and --version, 2 bad usage, 3 bad file.
  std::string text{};  ///< What to print then; to standard error when the code is not 0.
};

ArgumentsOutcome parseArguments(int argc, const char* const* argv);

/// The default allocator on the default platform.
RunConfig defaultConfig();

/// A preset by name, or a TOML file.
Result<Platform> openPlatform(const std::string& nameOrFile);

/// 2 for bad usage, 3 for bad input, 1 for a stop.
int exitCodeOf(const Error& error);

}  // namespace hw
