#pragma once

namespace hw {

/// How addresses are written in texts and beside axes.
enum class AddressStyle {
  hexTexts,  ///< "0x0001_d800" in texts, "118 KiB" beside axes.
  hex,       ///< "0x0001_d800", "0x1d800".
  decimal,   ///< "120,832", "118 KiB".
};

/// How sizes and addresses are written, everywhere in the studio: what sizeText and addressText
/// (run_text.h) go by.
struct TextUnits {
  bool exactBytes = false;  ///< "9,216 B" where otherwise "9.00 KiB" would do.
  AddressStyle addresses = AddressStyle::hexTexts;
  friend bool operator==(const TextUnits&, const TextUnits&) = default;

  static const TextUnits& current();
  static void apply(const TextUnits& units);
};

}  // namespace hw
