#include "core/machine/memory_model.h"

namespace hw {

std::optional<Bytes> PoolSpec::target() const {
  if (!capacity) return std::nullopt;
  return *capacity - reserved;
}

std::string pairText(const Platform& platform, const DeviceSpec& device,
                     const DmaSpec::Pair& pair) {
  const auto text = [&](DmaSpec::Place place) {
    const DeviceSpec& other = platform.devices[place.device];
    const std::string& pool = other.pools[place.pool].name;
    return other.name == device.name ? pool : other.name + "." + pool;
  };
  return text(pair.from) + ">" + text(pair.to);
}

MachinePools machinePools(const Platform& platform, std::size_t devices) {
  MachinePools machine;
  for (std::uint32_t device = 0; device < devices; ++device) {
    auto& own = machine.ofDevice.emplace_back();
    for (const PoolSpec& spec : platform.devices[device].pools) {
      const auto known = std::ranges::find_if(machine.pools, [&](const auto& pool) {
        return spec.shared && pool.spec->shared && pool.spec->name == spec.name;
      });
      const auto index = static_cast<std::size_t>(known - machine.pools.begin());
      if (known == machine.pools.end()) machine.pools.add({&spec, device});
      own.emplace_back(index);
    }
  }
  return machine;
}

}  // namespace hw
