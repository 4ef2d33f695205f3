#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/report/text/text_table.h"

namespace hw {

/// At most the first `count` of `items`.
template <class Item>
std::span<const Item> firstOf(const std::vector<Item>& items, std::size_t count) {
  return std::span<const Item>(items).first(std::min(count, items.size()));
}

/// A titled part of a text report, after an empty line: "inputs (3)", the lines of `body`, and how
/// many rows beyond `shown` were left out. Empty when there are no rows at all.
std::string section(const Paint& paint, const std::string& title, std::size_t rows,
                    const std::string& body, std::size_t shown);

/// The same for sentences: one a line, repeated ones once.
std::string notesText(const Paint& paint,
                      const std::vector<const std::vector<std::string>*>& lists);

}  // namespace hw
