#include "tests/support/tflite_writer.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace hw {
namespace {

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Writes a flatbuffer from the root on: what a table points to follows behind it.
class Writer {
 public:
  struct Field {
    int id = 0;
    int width = 4;
    std::int64_t value = 0;
  };
  /// Where a table is, and where its fields are.
  struct Table {
    std::size_t at = 0;
    std::map<int, std::size_t> slots{};
  };

  Table table(const std::vector<Field>& fields) {
    std::size_t inside = 4;
    std::map<int, std::size_t> places;
    for (const Field& field : fields) {
      const auto width = static_cast<std::size_t>(field.width);
      inside = (inside + width - 1) / width * width;
      places[field.id] = inside;
      inside += width;
    }
    const int last = fields.empty() ? -1 : places.rbegin()->first;
    align(8);
    const std::size_t vtable = bytes.size();
    append(bytes, static_cast<std::uint16_t>(4 + 2 * (last + 1)));
    append(bytes, static_cast<std::uint16_t>(inside));
    for (int id = 0; id <= last; ++id) {
      append(bytes, static_cast<std::uint16_t>(places.contains(id) ? places[id] : 0));
    }
    align(8);
    Table made{.at = bytes.size()};
    append(bytes, static_cast<std::int32_t>(made.at - vtable));
    bytes.resize(made.at + inside);
    for (const Field& field : fields) {
      made.slots[field.id] = made.at + places[field.id];
      std::memcpy(bytes.data() + made.slots[field.id], &field.value,
                  static_cast<std::size_t>(field.width));
    }
    return made;
  }

  template <class T>
  std::size_t vector(const std::vector<T>& elements) {
    align(sizeof(T) < 8 ? 4 : 8, 4);
    const std::size_t at = bytes.size();
    append(bytes, static_cast<std::uint32_t>(elements.size()));
    for (const T element : elements) append(bytes, element);
    return at;
  }

  std::size_t text(const std::string& text) {
    const std::size_t at = vector(std::vector<char>(text.begin(), text.end()));
    bytes.push_back('\0');
    return at;
  }

  /// A vector of offsets to be filled in with `link`; the first slot is 4 behind the result.
  std::size_t offsets(std::size_t count) { return vector(std::vector<std::uint32_t>(count)); }

  void link(std::size_t slot, std::size_t target) {
    const auto distance = static_cast<std::uint32_t>(target - slot);
    std::memcpy(bytes.data() + slot, &distance, sizeof(distance));
  }

  void align(std::size_t alignment, std::size_t rest = 0) {
    while ((bytes.size() + rest) % alignment != 0) bytes.push_back('\0');
  }

  std::string bytes;
};

using Field = Writer::Field;

class ModelWriter {
 public:
  explicit ModelWriter(const TfliteText& model) : model_(model) {}

  /// The places, in the order of the buffers, of the offsets to their data.
  const std::vector<std::size_t>& bufferSlots() const { return bufferSlots_; }

  std::string write() {
    append(out_.bytes, std::uint32_t{0});
    out_.bytes += "TFL3";
    const auto root = out_.table({{0, 4, model_.version}, {1}, {2}, {4}, {6}, {7}});
    out_.link(0, root.at);
    writeCodes(root.slots.at(1));
    list(root.slots.at(2), model_.subgraphs, [&](const auto& graph) { return subgraph(graph); });
    std::vector<std::string> buffers = {""};
    buffers.insert(buffers.end(), model_.buffers.begin(), model_.buffers.end());
    const std::size_t inside = buffers.size();
    buffers.resize(inside + model_.outside.size());
    auto outside = model_.outside.begin();
    list(root.slots.at(4), buffers, [&](const std::string& data) {
      if (bufferSlots_.size() == inside) {
        const auto [at, size] = *outside++;
        return out_
            .table({{1, 8, static_cast<std::int64_t>(at)}, {2, 8, static_cast<std::int64_t>(size)}})
            .at;
      }
      const auto table = out_.table({{0}});
      bufferSlots_.push_back(table.slots.at(0));
      out_.link(table.slots.at(0), out_.vector(std::vector<char>(data.begin(), data.end())));
      return table.at;
    });
    list(root.slots.at(6), model_.metadata, [&](const auto& entry) {
      const auto table = out_.table({{0}, {1, 4, entry.second}});
      out_.link(table.slots.at(0), out_.text(entry.first));
      return table.at;
    });
    list(root.slots.at(7), model_.signatures, [&](const auto& entry) { return signature(entry); });
    return std::move(out_.bytes);
  }

