#pragma once

#include <memory>
#include <string>

#include "core/allocators/catalog.h"

namespace hw::test {

/// An allocator of the catalogue as the conformance tests run it: whatever counts its work is set
/// low, and nothing depends on the clock.
struct Subject {
  const AllocatorInfo* info = nullptr;
  std::unique_ptr<Allocator> allocator{};
  std::string text{};  ///< Name and parameters, as `AllocatorChoice::parse` reads them.
};

/// The catalogue's entry number `index`.
Subject subject(std::size_t index);

/// What subjects are given besides the problem.
PlanContext quickContext();

}  // namespace hw::test
