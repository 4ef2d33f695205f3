#pragma once

// Catch's optional printer must be asked for before its header is read.
#ifndef CATCH_CONFIG_ENABLE_OPTIONAL_STRINGMAKER
#define CATCH_CONFIG_ENABLE_OPTIONAL_STRINGMAKER
#endif
#include <catch2/catch.hpp>
#include <string>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"

namespace Catch {

template <class Unit>
struct StringMaker<hw::Quantity<Unit>> {
  static std::string convert(hw::Quantity<Unit> quantity) {
    return std::to_string(quantity.count());
  }
};

template <class Tag>
struct StringMaker<hw::Id<Tag>> {
  static std::string convert(hw::Id<Tag> id) {
    return id ? "#" + std::to_string(id.index()) : "none";
  }
};

template <class T>
struct StringMaker<hw::Interval<T>> {
  static std::string convert(const hw::Interval<T>& interval) {
    return "[" + Detail::stringify(interval.begin) + ", " + Detail::stringify(interval.end) + ")";
  }
};

template <>
struct StringMaker<hw::PlanStatus> {
  static std::string convert(hw::PlanStatus status) { return std::string(statusName(status)); }
};

template <>
struct StringMaker<hw::Address> {
  static std::string convert(const hw::Address& address) {
    return "pool " + Detail::stringify(address.pool) + " region " +
           Detail::stringify(address.region) + " at " + Detail::stringify(address.offset);
  }
};

template <>
struct StringMaker<hw::MemoryEvent> {
  static std::string convert(const hw::MemoryEvent& event);
};

template <>
struct StringMaker<hw::Violation> {
  static std::string convert(const hw::Violation& violation) { return violation.message; }
};

template <>
struct StringMaker<hw::Error> {
  static std::string convert(const hw::Error& error) { return error.text(); }
};

}  // namespace Catch
