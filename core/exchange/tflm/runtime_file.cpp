#include "core/exchange/tflm/runtime_file.h"

#include "core/exchange/c_header.h"
#include "core/exchange/tflm/planned_file.h"
#include "core/files/file.h"

namespace hw {

Result<RuntimeFile> runtimeFile(const Run& run, RuntimeFile::Kind kind) {
  const bool isTflite = run.model->format == "tflite";
  if (kind == RuntimeFile::Kind::tflite && !isTflite) {
    return fail(ErrorCode::invalidArgument,
                "only a TFLite file can be written with a plan inside; a plan of any model goes to "
                ".json, .csv or .h");
  }
  RuntimeFile made;
  std::string file;
  if (isTflite) {
    HW_TRY(bytes, readFile(run.request.model));
    file = std::move(bytes);
    HW_TRY(plan, tflmPlan(file, run));
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
