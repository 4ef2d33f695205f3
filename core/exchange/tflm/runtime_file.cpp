#include "core/exchange/tflm/runtime_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "core/base/c_words.h"
#include "core/base/text.h"
#include "core/exchange/tflm/offline_plan.h"
#include "core/exchange/tflm/tflite_rewrite.h"
#include "core/files/file.h"

namespace hw {
namespace {

/// Compilers may tell names apart by their first 63 characters only.
constexpr std::size_t kLongestName = 40;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

struct HeaderTensor {
  std::string name{};  ///< Without a prefix.
  std::string label{};
  Bytes offset{};
  Bytes size{};
  Interval<Step> steps{};
};

/// The letters, digits and underscores of `name`, capitals only, beginning with a letter.
std::string headerName(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (text.size() >= kLongestName) break;
    const bool fits = isCLetter(c) || isCDigit(c);
    if (!fits && (text.empty() || text.back() == '_')) continue;
    text += fits ? c : '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text.empty() || isCDigit(text.front()) ? "T_" + text : text;
}

class HeaderWriter {
 public:
  HeaderWriter(const Run& run, const TflmPlan* tflm)
      : run_(run), tflm_(tflm), prefix_(headerName(run.model->name)) {}

  Result<std::string> write() {
    HW_TRY(places, fixedPlaces(run_));
    collect(places);
    // Buffers that the runtime adds by itself lie in the same arena.
    if (tflm_ != nullptr) arena_ = std::max(arena_, tflm_->arena.head);
    begin();
    writeTensors();
    if (tflm_ != nullptr) writeBufferPlan();
    text_ += fmt::format("\n#endif /* {}_PLAN_H */\n", prefix_);
    return std::move(text_);
  }

 private:
  void collect(const IdMap<TensorId, std::optional<Bytes>>& places) {
    const Graph& graph = run_.graph();
    std::set<std::string> taken = {"ARENA_ALIGNMENT", "ARENA_SIZE", "COUNT", "PLAN_H"};
    for (const TensorId id : places.keys()) {
      if (!places[id]) continue;
      const std::string label = displayName(graph, id);
      const std::string base = headerName(label);
      std::string name = base;
      for (int number = 2; !taken.insert(name).second; ++number) {
        name = fmt::format("{}_{}", base, number);
      }
      tensors_.push_back({.name = name,
                          .label = cComment(label),
                          .offset = *places[id],
                          .size = graph.tensors[id].bytes.value_or(Bytes()),
                          .steps = run_.storage.lifetimes[id]});
      arena_ = std::max(arena_, tensors_.back().offset + tensors_.back().size);
    }
    arena_ = alignUp(arena_, run_.sharing.alignment);
  }

  void begin() {
    text_ = fmt::format(
        "/* Memory of {}, planned by Highwater ({}): {} tensors in {} bytes.\n"
        "   Offsets are from the start of one arena. Tensors whose steps do not meet may share\n"
        "   bytes, and so may a tensor and its views. */\n"
        "#ifndef {}_PLAN_H\n#define {}_PLAN_H\n\n#include <stdint.h>\n\n",
        cComment(run_.model->name), run_.request.allocator.info->name, tensors_.size(),
        arena_.count(), prefix_, prefix_);
    text_ += fmt::format("#define {}_ARENA_SIZE {}\n", prefix_, number(arena_));
    text_ +=
        fmt::format("#define {}_ARENA_ALIGNMENT {}\n", prefix_, number(run_.sharing.alignment));
  }

  static std::string number(Bytes bytes) {
    return fmt::format("{}{}", bytes.count(), bytes.count() > UINT32_MAX ? "ull" : "ul");
  }

  bool isSmall() const { return arena_ <= Bytes(UINT32_MAX); }

  void writeTensors() {
    const std::string type = isSmall() ? "uint32_t" : "uint64_t";
    const std::string small = lower(prefix_);
    text_ += "\n/* Tensors: when each is needed, by operators from 0, and its bytes. */\n";
    text_ += fmt::format("enum {}_tensor {{\n", small);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const HeaderTensor& tensor = tensors_[i];
      text_ += fmt::format("  {}_{} = {}, /* {}: steps {}-{}, {} bytes */\n", prefix_, tensor.name,
                           i, tensor.label, tensor.steps.begin.count(),
                           tensor.steps.end.count() - 1, tensor.size.count());
    }
    text_ += fmt::format("  {}_COUNT = {}\n}};\n", prefix_, tensors_.size());
    for (const auto& [what, member] :
         {std::pair("offset", &HeaderTensor::offset), std::pair("size", &HeaderTensor::size)}) {
      // No array of nothing, in either language.
      text_ += fmt::format("\nstatic const {} {}_{}[{}] = {{\n", type, small, what,
                           std::max<std::size_t>(tensors_.size(), 1));
      for (const HeaderTensor& tensor : tensors_) {
        text_ += fmt::format("  {}, /* {} */\n", number(tensor.*member), tensor.label);
      }
      text_ += tensors_.empty() ? "  0\n};\n" : "};\n";
    }
    writeAssertions(small);
  }

