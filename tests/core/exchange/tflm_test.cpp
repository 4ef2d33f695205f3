#include <algorithm>
#include <cstring>

#include "core/check/plan_audit.h"
#include "core/exchange/tflm/kernel_scratch.h"
#include "core/exchange/tflm/offline_plan.h"
#include "core/exchange/tflm/tflite_rewrite.h"
#include "core/files/zip_archive.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_document.h"
#include "tests/bench/mobile_nets.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

using Text = TfliteText;
using test::Dice;

constexpr std::int32_t kAddCode = 0, kReluCode = 19, kSvdfCode = 27, kCallOnceCode = 129;

/// A subgraph of operators that each read one or two of the tensors before it.
Text::Subgraph randomSubgraph(Dice& dice, const std::string& name) {
  Text::Subgraph graph{.name = name};
  const auto ops = dice.roll(1, 9);
  const auto tensor = [&] {
    return Text::Tensor{.name = dice.chance(20) ? "twice" : "",
                        .shape = {static_cast<std::int32_t>(dice.roll(1, 40))}};
  };
  graph.tensors.push_back(tensor());
  graph.inputs = {0};
  for (std::int64_t i = 0; i < ops; ++i) {
    const auto made = static_cast<std::int32_t>(graph.tensors.size());
    const auto read = [&] { return static_cast<std::int32_t>(dice.roll(0, made - 1)); };
    graph.tensors.push_back(tensor());
    if (dice.chance(50)) {
      graph.operators.push_back({.code = kAddCode, .inputs = {read(), read()}, .outputs = {made}});
    } else {
      graph.operators.push_back({.code = kReluCode, .inputs = {read()}, .outputs = {made}});
    }
  }
  // Nobody reads or writes it, and it needs bytes all the same.
  if (dice.chance(30)) graph.tensors.push_back({.name = "idle", .shape = {7}});
  graph.outputs = {static_cast<std::int32_t>(ops)};
  return graph;
}

Text randomModel(std::uint64_t seed) {
  Dice dice(seed);
  Text text{.subgraphs = {randomSubgraph(dice, "main")}, .buffers = {"weights", "of no use"}};
  const auto more = dice.roll(0, 2);
  for (std::int64_t i = 0; i < more; ++i) {
    text.subgraphs.push_back(randomSubgraph(dice, "other" + std::to_string(i)));
    text.signatures.push_back(
        {.key = "s" + std::to_string(i), .subgraph = static_cast<std::uint32_t>(i + 1)});
  }
  if (dice.chance(50)) text.metadata.emplace_back("kept", 1);
  if (dice.chance(30)) text.metadata.emplace_back("OfflineMemoryAllocation", 2);
  return text;
}

std::shared_ptr<const Run> tflmRun(const std::string& file, RunRequest request) {
  request = tflmRequest(std::move(request), {.near = true});
  auto opened = test::must(importModel(file, "model.tflite", request.import));
  auto model = test::must(withKernelScratch(std::move(opened)));
  return test::must(execute(std::make_shared<const Model>(std::move(model)), request, {}));
}

RunRequest greedy() {
  RunRequest request = planningRequest();
  request.allocator = *AllocatorChoice::parse("greedy-by-size");
  return request;
}

TflmPlan tflmPlanOf(const std::string& file, const RunRequest& request = greedy()) {
  return test::must(tflmPlan(file, *tflmRun(file, request)));
}

std::string writtenFile(const std::string& file, const std::vector<std::int32_t>& offsets) {
  return test::must(withOfflinePlan(file, offsets));
}

std::vector<std::int32_t> storedPlan(const std::string& bytes) {
  const TfliteFile file(bytes);
  const std::string_view data = file.bufferBytes(file.metadata("OfflineMemoryAllocation").value());
  CHECK((data.data() - bytes.data()) % 16 == 0);
  std::vector<std::int32_t> words(data.size() / 4);
  std::memcpy(words.data(), data.data(), data.size());
  return words;
}

std::string tflmRefusal(const Result<TflmPlan>& plan) { return plan ? "" : plan.error().message; }

}  // namespace

