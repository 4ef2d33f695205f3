#pragma once

#include <string>

#include "core/picture/stage/stage.h"

namespace hw {

/// How a stage is written as SVG.
struct StagePicture {
  double width = 1160;
  double height = 0;  ///< 0: as much as all rows take, within limits.
  double letters = 12;
  const Palette* palette = nullptr;  ///< Null: light or dark as the reader's system is.
};

/// The stage after `ticks` ticks.
std::string stageSvg(const Stage& stage, std::size_t ticks, const StagePicture& picture);

/// More ticks than this make files that no browser likes: a film ends there, and says so.
inline constexpr std::size_t kMostFilmTicks = 600;
/// How long each tick is seen.
inline constexpr double kFilmTickSeconds = 1.6;

/// How many ticks the film of `stage` has.
std::size_t filmTicks(const Stage& stage);

/// All its ticks as one picture that plays by itself, over and over (SMIL, of SVG 1.1): what is
/// the same in several ticks is written once. Where nothing moves the last tick is seen.
/// `standalone`: with the colours; else for a page that has `inkStyles`.
std::string stageFilm(const Stage& stage, const StagePicture& picture, bool standalone);

}  // namespace hw
