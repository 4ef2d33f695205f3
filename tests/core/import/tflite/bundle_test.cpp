// Bundles: archives behind other bytes; LiteRT-LM files, by what their sections say.

#include <catch2/catch.hpp>
#include <cstring>

#include "core/import/importer.h"
#include "tests/support/flat_writer.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

TfliteText oneRelu(const std::string& output) {
  constexpr std::int32_t kRelu = 19;
  TfliteText::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {1, 8}}, {.name = output, .shape = {1, 8}}};
  main.inputs = {0};
  main.outputs = {1};
  main.operators = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
  return {.subgraphs = {main}};
}

/// A LiteRT-LM file: 16 KiB of header, then a model for each name at a multiple of 16 KiB.
std::string liteRtLm(const std::vector<std::pair<std::string, std::string>>& models) {
  constexpr std::size_t kBlock = 16 * 1024;
  test::FlatWriter flat;
  flat.point(0, 32);
  flat.table(32, {0, 4}, 8);  // The file's: its sections.
  flat.point(36, 64);
  flat.table(64, {4}, 8);  // A list of them.
  flat.point(68, 96);
  flat.put(96, static_cast<std::uint32_t>(models.size()));
  std::string content;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::size_t at = 512 * (i + 1);
    flat.point(100 + 4 * i, at);
    flat.table(at, {4, 8, 16, 24}, 28);
    const std::uint64_t begin = kBlock * (i + 1);
    flat.put(at + 8, begin);
    flat.put(at + 16, begin + models[i].second.size());
    flat.put(at + 24, std::uint8_t{3});
    flat.point(at + 4, at + 64);  // Its items.
    flat.one(at + 64, at + 96);
    flat.table(at + 96, {4, 8, 12}, 16);
    flat.point(at + 100, at + 128);
    flat.text(at + 128, "model_type");
    flat.put(at + 104, std::uint8_t{9});
    flat.point(at + 108, at + 176);
    flat.table(at + 176, {4}, 8);
    flat.point(at + 180, at + 200);
    flat.text(at + 200, models[i].first);
    std::string padded = models[i].second;
    padded.resize(kBlock);
    content += padded;
  }
  std::string head = "LITERTLM";
  head.resize(32);
  head[8] = 1;
  const std::uint64_t end = 32 + flat.bytes.size();
  std::memcpy(head.data() + 24, &end, sizeof(end));
  std::string file = head + flat.bytes;
  file.resize(kBlock);
  return file + content;
}

TEST_CASE("an archive may lie behind other bytes, and one inside it too", "[import][tflite]") {
  const std::string bundle = zipBytes(
      {{"first.tflite", tfliteBytes(oneRelu("a"))}, {"second.tflite", tfliteBytes(oneRelu("b"))}});
  const auto name = [](const std::string& bytes, const std::string& part = "") {
    const auto model = importModel(bytes, "net.task", {.subgraph = part});
    return model ? model->name : model.error().text();
  };
  CHECK(name(std::string(2, '\0') + bundle) == "first");
  CHECK(name("#!/bin/sh\n" + bundle, "second.tflite") == "second");
  const std::string nested = zipBytes({{"inner.task", std::string(5, '\0') + bundle}});
  CHECK(name(std::string(3, 'x') + nested, "second.tflite") == "second");
}

TEST_CASE("the models of a LiteRT-LM file are parts of it", "[import][tflite]") {
  const std::string file = liteRtLm(
      {{"embedder", tfliteBytes(oneRelu("a"))}, {"prefill_decode", tfliteBytes(oneRelu("b"))}});
  const auto open = [&](const std::string& part) {
    return importModel(file, "lm.litertlm", {.subgraph = part});
  };
  REQUIRE(open(""));
  CHECK(open("")->format == "tflite-bundle");
  CHECK(open("")->name == "embedder");
  CHECK(open("prefill_decode")->name == "prefill_decode");
  CHECK(open("")->parts.size() >= 2);
  for (const std::size_t size : {8U, 20U, 31U, 200U, 700U}) {
    CHECK_FALSE(importModel(file.substr(0, size), "cut.litertlm", {}));
  }
  std::string newer = file;
  newer[8] = 7;
  CHECK(importModel(newer, "x.litertlm", {}).error().text() ==
        "version 7 of LiteRT-LM files is not known; expected 1 (byte 8)");
}

}  // namespace
}  // namespace hw
