#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "core/run/run.h"

namespace hw {

/// What happened to memory and when ops ran, in time order: docs/formats/events.md.
enum class EventsFormat { csv, jsonLines };

/// One line of such a file; nothing where a column does not apply.
struct EventRow {
  std::size_t seq = 0;
  SimTime time{};
  std::optional<Step> step{};
  std::string pool{};  ///< Empty for what ops do.
  std::string_view event{};
  std::string tensor{};  ///< Or the operator.
  std::optional<Bytes> offset{};
  std::optional<Bytes> size{};
  std::string detail{};
};

/// Visits the rows in order.
void tellEvents(const Run& run, const std::function<void(const EventRow&)>& visit);

void writeEvents(const Run& run, EventsFormat format, std::ostream& out);

}  // namespace hw
