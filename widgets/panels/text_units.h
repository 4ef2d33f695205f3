#pragma once

namespace hw {

/// How sizes and addresses are written, everywhere in the studio: what sizeText and addressText
/// (run_text.h) go by.
struct TextUnits {
  bool exactBytes = false;        ///< "9,216 B" where otherwise "9.00 KiB" would do.
  bool decimalAddresses = false;  ///< "120,832" instead of "0x0001_d800".
  friend bool operator==(const TextUnits&, const TextUnits&) = default;

  static const TextUnits& current();
  static void apply(const TextUnits& units);
};

}  // namespace hw