  /// Neither language's own assertion is known to the other: an array of negative size is an error
  /// in both.
  void writeAssertions(const std::string& small) {
    text_ += "\n/* All of it fits: compiles only if so. */\n";
    text_ += fmt::format(
        "typedef char {}_arena_is_aligned[({}_ARENA_SIZE % {}_ARENA_ALIGNMENT == 0) ? 1 : -1];\n",
        small, prefix_, prefix_);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      text_ += fmt::format("typedef char {}_fits_{}[({} + {} <= {}_ARENA_SIZE) ? 1 : -1];\n", small,
                           i, number(tensors_[i].offset), number(tensors_[i].size), prefix_);
    }
  }

  void writeBufferPlan() {
    const std::string small = lower(prefix_);
    std::vector<Bytes> offsets;
    for (const auto& offset : tflm_->arena.offsets) {
      if (offset) offsets.push_back(*offset);
    }
    text_ += fmt::format(
        "\n/* The same for tflite-micro's NonPersistentMemoryPlannerShim, laid out as a "
        "BufferPlan:\n"
        "   every tensor that it allocates, of all subgraphs, then the scratch of its reference\n"
        "   kernels, as of its commit 90b983c. Head of the arena: {} bytes. */\n",
        tflm_->arena.head.count());
    for (const std::string& type : tflm_->program.unknown) {
      text_ += fmt::format("/* What scratch {} asks for is not known, and not in it. */\n",
                           cComment(type));
    }
    text_ += fmt::format(
        "static const struct {}_buffer_plan_type {{\n  int32_t buffer_count;\n"
        "  int32_t offset[{}];\n}} {}_buffer_plan = {{\n  {},\n  {{\n",
        small, std::max<std::size_t>(offsets.size(), 1), small, offsets.size());
    for (const Bytes offset : offsets) text_ += fmt::format("    {},\n", offset.count());
    text_ += offsets.empty() ? "    0\n  }\n};\n" : "  }\n};\n";
  }

  const Run& run_;
  const TflmPlan* tflm_;
  std::string prefix_;
  std::vector<HeaderTensor> tensors_;
  Bytes arena_{};
  std::string text_;
};

/// The plan of `run` as a C header, for runtimes written by hand: the arena's size and alignment,
/// an enumeration of all tensors, their offsets and sizes, and assertions that each of them fits.
/// It compiles as C99 and as C++ without warnings. With `tflm` it has the table, too, that
/// tflite-micro takes as a BufferPlan. Fails where `fixedPlaces` does.
Result<std::string> planHeader(const Run& run, const TflmPlan* tflm) {
  return HeaderWriter(run, tflm).write();
}

}  // namespace

Result<RuntimeFile> runtimeFile(const Run& run, RuntimeFile::Kind kind, KernelLibrary library) {
  const bool isTflite = run.model->format == "tflite";
  if (kind == RuntimeFile::Kind::tflite && !isTflite) {
    return fail(ErrorCode::invalidArgument,
                "only a TFLite file can be written with a plan inside; a plan of any model goes to "
                ".json, .csv or .h");
  }
  RuntimeFile made;
  std::string file;
  const Fusions& fuse = run.request.import.fuse;
  if (isTflite && (fuse.pads || fuse.pools || fuse.activations)) {
    return fail(ErrorCode::invalidArgument,
                "the plan is of fused operators, and tflite-micro runs each operator of the file; "
                "expected --fuse none");
  }
  if (isTflite) {
    HW_TRY(bytes, readFile(run.request.model, std::numeric_limits<std::size_t>::max()));
    file = std::move(bytes);
    HW_TRY(plan, tflmPlan(file, run, library));
    made.tflm = std::move(plan);
  }
  if (kind == RuntimeFile::Kind::tflite) {
    HW_TRY(planned, withOfflinePlan(file, made.tflm->offsets));
    made.bytes = std::move(planned);
  } else {
    HW_TRY(header, planHeader(run, made.tflm ? &*made.tflm : nullptr));
    made.bytes = std::move(header);
  }
  return made;
}

}  // namespace hw