TEST_CASE("planned files are the model they were, with the plan inside", "[exchange][tflite]") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 1 + test::rounds(60)));
  CAPTURE(seed);
  const std::string before = tfliteBytes(randomModel(seed));
  const TflmPlan plan = tflmPlanOf(before);
  const std::string after = writtenFile(before, plan.offsets);
  // The old bytes are all there, one behind the other.
  CHECK(after.ends_with(before));
  const TfliteFile old(before);
  const TfliteFile now(after);
  REQUIRE(now.subgraphCount() == old.subgraphCount());
  std::size_t tensors = 0;
  for (std::size_t i = 0; i < old.subgraphCount(); ++i) {
    const TfliteSubgraph& a = old.subgraph(i);
    const TfliteSubgraph& b = now.subgraph(i);
    CHECK(b.name == a.name);
    CHECK(b.inputs == a.inputs);
    CHECK(b.outputs == a.outputs);
    REQUIRE(b.ops.size() == a.ops.size());
    REQUIRE(b.tensors.size() == a.tensors.size());
    for (std::size_t t = 0; t < a.tensors.size(); ++t) {
      CHECK(b.tensors[t].name == a.tensors[t].name);
      CHECK(b.tensors[t].shape == a.tensors[t].shape);
    }
    for (std::size_t o = 0; o < a.ops.size(); ++o) CHECK(b.ops[o].inputs == a.ops[o].inputs);
    tensors += a.tensors.size();
  }
  CHECK(now.signatures().size() == old.signatures().size());
  CHECK(now.metadata("kept") == old.metadata("kept"));
  CHECK(now.bufferBytes(1) == "weights");
  const std::vector<std::int32_t> words = storedPlan(after);
  REQUIRE(words.size() == tensors + 3);
  CHECK(words[2] == static_cast<std::int32_t>(tensors));
  CHECK(std::equal(plan.offsets.begin(), plan.offsets.end(), words.begin() + 3));

  // Somebody else reads every subgraph's part, and finds nothing wrong with it.
  for (std::size_t i = 0; i < old.subgraphCount(); ++i) {
    const auto model = std::make_shared<const Model>(
        importModel(after, "planned.tflite", {.subgraph = std::to_string(i)}).value());
    const auto document = test::must(embeddedPlan(*model));
    const Audit audit = auditPlan(model, document, {.alignment = Bytes(16)});
    for (const Finding& finding : audit.findings) UNSCOPED_INFO(finding.message);
    CHECK(audit.findings.empty());
    CHECK(audit.pools.at(0).top <= plan.arena.head);
  }
  // A planned file is planned anew, not once more.
  CHECK(storedPlan(writtenFile(after, plan.offsets)) == words);
}

TEST_CASE("the plan of a planned file is followed where it is opened", "[exchange][tflite]") {
  const std::string before = tfliteBytes(randomModel(7));
  const TflmPlan plan = tflmPlanOf(before);
  const std::string after = writtenFile(before, plan.offsets);
  RunRequest request = greedy();
  request.allocator = *AllocatorChoice::parse("embedded");
  CHECK(tflmPlanOf(after, request).offsets == plan.offsets);
}

TEST_CASE("kernels ask for the scratch that they are known to", "[exchange][tflite]") {
  const auto sizes = [](std::string_view type, std::vector<KernelOperand> inputs,
                        std::vector<KernelOperand> outputs) {
    std::vector<std::int64_t> bytes;
    for (const Bytes size : kernelScratch(type, false, inputs, outputs).buffers) {
      bytes.push_back(size.count());
    }
    return bytes;
  };
  using Sizes = std::vector<std::int64_t>;
  const KernelOperand none;
  const auto of = [](Dtype type, Shape shape) { return KernelOperand{type, std::move(shape)}; };
  const KernelOperand image = of(Dtype::int8, {1, 4, 6, 3});
  const KernelOperand axes = of(Dtype::int32, {2});
  CHECK(sizes("SVDF", {of(Dtype::int8, {2, 9}), of(Dtype::int8, {10, 9})},
              {of(Dtype::int8, {2, 5})}) == Sizes{80, 40});
  CHECK(sizes("SVDF", {of(Dtype::float32, {2, 9}), of(Dtype::float32, {10, 9})},
              {of(Dtype::float32, {2, 5})}) == Sizes{80});
  CHECK(sizes("MEAN", {image, axes}, {of(Dtype::int8, {1, 3})}) == Sizes{12, 16, 8});
  CHECK(sizes("MEAN", {of(Dtype::float32, {1, 4, 6, 3}), axes}, {none}) == Sizes{16, 8});
  CHECK(sizes("REDUCE_MAX", {image, axes}, {of(Dtype::int8, {1, 3})}) == Sizes{16, 8});
  CHECK(sizes("TRANSPOSE_CONV", {none, none, image, none}, {of(Dtype::int8, {1, 8, 12, 2})}) ==
        Sizes{768});
  CHECK(sizes("FULLY_CONNECTED", {image, of(Dtype::int4, {5, 7})}, {none}) == Sizes{35});
  CHECK(sizes("CONV_2D", {image, of(Dtype::int8, {5, 3, 3, 3})}, {none}).empty());
  CHECK(sizes("ADD_N", {image, image, image}, {image}) == Sizes{24});
  CHECK(sizes("MIRROR_PAD", {image, axes}, {none}) == Sizes{16, 16});
  std::vector<KernelOperand> gates(24);
  gates[19] = of(Dtype::int16, {3, 20});
  CHECK(sizes("UNIDIRECTIONAL_SEQUENCE_LSTM", gates, {none}) == Sizes{120, 120, 120, 120});
  CHECK_FALSE(kernelScratch("SVDF", false, {none, none}, {none}).known);
  CHECK(kernelScratch("RESHAPE", false, {image, axes}, {image}).buffers.empty());
}

