#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/machine/preset_texts.h"

namespace hw {
namespace {

/// The presets, each parsed when somebody first asks for it: most runs need one.
class PresetShelf {
 public:
  PresetShelf()
      : platforms_(presetTexts().size()), parsed_(new std::once_flag[platforms_.size()]) {}

  const Platform& at(std::size_t index) {
    std::call_once(parsed_[index], [&] {
      Result<Platform> platform = parsePlatform(presetTexts()[index].toml);
      check(platform && platform->name == presetTexts()[index].name, "every preset to be right");
      platforms_[index] = std::move(*platform);
    });
    return platforms_[index];
  }

  const std::vector<Platform>& all() {
    for (std::size_t i = 0; i < platforms_.size(); ++i) at(i);
    return platforms_;
  }

 private:
  std::vector<Platform> platforms_;
  std::unique_ptr<std::once_flag[]> parsed_;
};

PresetShelf& presetShelf() {
  static PresetShelf shelf;
  return shelf;
}

}  // namespace

const std::vector<Platform>& platformCatalog() { return presetShelf().all(); }

bool isPreset(std::string_view name) {
  return std::ranges::find(presetTexts(), name, &PresetText::name) != presetTexts().end();
}

const Platform& defaultPlatform() { return presetShelf().at(0); }

Result<Platform> findPlatform(std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < presetTexts().size(); ++i) {
    if (presetTexts()[i].name == name) return presetShelf().at(i);
    names.emplace_back(presetTexts()[i].name);
  }
  const auto closest = closestWord(name, names);
  return fail(ErrorCode::invalidArgument,
              fmt::format("no platform '{}'; {}", printable(name),
                          closest ? fmt::format("did you mean '{}'?", *closest)
                                  : fmt::format("there are {}", fmt::join(names, ", "))));
}

}  // namespace hw
