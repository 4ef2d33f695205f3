#include "core/check/stated_homes.h"

#include <map>
#include <set>

#include "core/residency/partition.h"
#include "core/run/options.h"

namespace hw {
namespace {

/// Derives which ops run on one device: those that touch a tensor of which there is one copy.
class DevicesOfOps {
 public:
  explicit DevicesOfOps(const StatedPlaces& stated)
      : stated_(stated),
        listed_(stated.graph.tensors.size()),
        leader_(stated.graph.ops.size()),
        device_(stated.graph.ops.size()) {
    for (const Resolved& resolved : stated.placements) {
      const std::string_view device = deviceOfPool(resolved.placement->pool);
      const auto number = static_cast<std::uint32_t>(numbers_.size());
      listed_[resolved.tensor].insert(numbers_.try_emplace(device, number).first->second);
    }
    for (const OpId id : leader_.keys()) leader_[id] = id;
  }

  bool several() const { return numbers_.size() > 1; }

  IdMap<TensorId, std::uint32_t> homes() {
    for (const TensorId id : listed_.keys()) meetAt(id);
    IdMap<TensorId, std::set<std::uint32_t>> touched(listed_.size());
    for (const OpId id : leader_.keys()) {
      if (stated_.graph.ops[id].folded) continue;
      const std::uint32_t device = deviceOf(id);
      for (const TensorId tensor : stated_.graph.reads(id)) touch(touched, tensor, device);
      for (const TensorId tensor : stated_.graph.ops[id].outputs) touch(touched, tensor, device);
    }
    IdMap<TensorId, std::uint32_t> homes(listed_.size(), 0);
    for (const TensorId id : homes.keys()) {
      if (!touched[id].empty()) homes[id] = *touched[id].begin();
      if (touched[id].size() > 1 || listed_[id].size() > 1) homes[id] = StorageOptions::kManyHomes;
    }
    return homes;
  }

 private:
  static void touch(IdMap<TensorId, std::set<std::uint32_t>>& touched, TensorId tensor,
                    std::uint32_t device) {
    if (tensor) touched[tensor].insert(device);
  }

  OpId leaderOf(OpId op) {
    while (leader_[op] != op) op = leader_[op] = leader_[leader_[op]];
    return op;
  }

  /// A tensor that is not listed is a part of one that is, on one device.
  void meetAt(TensorId id) {
    const std::set<std::uint32_t>& devices = listed_[id];
    if (devices.size() > 1 || (devices.empty() && !stated_.demands[id])) return;
    const Tensor& tensor = stated_.graph.tensors[id];
    std::vector<OpId> ops = tensor.consumers;
    if (tensor.producer) ops.push_back(tensor.producer);
    std::erase_if(ops, [&](OpId op) { return stated_.graph.ops[op].folded; });
    if (ops.empty()) return;
    const OpId first = leaderOf(ops.front());
    for (const OpId op : ops) {
      const OpId other = leaderOf(op);
      if (!device_[first]) device_[first] = device_[other];
      leader_[other] = first;
    }
    if (!devices.empty() && !device_[first]) device_[first] = *devices.begin();
  }

  /// Ops of which nothing says where they run have a device to themselves.
  std::uint32_t deviceOf(OpId op) {
    const OpId first = leaderOf(op);
    return device_[first].value_or(static_cast<std::uint32_t>(numbers_.size() + first.index()));
  }

  const StatedPlaces& stated_;
  std::map<std::string_view, std::uint32_t> numbers_;
  IdMap<TensorId, std::set<std::uint32_t>> listed_;  ///< The devices of its placements.
  IdMap<OpId, OpId> leader_;
  IdMap<OpId, std::optional<std::uint32_t>> device_;  ///< Of leaders.
};

}  // namespace

std::string_view deviceOfPool(std::string_view pool) {
  const std::size_t slash = pool.find('/');
  return slash == std::string_view::npos ? std::string_view() : pool.substr(0, slash);
}

IdMap<TensorId, std::uint32_t> statedHomes(const StatedPlaces& stated,
                                           const AuditOptions& options) {
  DevicesOfOps devices(stated);
  if (!devices.several() || !stated.plan.moves.empty()) return {};
  if (options.platform) return homesOf(stated.graph, *options.platform);
  RunRequest request = defaultRequest();
  const auto texts = stated.plan.settings.find("platform");
  // A platform may be a file that is not here.
  const bool told = texts != stated.plan.settings.end() &&
                    findOption("platform")->read(texts->second, request).has_value();
  return told ? homesOf(stated.graph, request.platform) : devices.homes();
}

}  // namespace hw
