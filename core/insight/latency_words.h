#pragma once

#include <string>

#include "core/run/run.h"

namespace hw {

/// Words for an activity: "conv7", "fetching conv7's weights", "storing relu3".
std::string activityWords(const Run& run, ActivityId id);

/// Words for its cause, why it did not start sooner: "waits 41.0 us for bytes of relu3", "waits for
/// the unit mac, busy with conv6"; empty where nothing held it.
std::string causeWords(const Run& run, ActivityId id);

/// Waits for the bytes of `stay`, longest first, and for whose bytes it waits itself: "fetching
/// z waits 40.0 ns for its bytes"; empty where reuse holds up nobody.
std::string reuseWordsOf(const Run& run, StayId stay);

/// "at the least 28.9 ms for this plan (port L3 read), 24.0 ms for any of this order (unit mac)".
std::string boundWords(const LatencyAccount& account);

/// Price of reuse in words, waits first; says so where it helps.
std::string reuseWords(const ReusePrice& price);

}  // namespace hw