namespace {

constexpr auto kDsp = KernelLibrary::cmsisDsp;
constexpr auto kMve = KernelLibrary::cmsisMve;

KernelOperand kernelOperand(Dtype type, Shape shape) { return {type, std::move(shape)}; }

std::vector<std::int64_t> cmsisSizes(KernelLibrary library, std::string_view type,
                                     const std::vector<KernelOperand>& operands,
                                     const KernelOperand& output,
                                     const KernelOptions& options = {}) {
  const auto found = kernelScratch(type, false, operands, {output}, options, library);
  CHECK(found.known);
  std::vector<std::int64_t> bytes;
  for (const Bytes size : found.buffers) bytes.push_back(size.count());
  return bytes;
}

}  // namespace

TEST_CASE("convolutions of CMSIS-NN ask for columns of images", "[exchange][tflite]") {
  using Sizes = std::vector<std::int64_t>;
  const KernelOperand image = kernelOperand(Dtype::int8, {1, 4, 6, 3});
  const KernelOperand output = kernelOperand(Dtype::int8, {1, 4, 6, 5});
  // 27 products: two columns of 28 numbers of 16 bits, or four of 32 bytes.
  const std::vector<KernelOperand> plain = {image, kernelOperand(Dtype::int8, {5, 3, 3, 3})};
  CHECK(cmsisSizes(kDsp, "CONV_2D", plain, output) == Sizes{112});
  CHECK(cmsisSizes(kMve, "CONV_2D", plain, output) == Sizes{128});
  const std::vector<KernelOperand> point = {image, kernelOperand(Dtype::int8, {5, 1, 1, 3})};
  CHECK(cmsisSizes(kDsp, "CONV_2D", point, output).empty());
  CHECK(cmsisSizes(kMve, "CONV_2D", point, output).empty());
  // One row, 10 places by 3 of 4 channels, one of padding at each end: 3 x 4 + 4 bytes.
  const std::vector<KernelOperand> row = {kernelOperand(Dtype::int8, {1, 1, 10, 4}),
                                          kernelOperand(Dtype::int8, {5, 1, 3, 4})};
  CHECK(cmsisSizes(kMve, "CONV_2D", row, kernelOperand(Dtype::int8, {1, 1, 10, 5})) == Sizes{16});
  CHECK(cmsisSizes(kDsp, "CONV_2D", row, kernelOperand(Dtype::int8, {1, 1, 10, 5})) == Sizes{48});
  const std::vector<KernelOperand> deep = {kernelOperand(Dtype::int8, {1, 4, 6, 200}),
                                           kernelOperand(Dtype::int8, {1, 5, 5, 200})};
  CHECK(cmsisSizes(kDsp, "DEPTHWISE_CONV_2D", deep, deep[0]) == Sizes{10'000});
  CHECK(cmsisSizes(kMve, "DEPTHWISE_CONV_2D", deep, deep[0]) == Sizes{12'400});
  const std::vector<KernelOperand> small = {deep[0], kernelOperand(Dtype::int8, {1, 3, 3, 200})};
  CHECK(cmsisSizes(kDsp, "DEPTHWISE_CONV_2D", small, deep[0]).empty());
  CHECK(cmsisSizes(kMve, "DEPTHWISE_CONV_2D", small, deep[0]) == Sizes{4'464});
  const KernelOptions apart = {{"dilations", std::vector<std::int64_t>{2, 2}}};
  CHECK(cmsisSizes(kMve, "DEPTHWISE_CONV_2D", small, deep[0], apart).empty());
}

TEST_CASE("other kernels of CMSIS-NN ask for sums, and of some nothing is known",
          "[exchange][tflite]") {
  using Sizes = std::vector<std::int64_t>;
  const KernelOperand image = kernelOperand(Dtype::int8, {1, 4, 6, 3});
  const KernelOperand output = kernelOperand(Dtype::int8, {1, 4, 6, 5});
  const KernelOperand filter = kernelOperand(Dtype::int8, {5, 3, 3, 3});
  CHECK(cmsisSizes(kDsp, "AVERAGE_POOL_2D", {image}, image) == Sizes{12});
  CHECK(cmsisSizes(kMve, "AVERAGE_POOL_2D", {image}, image).empty());
  // 3 channels do not pay: (5 x 1 + 3) places of 2 channels, 3 rows, of 4 bytes.
  CHECK(cmsisSizes(kMve, "TRANSPOSE_CONV", {{}, kernelOperand(Dtype::int8, {2, 3, 3, 3}), image},
                   output) == Sizes{192});
  const KernelOperand wide = kernelOperand(Dtype::int8, {1, 4, 6, 20});
  CHECK(cmsisSizes(kMve, "TRANSPOSE_CONV", {{}, kernelOperand(Dtype::int8, {2, 3, 3, 20}), wide},
                   output) == Sizes{4 * 192, 360});
  // As the reference kernels, and those that nothing is known of.
  CHECK(cmsisSizes(kMve, "ADD_N", {image, image, image}, image) == Sizes{24});
  const std::vector<KernelOperand> wider = {kernelOperand(Dtype::int16, {1, 4, 6, 3}), filter};
  CHECK_FALSE(kernelScratch("CONV_2D", false, wider, {output}, {}, kDsp).known);
  CHECK_FALSE(kernelScratch("CONV_2D", false, {{}, {}}, {{}}, {}, kDsp).known);
  CHECK_FALSE(kernelScratch("UNIDIRECTIONAL_SEQUENCE_LSTM", false, {}, {}, {}, kMve).known);
}

TEST_CASE("MobileNetV2 takes the arena that was measured with CMSIS-NN's kernels",
          "[exchange][tflite]") {
  const Model model =
      bench::MobileNet::asTflite(bench::MobileNet::second("mobilenet_v2", Dtype::int8));
  const auto arena = [&](KernelLibrary library) {
    auto counted = std::make_shared<const Model>(withKernelScratch(model, library).value());
    return execute(counted, tflmRequest(greedy(), {}), {}).value()->plan.footprint(PoolId(0));
  };
  CHECK(arena(KernelLibrary::reference) == Bytes(1'505'280));
  CHECK(arena(KernelLibrary::cmsisMve) == Bytes(1'509'744));
}

TEST_CASE("scratch lives for its operator and is planned with the rest", "[exchange][tflite]") {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {1, 8}, .type = 9},
                  {.name = "feature", .shape = {16, 8}, .type = 9, .buffer = 1},
                  {.name = "time", .shape = {16, 4}, .type = 7, .buffer = 1},
                  {.name = "bias", .shape = {16}, .type = 2, .buffer = 1},
                  {.name = "state", .shape = {1, 64}, .type = 7, .variable = true},
                  {.name = "y", .shape = {1, 16}, .type = 9}};
  main.inputs = {0};
  main.outputs = {5};
  main.operators = {{.code = kSvdfCode, .inputs = {0, 1, 2, 3, 4}, .outputs = {5}}};
  const std::string file = tfliteBytes({.subgraphs = {main}, .buffers = {std::string(256, 'w')}});
  const TflmPlan plan = tflmPlanOf(file);
  // x and y of 16 bytes each, and 64 for the sums and 64 for what comes of them.
  CHECK(plan.arena.head == Bytes(160));
  CHECK(plan.ownHead == Bytes(160));
  CHECK(plan.program.scratch.size() == 2);
  // Weights and the state, which the runtime keeps elsewhere, have no offset.
  CHECK(std::count(plan.offsets.begin(), plan.offsets.end(), -1) == 4);
  const auto run = tflmRun(file, greedy());
  CHECK(run->metrics.lowerBound == Bytes(160));
}

TEST_CASE("what a subgraph that is called once needs is counted", "[exchange][tflite]") {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {4}}, {.name = "y", .shape = {4}}};
  main.inputs = {0};
  main.outputs = {1};
  main.operators = {{.code = kCallOnceCode, .options = {{0, 4, 1}}},
                    {.code = kReluCode, .inputs = {0}, .outputs = {1}}};
  Text::Subgraph once{.name = "once"};
  once.tensors = {{.name = "a", .shape = {100}}, {.name = "b", .shape = {100}}};
  once.inputs = {0};
  once.outputs = {1};
  once.operators = {{.code = kReluCode, .inputs = {0}, .outputs = {1}}};
  const TflmPlan plan = tflmPlanOf(tfliteBytes({.subgraphs = {main, once}}));
  CHECK(plan.left == 0);
  CHECK(std::count(plan.offsets.begin(), plan.offsets.end(), -1) == 0);
  // x is there from the start; y is not yet.
  CHECK(plan.arena.head == Bytes(16 + 400 + 400));
}

TEST_CASE("a zip archive behind a planned model opens as before", "[exchange][tflite]") {
  const Text text = randomModel(3);
  const std::string model = tfliteBytes(text);
  const TflmPlan plan = tflmPlanOf(model);
  std::string archive = zipBytes({{"labels.txt", "cat\ndog\n"}, {"more/vocab", "a b c"}});
  // Offsets of the archive as tools write them: from the start of the whole file.
  const auto shift = [&](std::size_t at) {
    std::uint32_t number = 0;
    std::memcpy(&number, archive.data() + at, 4);
    number += static_cast<std::uint32_t>(model.size());
    std::memcpy(archive.data() + at, &number, 4);
  };
  for (std::size_t at = archive.find("PK\x01\x02"); at != std::string::npos;
       at = archive.find("PK\x01\x02", at + 4)) {
    shift(at + 42);
  }
  shift(archive.rfind("PK\x05\x06") + 16);
  const std::string after = writtenFile(model + archive, plan.offsets);
  const auto members = test::must(zipDirectory(after));
  REQUIRE(members.size() == 2);
  CHECK(zipUnpack(after, members.front(), 100) == "cat\ndog\n");
  CHECK(zipUnpack(after, members.back(), 100) == "a b c");
  // Who counts from the start of the file finds it, too.
  std::uint32_t directory = 0;
  std::memcpy(&directory, after.data() + after.rfind("PK\x05\x06") + 16, 4);
  CHECK(after.substr(directory, 4) == "PK\x01\x02");
}

/// A model with five bytes of weights behind it, and where they are.
std::pair<std::string, std::size_t> modelWithWeightsBehind() {
  Text text = randomModel(4);
  text.outside = {{1 << 20, 5}};  // Room for numbers of the same width.
  const std::size_t at = (tfliteBytes(text).size() + 15) / 16 * 16;
  text.outside = {{at, 5}};
  std::string file = tfliteBytes(text);
  file.resize(at);
  return {file + "12345", at};
}

TEST_CASE("weights behind a planned model are found where they went", "[exchange][tflite]") {
  const std::string file = modelWithWeightsBehind().first;
  const TflmPlan plan = tflmPlanOf(file);
  const std::string after = writtenFile(file, plan.offsets);
  const TfliteFile now(after);
  CHECK(now.outsideBuffers() == 1);
  CHECK(now.lostBuffers() == 0);
  const auto payloads = now.payloads();
  REQUIRE(payloads.size() == 1);
  CHECK(payloads[0].first % 16 == 0);
  CHECK(after.substr(payloads[0].first, payloads[0].second - payloads[0].first) == "12345");
}

TEST_CASE("a model is not written anew where that would change it", "[exchange][tflite]") {
  const auto [whole, at] = modelWithWeightsBehind();
  std::string file = whole;
  const std::vector<std::int32_t> offsets = tflmPlanOf(file).offsets;
  // Both numbers of the buffer behind the model become its size, as in a damaged file: the place
  // cannot be moved without the size.
  const auto short16 = [&file](std::size_t where) {
    return static_cast<std::uint16_t>(std::uint8_t(file[where]) | std::uint8_t(file[where + 1])
                                                                      << 8);
  };
  std::string number(8, '\0');
  std::memcpy(number.data(), &at, sizeof(at));
  const std::size_t field = file.find(number);
  REQUIRE(field != std::string::npos);
  int patched = 0;
  for (std::size_t table = field - 16; table < field; table += 4) {
    std::int32_t back = 0;
    std::memcpy(&back, file.data() + table, sizeof(back));
    const auto list = static_cast<std::int64_t>(table) - back;
    if (list < 0 || list + 10 > static_cast<std::int64_t>(file.size())) continue;
    const auto fields = static_cast<std::size_t>(list);
    if (short16(fields) != 10 || short16(fields + 6) != field - table) continue;
    std::memcpy(file.data() + fields + 6, file.data() + fields + 8, 2);
    ++patched;
  }
  REQUIRE(patched == 1);
  REQUIRE(TfliteFile(file).lostBuffers() == 0);
  const auto written = withOfflinePlan(file, offsets);
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "its tables share bytes, so it cannot be written anew");
}

TEST_CASE("a reference that leads out of a model is refused before it is copied",
          "[exchange][tflite][fuzz]") {
  Text text = randomModel(5);
  text.metadata = {{"kept", 1}};
  std::string whole = tfliteBytes(text);
  // A list of buffers of metadata behind the rest, which is followed only where a file is written.
  const auto short16 = [&whole](std::size_t where) {
    std::uint16_t number = 0;
    std::memcpy(&number, whole.data() + where, sizeof(number));
    return number;
  };
  const std::size_t root = short16(0);
  const std::size_t list = root - short16(root);
  REQUIRE(short16(list) >= 16);
  const std::size_t field = list + 14;
  REQUIRE(short16(field) == 0);
  whole.resize((whole.size() + 3) / 4 * 4);
  const auto place = static_cast<std::uint16_t>(whole.size() - root);
  std::memcpy(whole.data() + field, &place, sizeof(place));
  whole += std::string("\4\0\0\0\0\0\0\0", 8);
  int refused = 0;
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
    CAPTURE(at);
    std::string file = whole;
    const std::uint32_t far = 0x7FFFFFF0;
    std::memcpy(file.data() + at, &far, sizeof(far));
    const auto program = unlessRefused([&] { return tflmProgram(TfliteFile(file)); });
    if (!program) continue;
    const std::vector<std::int32_t> offsets(program->tensors.size(), 0);
    const auto written = withOfflinePlan(file, offsets);
    if (written) {
      CHECK(tflmProgram(TfliteFile(*written)).value().tensors.size() == offsets.size());
    } else if (written.error().text().find("what a table leads to") != std::string::npos) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("what offsets cannot say is refused", "[exchange][tflite]") {
  const std::string file = tfliteBytes(randomModel(5));
  const auto refusal = [&](const RunRequest& request) {
    return tflmRefusal(tflmPlan(file, *tflmRun(file, request)));
  };
  RunRequest request = greedy();
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64)};
  request.l3 = {.kind = PoolSize::Kind::unbounded};
  CHECK_THAT(refusal(request), Catch::Contains("a runtime has one arena"));
  request = greedy();
  request.alignment = Bytes(8);
  const auto run = execute(std::make_shared<const Model>(
                               importModel(file, "model.tflite", {.closedBodies = true}).value()),
                           request, {});
  CHECK_THAT(tflmRefusal(tflmPlan(file, **run)), Catch::Contains("multiples of 16"));
  CHECK_THAT(tflmRefusal(tflmPlan("PK\x03\x04 no model", *tflmRun(file, greedy()))),
             Catch::Contains("this is none, or a bundle"));
  CHECK_THAT(tflmRefusal(tflmPlan(tfliteBytes(randomModel(6)), *tflmRun(file, greedy()))),
             Catch::Contains("the operators are not the file's own"));
}

TEST_CASE("a size that the runtime does not believe is refused", "[exchange][tflite]") {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {8, 4}, .signature = {-1, 4}},
                  {.name = "y", .shape = {8, 4}, .signature = {-1, 4}}};
  main.inputs = {0};
  main.outputs = {1};
  main.operators = {{.code = kReluCode, .inputs = {0}, .outputs = {1}}};
  const std::string file = tfliteBytes({.subgraphs = {main}});
  RunRequest request = greedy();
  request.import.dimensions = {{"batch", 2}};
  CHECK(tflmRefusal(tflmPlan(file, *tflmRun(file, request))) ==
        "tflite-micro gives tensor 'x' 128 bytes, as the file says; it is planned with 32");
}

}  // namespace hw