 private:
  template <class T, class Write>
  void list(std::size_t slot, const std::vector<T>& elements, Write write) {
    const std::size_t at = out_.offsets(elements.size());
    out_.link(slot, at);
    for (std::size_t i = 0; i < elements.size(); ++i) out_.link(at + 4 + 4 * i, write(elements[i]));
  }

  void writeCodes(std::size_t slot) {
    for (const auto& graph : model_.subgraphs) {
      for (const auto& op : graph.operators) {
        const std::pair key{op.code, op.custom};
        if (std::ranges::find(codes_, key) == codes_.end()) codes_.push_back(key);
      }
    }
    list(slot, codes_, [&](const auto& code) {
      const auto table = out_.table({{0, 1, std::min(code.first, 127)}, {1}, {3, 4, code.first}});
      out_.link(table.slots.at(1), out_.text(code.second));
      return table.at;
    });
  }

  std::size_t subgraph(const TfliteText::Subgraph& graph) {
    const auto table = out_.table({{0}, {1}, {2}, {3}, {4}});
    list(table.slots.at(0), graph.tensors,
         [&](const auto& tensor) { return this->tensor(tensor); });
    out_.link(table.slots.at(1), out_.vector(graph.inputs));
    out_.link(table.slots.at(2), out_.vector(graph.outputs));
    list(table.slots.at(3), graph.operators, [&](const auto& op) { return operation(op); });
    out_.link(table.slots.at(4), out_.text(graph.name));
    return table.at;
  }

  std::size_t tensor(const TfliteText::Tensor& tensor) {
    std::vector<Field> fields = {
        {0}, {1, 1, tensor.type}, {2, 4, tensor.buffer}, {3}, {5, 1, tensor.variable ? 1 : 0}};
    if (!tensor.scales.empty()) fields.push_back({4});
    if (!tensor.signature.empty()) fields.push_back({7});
    const auto table = out_.table(fields);
    if (!tensor.scales.empty()) {
      const auto scaling = out_.table({{2}, {3}, {6, 4, tensor.channelAxis}});
      out_.link(table.slots.at(4), scaling.at);
      out_.link(scaling.slots.at(2), out_.vector(tensor.scales));
      out_.link(scaling.slots.at(3), out_.vector(tensor.zeros));
    }
    out_.link(table.slots.at(0), out_.vector(tensor.shape));
    out_.link(table.slots.at(3), out_.text(tensor.name));
    if (!tensor.signature.empty()) out_.link(table.slots.at(7), out_.vector(tensor.signature));
    return table.at;
  }

  std::size_t operation(const TfliteText::Operator& op) {
    const auto code = std::ranges::find(codes_, std::pair{op.code, op.custom});
    const int set = op.second ? 12 : 4;
    const bool given = !op.options.empty() || !op.text.empty();
    std::vector<Field> fields = {{0, 4, code - codes_.begin()}, {1}, {2}};
    if (given) fields.push_back({set});
    if (op.optionsKind != 0) fields.push_back({set - 1, 1, op.optionsKind});
    if (!op.customOptions.empty()) fields.push_back({5});
    const auto table = out_.table(fields);
    if (!op.customOptions.empty()) {
      out_.link(table.slots.at(5),
                out_.vector(std::vector<char>(op.customOptions.begin(), op.customOptions.end())));
    }
    out_.link(table.slots.at(1), out_.vector(op.inputs));
    out_.link(table.slots.at(2), out_.vector(op.outputs));
    if (!given) return table.at;
    std::vector<Field> numbers;
    for (const auto& option : op.options) {
      numbers.push_back({option.field, option.width, option.value});
    }
    if (!op.text.empty()) numbers.push_back({1});
    const auto options = out_.table(numbers);
    out_.link(table.slots.at(set), options.at);
    if (!op.text.empty()) out_.link(options.slots.at(1), out_.text(op.text));
    return table.at;
  }

