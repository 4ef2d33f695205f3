#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/allocators/allocator.h"

namespace hw {

/// A name, what it stands for, and how to make one. Menus, `--help`, `list allocators`, parameter
/// forms and the conformance tests are all made from this table.
struct AllocatorInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;      ///< Who described or ships it.
  std::string_view complexity;  ///< In stays n.
  bool choosesPools = false;    ///< Online: decides L2 or L3 itself. Others need a residency first.
  bool plansInputs = true;      ///< false: graph inputs stay outside, whatever the user says.
  bool perDevice = false;       ///< Spreads a graph over all devices of the platform.
  bool overlays = false;        ///< Decides itself which ops work in place, where they may.
  bool followsModel = false;    ///< Keeps the offsets that came with the model, if it has any.
  bool isSearch = false;        ///< Takes as long as its budget says.
  std::span<const ParamSpec> params{};
  std::unique_ptr<Allocator> (*make)(const Params&) = nullptr;
};

std::span<const AllocatorInfo> allocatorCatalog();

/// What plans for those who do not choose.
inline constexpr std::string_view kDefaultAllocator = "best";

/// The entry called `name`, or an error with the closest name there is.
Result<const AllocatorInfo*> findAllocator(std::string_view name);

/// An allocator with its parameters: "free-list:threshold=4KiB,pick=best".
struct AllocatorChoice {
  const AllocatorInfo* info = nullptr;
  Params params{};

  static Result<AllocatorChoice> parse(std::string_view text);
  std::unique_ptr<Allocator> make() const { return info->make(params); }
  /// The text that `parse` turns into this choice again.
  std::string text() const;
};

}  // namespace hw
