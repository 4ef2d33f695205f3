#include <fmt/format.h>

#include <array>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/families/family.h"
#include "core/import/importer.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/ops/op_table.h"
#include "core/report/exporter.h"
#include "core/report/method/lesson.h"
#include "core/report/model/allocator_reference.h"
#include "core/report/model/laid_out.h"
#include "core/report/model/model_summary.h"
#include "core/report/text/text_table.h"
#include "core/run/options.h"

namespace hw::cli {
namespace {

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
    for (const DmaSpec& dma : platform.devices.front().dma) {
      for (const DmaSpec::Pair& pair : dma.moves) {
        pools +=
            fmt::format(", {} {}", dma.name, pairText(platform, platform.devices.front(), pair));
      }
    }
    table.add({platform.name, pools, platform.summary});
  }
  return table.text(paint);
}

Json poolJson(const PoolSpec& pool) {
  return {{"name", pool.name},
          {"capacity", pool.capacity ? Json(pool.capacity->count()) : Json(nullptr)},
          {"reserved", pool.reserved.count()},
          {"alignment", pool.alignment.count()},
          {"read_bytes_per_second", pool.readBandwidth},
          {"write_bytes_per_second", pool.writeBandwidth},
          {"duplex", pool.fullDuplex ? "full" : "half"},
          {"shared", pool.shared}};
}

Json deviceJson(const Platform& platform, const DeviceSpec& device) {
  Json json = {{"name", device.name},
               {"issue", kIssueNames[static_cast<std::size_t>(device.issue)]},
               {"pools", Json::array()},
               {"units", Json::array()},
               {"dma", Json::array()}};
  for (const PoolSpec& pool : device.pools) json["pools"].push_back(poolJson(pool));
  for (const UnitSpec& unit : device.units) {
    json["units"].push_back({{"name", unit.name}, {"count", unit.count}});
  }
  for (const DmaSpec& dma : device.dma) {
    Json moves = Json::array();
    for (const DmaSpec::Pair& pair : dma.moves) moves.push_back(pairText(platform, device, pair));
    json["dma"].push_back({{"name", dma.name},
                           {"moves", moves},
                           {"channels", dma.channels},
                           {"bytes_per_second", dma.bandwidth},
                           {"setup_ps", dma.setup.count()}});
  }
  return json;
}

Json platformsJson() {
  Json list = Json::array();
  for (const Platform& platform : platformCatalog()) {
    Json devices = Json::array();
    for (const DeviceSpec& device : platform.devices) {
      devices.push_back(deviceJson(platform, device));
    }
    list.push_back({{"name", platform.name},
                    {"summary", platform.summary},
                    {"source", platform.source},
                    {"contention", kContentionNames[static_cast<std::size_t>(platform.contention)]},
                    {"devices", devices}});
  }
  return list;
}

/// Source of the shapes of an operator's outputs.
std::string shapeSource(const OpInfo& info) {
  if (info.shape == nullptr && info.open == nullptr) return "the file";
  const std::string rule = info.shape != nullptr ? "rule" : "";
  return info.open == nullptr ? rule : rule + (rule.empty() ? "" : ", ") + "most the data allows";
}

Json opsJson() {
  Json list = Json::array();
  for (const OpInfo& info : opTable()) {
    const bool counts = multiplies(info.kind);
    list.push_back({{"type", std::string(info.type)},
                    {"domain", std::string(info.domain)},
                    {"standard", std::string(info.standard)},
                    {"class", std::string(opClassName(info.kind))},
                    {"shape", shapeSource(info)},
                    {"values", info.evaluate != nullptr},
                    {"work", counts ? "multiply-accumulates" : "elements"},
                    {"in_place", std::string(inPlaceName(info.inPlace))},
                    {"view", std::string(viewFamilyName(info.view))}});
  }
  return list;
}

std::string opsText(const Paint& paint) {
  std::vector<TextTable::Column> columns;
  const Json ops = opsJson();
  for (const auto& cell : ops.front().items()) columns.push_back({cell.key()});
  TextTable table(columns);
  for (const Json& op : ops) {
    std::vector<std::string> cells;
    for (const Json& cell : op) {
      cells.push_back(cell.is_string() ? cell.get<std::string>() : cell.get<bool>() ? "yes" : "");
    }
    table.add(std::move(cells));
  }
  return table.text(paint);
}

Json wordsJson(std::span<const std::string_view> words) {
  return std::vector<std::string>(words.begin(), words.end());
}

Json optionsJson() {
  Json list = Json::array();
  for (const RunOption& option : runOptions()) {
    list.push_back({{"name", option.name},
                    {"flags", option.flags()},
                    {"summary", option.help},
                    {"default", option.standard},
                    {"choices", wordsJson(option.choices)},
                    {"examples", wordsJson(option.examples)},
                    {"axis", option.axis}});
  }
  return list;
}

