#pragma once

#include <QString>

#include "core/run/run.h"
#include "widgets/text/text.h"

namespace hw {

/// The ways to write addresses in texts and beside axes.
enum class AddressStyle {
  hexTexts,  ///< "0x0001_d800" in texts, "118 KiB" beside axes.
  hex,       ///< "0x0001_d800", "0x1d800".
  decimal,   ///< "120,832", "118 KiB".
};

/// The way sizes and addresses are written everywhere in the studio: sizeText and addressText
/// (run_text.h) go by.
struct TextUnits {
  bool exactBytes = false;  ///< "9,216 B" where otherwise "9.00 KiB" would do.
  AddressStyle addresses = AddressStyle::hexTexts;
  friend bool operator==(const TextUnits&, const TextUnits&) = default;

  static const TextUnits& current();
  static void apply(const TextUnits& units);
};

// Texts of panels, so that all of them write things alike. Names come from files: they are made
// safe to show.

QString timeText(SimTime time);
/// "18.1 %" of 0.181.
QString percentText(double ratio);
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

// Names of compared runs, everywhere alike.

/// "A", "B", … "Z", "AA": the run on show is number 0.
QString runLetter(std::size_t index);

/// Method and platform, and L2's capacity where it is not the platform's: "in-order on
/// generic-npu, L2 512.0 KiB". Of a planning problem, which runs nowhere, the method alone.
QString runLabel(const Run& run);

/// The same, behind the name of its model where that is another than the model of `a`.
QString besideLabel(const Run& run, const Run& a);

/// The line above a map of a pool of `run` that is held against `a`: pool, label, and the pool's
/// peak and how far that is above its live peak.
QString comparedTitle(const Run& run, PoolId pool, const Run& a);

}  // namespace hw
