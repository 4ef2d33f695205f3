#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/tflite/model.h"
#include "core/shrink/tflm/row_program.h"

namespace hw {

/// Constant arrays of a C file, each once.
class CArrays {
 public:
  explicit CArrays(std::string prefix) : prefix_(std::move(prefix)) {}

  /// The name of an array of `type` ("int8_t", "int32_t", "uint16_t"), elements little-endian.
  std::string add(const char* type, std::string_view bytes);
  template <class T>
  std::string add(const char* type, const std::vector<T>& elements) {
    return add(type, std::string_view(reinterpret_cast<const char*>(elements.data()),
                                      elements.size() * sizeof(T)));
  }
  const std::string& text() const { return text_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::string prefix_;
  std::map<std::pair<std::string, std::string>, std::string> names_;  ///< By type and bytes.
  std::string text_;
  std::int64_t bytes_ = 0;
};

/// An operator of a model as a C function. Its parameters are, in this order: offsets of `operands`
/// in the arena; where `windowed`, the rows of the first one and how many rows of padding lie above
/// them; the offset of the output; where `byRows`, its rows.
struct CFunction {
  std::vector<std::size_t> operands{};  ///< Tensors of the model.
  bool windowed = false;
  bool byRows = false;
  std::string body{};
};

/// What functions of operators need beside themselves.
struct CNeeds {
  CArrays arrays;
  std::set<std::string> kernels{};  ///< Entries of the table.
};

/// A number of float32 as C has it.
std::string cReal(float x);

/// The function of operator `op` in a file whose names begin with `prefix`. Throws Refusal, naming
/// operator and reason, on what no kernel does.
CFunction cFunction(const TfliteFile& file, const RowModel& model, std::size_t op,
                    const std::string& prefix, CNeeds& needs);

}  // namespace hw
