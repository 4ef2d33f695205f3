#include "core/run/study.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <map>

#include "core/base/text.h"

namespace hw {
namespace {

/// Thrown inside this file only, together with what toml++ throws.
struct Refusal {
  Error error;
};

std::string place(const toml::source_region& source) {
  return fmt::format("line {}, column {}", source.begin.line, source.begin.column);
}

[[noreturn]] void refuse(std::string message, const toml::source_region& source) {
  throw Refusal{{ErrorCode::malformed, std::move(message), place(source)}};
}

std::string textOf(const toml::node& node, std::string_view key) {
  if (const auto text = node.value<std::string>()) return *text;
  if (node.is_integer()) return std::to_string(**node.as_integer());
  refuse(fmt::format("{}: expected a text or a whole number, or a list of them", key),
         node.source());
}

std::vector<std::string> textsOf(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return {textOf(node, key)};
  if (array->empty()) {
    refuse(fmt::format("{}: the list is empty{}", key,
                       key == "models" ? "" : "; leave the key out for its default"),
           node.source());
  }
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(textOf(element, key));
  return texts;
}

double secondsOf(const toml::node& node, std::string_view key) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value < 0) {
    refuse(fmt::format("{}: expected a number of seconds, 0 or more", key), node.source());
  }
  return *value;
}

Study read(const toml::table& table) {
  Study study;
  const std::map<std::string_view, std::vector<std::string>*> lists = {
      {"models", &study.models},
      {"allocators", &study.allocators},
      {"platforms", &study.platforms},
      {"l2", &study.l2},
      {"l3", &study.l3},
      {"align", &study.align},
      {"alias", &study.alias},
      {"inputs", &study.inputs},
      {"outputs", &study.outputs},
      {"dim", &study.dim},
      {"seeds", &study.seeds}};
  std::vector<std::string> known = {"time_limit"};
  for (const auto& [key, list] : lists) known.emplace_back(key);
  for (const auto& [key, node] : table) {
    const auto list = lists.find(key.str());
    if (list != lists.end()) {
      *list->second = textsOf(node, key.str());
    } else if (key.str() == "time_limit") {
      study.timeLimit = secondsOf(node, key.str());
    } else {
      const auto closest = closestWord(key.str(), known);
      refuse(fmt::format("unknown key '{}'{}", printable(key.str()),
                         closest ? fmt::format("; did you mean '{}'?", *closest) : ""),
             node.source());
    }
  }
  if (study.models.empty()) {
    throw Refusal{
        {ErrorCode::malformed, "a study names what to run: models = [\"FILE\", ...]", ""}};
  }
  for (const auto& [key, list] : lists) {
    if (list->empty() && key != "allocators" && key != "dim") list->emplace_back();
  }
  return study;
}

}  // namespace

Result<Study> parseStudy(std::string_view text) {
  try {
    return read(toml::parse(text));
  } catch (const Refusal& refusal) {
    return tl::unexpected(refusal.error);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::malformed, "not TOML: " + std::string(error.description()),
                place(error.source()));
  }
}

}  // namespace hw