  std::size_t signature(const TfliteText::Signature& signature) {
    const auto table = out_.table({{0}, {2}, {4, 4, signature.subgraph}});
    list(table.slots.at(0), signature.inputs, [&](const auto& input) {
      const auto entry = out_.table({{0}, {1, 4, input.second}});
      out_.link(entry.slots.at(0), out_.text(input.first));
      return entry.at;
    });
    out_.link(table.slots.at(2), out_.text(signature.key));
    return table.at;
  }

  const TfliteText& model_;
  Writer out_;
  std::vector<std::pair<std::int32_t, std::string>> codes_;
  std::vector<std::size_t> bufferSlots_;
};

}  // namespace

std::string tfliteBytes(const TfliteText& model) { return ModelWriter(model).write(); }

SparseTflite sparseTflite(const TfliteText& model, const std::vector<std::uint32_t>& payloads) {
  TfliteText whole = model;
  whole.buffers.resize(model.buffers.size() + payloads.size());
  ModelWriter writer(whole);
  SparseTflite sparse{.head = writer.write()};
  const std::size_t first = 1 + model.buffers.size();  // Buffer 0 is the empty one.
  std::uint64_t at = sparse.head.size();
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    at = (at + 15) / 16 * 16;
    const std::size_t slot = writer.bufferSlots()[first + i];
    const auto distance = static_cast<std::uint32_t>(at - slot);
    std::memcpy(sparse.head.data() + slot, &distance, sizeof distance);
    sparse.holes.emplace_back(at, payloads[i]);
    at += sizeof(std::uint32_t) + payloads[i];
  }
  return sparse;
}

std::string tfliteIntegers(const std::vector<std::int32_t>& numbers) {
  std::string bytes;
  for (const std::int32_t number : numbers) append(bytes, number);
  return bytes;
}

std::string zipBytes(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  std::string directory;
  for (const auto& [name, content] : files) {
    // Version, flags, method, time, date, checksum (left out), both sizes, name, extra.
    std::string common;
    for (const int value : {10, 0, 0, 0, 0}) append(common, static_cast<std::uint16_t>(value));
    append(common, std::uint32_t{0});
    append(common, static_cast<std::uint32_t>(content.size()));
    append(common, static_cast<std::uint32_t>(content.size()));
    append(common, static_cast<std::uint16_t>(name.size()));
    append(common, std::uint16_t{0});
    directory += "PK\x01\x02";
    append(directory, std::uint16_t{10});
    directory += common;
    for (const int value : {0, 0, 0}) append(directory, static_cast<std::uint16_t>(value));
    append(directory, std::uint32_t{0});
    append(directory, static_cast<std::uint32_t>(archive.size()));
    directory += name;
    archive += "PK\x03\x04" + common + name + content;
  }
  const auto start = static_cast<std::uint32_t>(archive.size());
  archive += directory + "PK\x05\x06";
  for (const int value : {0, 0}) append(archive, static_cast<std::uint16_t>(value));
  for (int twice = 0; twice < 2; ++twice) append(archive, static_cast<std::uint16_t>(files.size()));
  append(archive, static_cast<std::uint32_t>(directory.size()));
  append(archive, start);
  append(archive, std::uint16_t{0});
  return archive;
}

void addOfflinePlan(TfliteText& model, const std::vector<std::int32_t>& offsets) {
  std::vector<std::int32_t> words = {1, 0, static_cast<std::int32_t>(offsets.size())};
  words.insert(words.end(), offsets.begin(), offsets.end());
  model.buffers.push_back(tfliteIntegers(words));
  model.metadata.emplace_back("OfflineMemoryAllocation",
                              static_cast<std::uint32_t>(model.buffers.size()));
}

}  // namespace hw