std::string optionsText(const Paint& paint) {
  TextTable table({{"option"}, {"default"}, {""}});
  for (const RunOption& option : runOptions()) {
    table.add({option.flags(), std::string(option.standard), std::string(option.help)});
  }
  return table.text(paint);
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

/// "buffers=200 seed=1": what may be told, with what it is otherwise.
std::string parametersText(std::span<const ParamSpec> params) {
  std::string text;
  for (const ParamSpec& param : params) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", param.name, param.fallback);
  }
  return text;
}

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
  } else if (what == "families") {
    list.third = "parameters";
    for (const FamilyInfo& info : familyCatalog()) {
      list.rows.push_back(
          {std::string(info.name), std::string(info.summary), parametersText(info.params)});
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
        {.help = "allocators, platforms, options, importers, exporters, ops, families or samples",
         .choices = {"allocators", "platforms", "options", "importers", "exporters", "ops",
                     "families", "samples"}});
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_DO(output.write(format == Format::json ? json() : text(output.textOptions().paint)));
    return ExitCode::done;
  }

  std::string text(const Paint& paint) const {
    if (what == "allocators") return allocatorReferenceText(paint);
    if (what == "platforms") return platformsText(paint);
    if (what == "options") return optionsText(paint);
    if (what == "ops") return opsText(paint);
    return plainList(what).text(paint);
  }

  std::string json() const {
    Json object = Json::object();
    object[what] = what == "allocators"  ? allocatorReferenceJson()
                   : what == "platforms" ? platformsJson()
                   : what == "options"   ? optionsJson()
                   : what == "ops"       ? opsJson()
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
          .add = actionOf<ListCommand>};
}

namespace {

struct InfoCommand {
  explicit InfoCommand(Arguments& arguments)
      : model(arguments, {OptionGroup::model, OptionGroup::import}),
        output(arguments, {Format::text, Format::json}) {
    arguments.flag("--all", all,
                   "long lists in full, and every tensor with the origin of its size");
    arguments.option("--tiles", tiles,
                     {.help = "what tensors take in a memory that stores their last axes in whole "
                              "tiles of that size, such as 8x128, and the order of axes that "
                              "takes least",
                      .type = "AxB"});
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(request, model.request());
    HW_TRY(opened, openModel(request));
    std::optional<Shape> tile;
    if (!tiles.empty()) {
      const auto parsed = parseTile(tiles);
      if (!parsed) return failure(parsed.error(), "--tiles");
      tile = *parsed;
    }
    const ModelSummary summary = summarise(*opened);
    if (format == Format::json) {
      Json json = summaryJson(*opened, summary, all);
      if (tile) json["tiles"] = laidOutJson(*opened->graph, *tile);
      HW_DO(output.write(jsonDocument(json)));
      return ExitCode::done;
    }
    TextOptions options = output.textOptions(all);
    if (!all) options.rows = 12;
    std::string text = summaryText(*opened, summary, options, all);
    if (tile) text += laidOutText(*opened->graph, *tile, options);
    HW_DO(output.write(text));
    return ExitCode::done;
  }

  RunArguments model;
  OutputOptions output;
  bool all = false;
  std::string tiles;
};

}  // namespace

CommandInfo infoCommand() {
  return {.name = "info",
          .summary = "what a model holds, before any planning",
          .notes =
              "Examples:\n"
              "  highwater info model.onnx --dim batch=8\n"
              "  highwater info samples:resnet50 --format json",
          .add = actionOf<InfoCommand>};
}

namespace {

struct LessonCommand {
  explicit LessonCommand(Arguments& arguments) {
    std::vector<std::string> names;
    for (const Lesson& lesson : lessons()) names.emplace_back(lesson.name);
    arguments.positional("METHOD", name, {.help = fmt::format("{}", fmt::join(names, ", "))});
    arguments.option("-o,--output", path,
                     {.help = "write to FILE instead of standard output (-)", .type = "FILE"});
  }

  Outcome<ExitCode> run() const {
    const Lesson* lesson = findLesson(name);
    if (lesson == nullptr) {
      std::vector<std::string_view> names;
      for (const Lesson& each : lessons()) names.push_back(each.name);
      return failure(
          ExitCode::badUsage, name,
          fmt::format("there is no lesson of that name; expected {}", fmt::join(names, ", ")));
    }
    const auto planned = lessonRun(*lesson);
    if (!planned) return failure(planned.error(), std::string(lesson->model));
    HW_DO(writeOutput(path.empty() ? "-" : path,
                      [&](std::ostream& out) { out << methodPage(**planned, lesson); }));
    return ExitCode::done;
  }

  std::string name;
  std::string path;
};

}  // namespace

CommandInfo lessonCommand() {
  return {.name = "lesson",
          .summary = "writes how a method works as a page (HTML) that plays",
          .notes =
              "The page needs neither the program nor a network. It plays a worked example\n"
              "decision by decision; `plan --stage FILE.html` does so with your model.\n"
              "\n"
              "Examples:\n"
              "  highwater lesson free-list -o free-list.html",
          .add = actionOf<LessonCommand>};
}

}  // namespace hw::cli
