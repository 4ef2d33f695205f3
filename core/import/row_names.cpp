#include "core/import/row_names.h"

#include <bit>
#include <functional>
#include <string>

namespace hw {

namespace {

bool comesAfter(const std::string& name, const std::string& before) {
  return name.size() == before.size() ? name > before : name.size() > before.size();
}

}  // namespace

std::optional<TensorId> RowNames::add(const IdMap<TensorId, Tensor>& tensors, TensorId tensor) {
  const std::size_t index = tensor.index();
  if (ascending_) {
    if (index == 0 || comesAfter(tensors[tensor].name, tensors[TensorId(index - 1)].name))
      return {};
    ascending_ = false;
    grow(index + 1);
    for (std::size_t before = 0; before < index; ++before) insert(tensors, TensorId(before));
  }
  return insert(tensors, tensor);
}

std::optional<TensorId> RowNames::insert(const IdMap<TensorId, Tensor>& tensors, TensorId tensor) {
  if (slots_.size() < 2 * (count_ + 1)) grow(2 * (count_ + 1));
  const std::string& name = tensors[tensor].name;
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot].tensor; slot = after(slot)) {
    const bool same = slots_[slot].hash == hash && tensors[slots_[slot].tensor].name == name;
    if (same) return slots_[slot].tensor;
  }
  slots_[slot] = {hash, tensor};
  ++count_;
  return std::nullopt;
}

void RowNames::grow(std::size_t names) {
  std::vector<Slot> bigger(std::bit_ceil(2 * names + 2));
  bigger.swap(slots_);
  for (const Slot& old : bigger) {
    if (!old.tensor) continue;
    std::size_t slot = old.hash & (slots_.size() - 1);
    while (slots_[slot].tensor) slot = after(slot);
    slots_[slot] = old;
  }
}

}  // namespace hw
