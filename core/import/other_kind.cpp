#include "core/import/other_kind.h"

#include <fmt/format.h>

#include "core/base/file_text.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/foreign/machine_formats.h"

namespace hw {
namespace {

bool hasLine(std::string_view text, std::string_view line) {
  for (std::size_t at = text.find(line); at != std::string_view::npos;
       at = text.find(line, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

std::optional<std::string> machine(std::string_view bytes) {
  constexpr std::string_view kUse = "give it with --platform, beside a model";
  for (const MachineFormat& format : machineFormats()) {
    if (!format.accepts(bytes)) continue;
    return fmt::format("the file describes a machine (of {}), not a model; {}", format.tool, kUse);
  }
  if (hasLine(bytes, "[[device]]")) {
    return fmt::format("the file is a platform, a machine in TOML, not a model; {}", kUse);
  }
  return std::nullopt;
}

std::optional<std::string> document(std::string_view text) {
  const auto parsed = parseJson(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const auto says = [&](const char* key) {
    const auto found = parsed->find(key);
    return found != parsed->end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto has = [&](const char* key) { return parsed->contains(key); };
  const bool named = says("$schema").find("dsa-problem-v1") != std::string::npos ||
                     says("format") == "dsa-problem-v1" || says("schema") == "dsa-problem-v1";
  if (named || (has("schema_version") && has("profile") && has("problem"))) {
    return "the file is a problem of dsa-solver (dsa-problem-v1), which is not read; write its "
           "buffers as a problem CSV: id,lower,upper,size";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> otherKind(std::string_view bytes) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;  // Whatever else it is, it is no machine.
  if (bytes.size() > kMost) return std::nullopt;
  const std::string_view text = withoutByteOrderMark(bytes);
  if (auto what = machine(text)) return what;
  return opensObject(text) ? document(text) : std::nullopt;
}

}  // namespace hw
