#pragma once

#include <QString>

#include "core/run/run.h"
#include "widgets/text/text.h"

namespace hw {

// How panels write things, so that they all write them alike. Names come from files: they are made
// safe to show.

QString timeText(SimTime time);
/// "9,216 B".
QString exactText(Bytes bytes);
/// "9.00 KiB".
QString sizeText(Bytes bytes);
/// "9.00 KiB (9,216 B)"; "40 B" when that says it all.
QString fullSizeText(Bytes bytes);
/// "0x0001_d800": hexadecimal in groups of four, at least two of them.
QString addressText(Bytes address);
/// "0x0001_d800 to 0x0001_dfff": the first and the last byte, everywhere.
QString addressesText(const Interval<Bytes>& bytes);
QString stayText(const Run& run, StayId stay);
QString tensorText(const Run& run, TensorId tensor);
QString opNameText(const Run& run, OpId op);
QString poolText(const Run& run, PoolId pool);
/// "L2 2.00 MiB, L3 unlimited": within what a plan was made.
QString limitsText(const Run& run);
/// Why an entry of the timeline went where it did, in a few words.
QString reasonText(const Run& run, const TimelineEntry& entry);

}  // namespace hw
