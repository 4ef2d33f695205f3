#include <fmt/format.h>

#include <array>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/output.h"
#include "core/allocators/catalog.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/import/importer.h"
#include "core/memory/platforms.h"
#include "core/report/exporter.h"
#include "core/run/samples.h"

namespace hw::cli {
namespace {

std::string valuesText(const ParamSpec& spec) {
  switch (spec.type) {
    case ParamType::size:
      return "a size";
    case ParamType::integer:
      return "a whole number";
    case ParamType::number:
      return "a number";
    case ParamType::choice:
      return fmt::format("{}", fmt::join(spec.choices, ", "));
    case ParamType::flag:
      return "true or false";
    case ParamType::text:
      return "a text";
  }
  return {};
}

std::string allocatorsText(const Paint& paint) {
  std::string text;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    text +=
        fmt::format("{}{}  {}\n", text.empty() ? "" : "\n", paint.bold(info.name), info.summary);
    text += "  " + paint.dim(info.source) + "\n";
    text += "  " +
            paint.dim(fmt::format("n buffers take {}{}", info.complexity,
                                  info.choosesPools ? "; chooses L2 or L3 itself" : "")) +
            "\n";
    TextTable params({{""}, {""}, {""}});
    for (const ParamSpec& spec : info.params) {
      params.add({std::string(spec.name), std::string(spec.summary),
                  fmt::format("{}; default {}", valuesText(spec), spec.fallback)});
    }
    text += params.text(paint);
  }
  return text;
}

Json allocatorsJson() {
  Json list = Json::array();
  for (const AllocatorInfo& info : allocatorCatalog()) {
    Json params = Json::array();
    for (const ParamSpec& spec : info.params) {
      Json entry = {{"name", spec.name}, {"summary", spec.summary}, {"default", spec.fallback}};
      if (!spec.choices.empty()) entry["choices"] = spec.choices;
      params.push_back(entry);
    }
    list.push_back({{"name", info.name},
                    {"summary", info.summary},
                    {"source", info.source},
                    {"complexity", info.complexity},
                    {"params", params}});
  }
  return list;
}

std::string poolText(const PoolSpec& pool) {
  std::string text = pool.name + " ";
  text += pool.capacity ? formatBytes(*pool.capacity) : "unlimited";
  if (pool.readBandwidth == 0) return text;
  return text + fmt::format(" at {:.3g} GB/s", static_cast<double>(pool.readBandwidth) * 1e-9);
}

std::string platformsText(const Paint& paint) {
  TextTable table({{""}, {""}, {""}});
  for (const Platform& platform : platformCatalog()) {
    std::string pools;
    for (const PoolSpec& pool : platform.devices.front().pools) {
      pools += (pools.empty() ? "" : ", ") + poolText(pool);
    }
    table.add({platform.name, pools, platform.summary});
  }
  return table.text(paint);
}

Json platformsJson() {
  Json list = Json::array();
  for (const Platform& platform : platformCatalog()) {
    Json pools = Json::array();
    for (const PoolSpec& pool : platform.devices.front().pools) {
      pools.push_back({{"name", pool.name},
                       {"capacity", pool.capacity ? Json(pool.capacity->count()) : Json(nullptr)},
                       {"reserved", pool.reserved.count()},
                       {"alignment", pool.alignment.count()},
                       {"read_bytes_per_second", pool.readBandwidth},
                       {"write_bytes_per_second", pool.writeBandwidth}});
    }
    list.push_back({{"name", platform.name},
                    {"summary", platform.summary},
                    {"source", platform.source},
                    {"pools", pools}});
  }
  return list;
}

/// Name, summary and one more word of each entry of a catalogue.
struct PlainList {
  std::string third;  ///< Key of the third column in JSON.
  std::vector<std::array<std::string, 3>> rows{};

  std::string text(const Paint& paint) const {
    TextTable table({{""}, {""}, {""}});
    for (const auto& [name, summary, more] : rows) table.add({name, summary, more});
    return table.text(paint);
  }
  Json json() const {
    Json list = Json::array();
    for (const auto& [name, summary, more] : rows) {
      list.push_back({{"name", name}, {"summary", summary}, {third, more}});
    }
    return list;
  }
};

PlainList plainList(const std::string& what) {
  PlainList list;
  if (what == "importers") {
    list.third = "endings";
    for (const ImporterInfo& info : importerCatalog()) {
      list.rows.push_back(
          {std::string(info.name), std::string(info.summary), std::string(info.endings)});
    }
  } else if (what == "exporters") {
    list.third = "command";
    for (const ExporterInfo& info : exporterCatalog()) {
      list.rows.push_back({std::string(info.name), std::string(info.summary),
                           "highwater " + std::string(info.command)});
    }
  } else {
    list.third = "file";
    for (const SampleInfo& info : sampleCatalog()) {
      list.rows.push_back({"samples:" + info.name, info.summary, ""});
      list.rows.back()[2] = info.file;
    }
  }
  return list;
}

struct ListCommand {
  explicit ListCommand(Arguments& arguments) : output(arguments, {Format::text, Format::json}) {
    arguments.positional(
        "WHAT", what,
        {.help = "allocators, platforms, importers, exporters or samples",
         .choices = {"allocators", "platforms", "importers", "exporters", "samples"}});
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    const Paint paint = output.toFile() ? Paint() : outputPaint();
    const auto written = output.write(*format == Format::json ? json() : text(paint));
    if (!written) return tl::unexpected(written.error());
    return ExitCode::done;
  }

  std::string text(const Paint& paint) const {
    if (what == "allocators") return allocatorsText(paint);
    if (what == "platforms") return platformsText(paint);
    return plainList(what).text(paint);
  }

  std::string json() const {
    Json object = Json::object();
    object[what] = what == "allocators"  ? allocatorsJson()
                   : what == "platforms" ? platformsJson()
                                         : plainList(what).json();
    return jsonDocument(object);
  }

  std::string what;
  OutputOptions output;
};

}  // namespace

CommandInfo listCommand() {
  return {.name = "list",
          .summary = "what there is to choose from",
          .notes =
              "Examples:\n"
              "  highwater list allocators\n"
              "  highwater list samples",
          .add = [](Arguments& arguments) -> Action {
            return [command = std::make_shared<ListCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
