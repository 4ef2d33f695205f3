#pragma once

#include <QByteArray>
#include <QImage>
#include <functional>
#include <vector>

#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/base/result.h"

namespace hw {

/// The most frames of a moving picture: of longer ranges steps are left out, evenly.
inline constexpr std::int64_t kMostFrames = 240;

/// The steps of `range` that a moving picture shows, the last one among them, and for how many
/// milliseconds each: 12 s together where that is neither too fast nor too slow to follow.
struct FrameSteps {
  std::vector<Step> steps{};
  int milliseconds = 0;
};
FrameSteps frameSteps(const Interval<Step>& range);

/// The steps of `range`, not empty, as an animated WebP without losses, which browsers play, over
/// and over; the last frame stays for a while. `frame` draws a step, always of one size;
/// `progress` is told the part that is done, and false ends the work with `ErrorCode::stopped`.
Result<QByteArray> movingPicture(const Interval<Step>& range,
                                 const std::function<QImage(Step)>& frame,
                                 const std::function<bool(double)>& progress);

}  // namespace hw
