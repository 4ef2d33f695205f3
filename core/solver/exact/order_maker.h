#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

/// What boxes of equally pressed sections are ordered by, largest first.
enum class OrderKey : std::uint8_t {
  sections,  ///< How many sections a box covers.
  area,      ///< Those times its height.
  steps,     ///< How many steps it lives.
  mass,      ///< Those times its height.
};

struct OrderRecipe {
  OrderKey key = OrderKey::sections;
  bool pressed = true;     ///< First by the most pressed section a box covers.
  std::uint64_t seed = 0;  ///< 0: exactly by the key; else the key is shaken by up to a fifth.
};

/// Makes orders for searches, and learns from how these fail: a section that had no room for what
/// was left presses more, and what covers it comes first next time. After the constraint weights
/// of Boussemart, Hemery, Lecoutre and Sais 2004 (dom/wdeg).
class OrderMaker {
 public:
  /// Keeps a reference to `boxes`. A section presses as much as it is full next to the fullest.
  explicit OrderMaker(const Boxes& boxes);

  std::vector<std::uint32_t> make(const OrderRecipe& recipe) const;

  /// Forgets what it has learned.
  void restart() { pressure_ = first_; }

  /// Takes note of failures by section, of searches that ended without an answer.
  void learn(const std::vector<std::uint64_t>& failures);

 private:
  double keyOf(const Box& box, OrderKey key) const;

  const Boxes& boxes_;
  std::vector<double> pressure_;  ///< By section.
  std::vector<double> first_;     ///< Pressure before anything was learned.
};

}  // namespace hw::exact
