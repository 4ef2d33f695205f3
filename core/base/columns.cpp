#include "core/base/columns.h"

namespace hw {

std::optional<std::int64_t> Value::whole() const {
  const auto* number = std::get_if<std::int64_t>(&held);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<double> Value::number() const {
  if (const auto number = whole()) return static_cast<double>(*number);
  const auto* number = std::get_if<double>(&held);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

Json Value::json() const {
  if (isNone()) return nullptr;
  if (const auto* flag = std::get_if<bool>(&held)) return *flag;
  if (const auto number = whole()) return *number;
  if (const auto* number = std::get_if<double>(&held)) return *number;
  return *text();
}

std::string Value::exact() const {
  if (isNone()) return {};
  return text() != nullptr ? *text() : jsonLine(json());
}

std::string csvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += csvField(field) + ",";
  if (!line.empty()) line.pop_back();
  return line + "\n";
}

void dropNulls(Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (object[key].is_null()) object.erase(key);
  }
}

}  // namespace hw
