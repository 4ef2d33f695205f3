#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocators/allocator.h"

namespace hw {

/// The ways in which a plan comes about.
enum class Way : std::uint8_t {
  direct,     ///< The allocator plans one problem, for the pools of the first device.
  perDevice,  ///< An allocator plans the blocks of every device: core/run/partitioned.h.
  embedded,   ///< An allocator plans around what the model has placed: core/run/embedded.h.
};

/// A name, what it stands for, and how to make one; also the ways of planning that are told which
/// allocator to use. Menus, `--help`, `list allocators`, parameter
/// forms and the conformance tests are all made from this table.
struct AllocatorInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;      ///< Who described or ships it.
  std::string_view complexity;  ///< In stays n.
  bool choosesPools = false;    ///< Online: decides L2 or L3 itself. Others need a residency first.
  bool plansInputs = true;      ///< false: graph inputs stay outside, whatever the user says.
  bool overlays = false;        ///< Decides itself which ops work in place, where they may.
  bool overlaps = false;  ///< Lets outputs overlap the inputs they are made of, where they may.
  bool isSearch = false;  ///< Takes as long as its budget says.
  Bytes granule{1};  ///< Of sizes: it rounds them up, so that it may need more than all of them.
  std::span<const ParamSpec> params{};
  std::unique_ptr<Allocator> (*make)(const Params&) = nullptr;  ///< Null unless direct.
  Way way = Way::direct;
};

std::span<const AllocatorInfo> allocatorCatalog();

/// The allocator of users who do not choose.
inline constexpr std::string_view kDefaultAllocator = "best";

/// The entry called `name`, or an error with the closest name there is.
Result<const AllocatorInfo*> findAllocator(std::string_view name);

/// An allocator with its parameters: "free-list:threshold=4KiB,pick=best".
struct AllocatorChoice {
  const AllocatorInfo* info = nullptr;
  Params params{};

  static Result<AllocatorChoice> parse(std::string_view text);
  /// The allocator that gives addresses: itself, or the one that a way of planning is told to use.
  AllocatorChoice placer() const;
  std::unique_ptr<Allocator> make() const;
  /// True if that is its parameter `for`: "latency", where it looks for the plan within the memory
  /// that there is with which the run ends soonest, or "penalty", for the one that pays least.
  bool aimsAt(std::string_view aim) const;
  /// The text that `parse` turns into this choice again.
  std::string text() const;
};

/// "free-list:pick=best,threshold=4KiB,none": what follows a comma is a parameter of the allocator
/// before it if it has a "=" and no ":" before that. None for "all" (also when empty): who that is
/// depends on the model, see `allAllocators` in core/run/embedded.h.
Result<std::vector<AllocatorChoice>> parseAllocators(std::string_view list);

}  // namespace hw
