#include "core/exchange/tflm/held_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/exchange/tflm/program.h"
#include "core/exchange/tflm/tflite_rewrite.h"
#include "core/files/mapped_file.h"

namespace hw {
namespace {

/// A line of the log, by the number that it has there.
struct LoggedBuffer {
  std::size_t number = 0;
  Bytes size{};
  std::optional<Bytes> offset{};
};

/// The importer calls them "buffer 0", "buffer 1", …
std::vector<LoggedBuffer> loggedBuffers(const Graph& graph) {
  std::vector<LoggedBuffer> buffers;
  for (const Tensor& tensor : graph.tensors) {
    const std::size_t space = tensor.name.rfind(' ');
    const auto number = parseInteger(std::string_view(tensor.name).substr(space + 1));
    buffers.push_back({static_cast<std::size_t>(number.value_or(0)), tensor.bytes.value_or(Bytes()),
                       tensor.plannedOffset});
  }
  std::ranges::sort(buffers, {}, &LoggedBuffer::number);
  return buffers;
}

/// The tensors that the runtime lists, by their place among all; those that nothing touches are
/// listed as well, or not.
std::vector<std::size_t> listedTensors(const TflmProgram& program, bool idle) {
  std::vector<std::size_t> listed;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const TflmBuffer& tensor = program.tensors[i];
    if (tensor.size > Bytes() && (idle || tensor.first != TflmBuffer::kNever)) listed.push_back(i);
  }
  return listed;
}

/// The difference between the two lists; empty: they are the same buffers.
std::string difference(const TflmProgram& program, const std::vector<std::size_t>& listed,
                       const std::vector<LoggedBuffer>& buffers) {
  if (buffers.size() < listed.size()) {
    return fmt::format("the log has {} buffers, and {} tensors of the model need one",
                       buffers.size(), listed.size());
  }
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const Bytes size = program.tensors[listed[i]].size;
    if (buffers[i].size == size) continue;
    return fmt::format("buffer {} of the log has {} bytes; tensor {} of the file takes {}",
                       buffers[i].number, groupDigits(buffers[i].size.count()), listed[i],
                       groupDigits(size.count()));
  }
  return {};
}

}  // namespace

Result<PlanDocument> tflmLogPlan(std::string_view log, std::string_view file,
                                 const ImportOptions& options) {
  HW_TRY(theirs, importModel(log, "log", {}));
  HW_TRY(program, unlessRefused([&] { return tflmProgram(TfliteFile(file)); }));
  const std::vector<LoggedBuffer> buffers = loggedBuffers(*theirs.graph);
  std::vector<std::size_t> listed = listedTensors(program, true);
  std::string wrong = difference(program, listed, buffers);
  if (!wrong.empty()) {
    listed = listedTensors(program, false);
    if (difference(program, listed, buffers).empty()) wrong.clear();
  }
  if (!wrong.empty()) return fail(ErrorCode::malformed, wrong);
  std::vector<std::int32_t> offsets(program.tensors.size(), -1);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto& offset = buffers[i].offset;
    if (!offset) continue;
    if (offset->count() > std::numeric_limits<std::int32_t>::max()) {
      return fail(ErrorCode::unsupported,
                  fmt::format("buffer {} of the log lies beyond 2 GiB", buffers[i].number));
    }
    offsets[listed[i]] = static_cast<std::int32_t>(offset->count());
  }
  // As if the plan had come with the file: who is which tensor is known to its reader.
  HW_TRY(planned, withOfflinePlan(file, offsets));
  HW_TRY(model, importModel(planned, "planned", options));
  return placesOf(model);
}

Result<PlanDocument> heldPlanFor(const Model& model, const ImportOptions& options,
                                 std::string_view bytes, const std::string& file) {
  const ImporterInfo* importer = importerOf(bytes);
  const bool isLog = importer != nullptr && importer->name == "tflm-log";
  if (!isLog || model.format != "tflite") return readHeldPlan(bytes, file);
  HW_TRY(mapped, MappedFile::open(model.path));
  return tflmLogPlan(bytes, mapped.bytes(), options);
}

}  // namespace hw
