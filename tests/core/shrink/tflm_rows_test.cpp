#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>

#include "core/base/dice.h"
#include "core/graph/counterparts.h"
#include "core/import/importer.h"
#include "core/import/plans/unknown_parts.h"
#include "core/import/tflite/own_plan.h"
#include "core/import/tflite/reader.h"
#include "core/run/embedded.h"
#include "core/run/options.h"
#include "core/shrink/tflm/row_file.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite_interpreter.h"
#include "tests/support/tflite_networks.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

/// Random networks of images in float32, for the geometry of rows: kernels, strides, paddings,
/// dilations, skip connections, channels that are joined, rows that are connected. Or of matrices
/// alone.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed, bool ofMatrices = false)
      : dice_(seed), ofMatrices_(ofMatrices) {}

  std::string bytes() {
    graph_.name = "rows";
    const Shape image = {1, number(9, 26), number(2, 5), number(1, 3)};
    std::int32_t at = tensor(ofMatrices_ ? matrixOf({1, image[1], 4, image[2]}) : image);
    graph_.inputs = {at};
    const std::int32_t layers = number(4, 9);
    for (std::int32_t layer = 0; layer < layers; ++layer) {
      at = ofMatrices_ ? addLine(at) : addLayer(at);
    }
    graph_.outputs = {at};
    model_.subgraphs = {graph_};
    return tfliteBytes(model_);
  }

 private:
  using Shape = std::vector<std::int32_t>;

  std::int32_t number(std::int64_t least, std::int64_t most) {
    return static_cast<std::int32_t>(dice_.roll(least, most));
  }
  std::int32_t tensor(const Shape& shape, std::int8_t type = 0, std::uint32_t buffer = 0) {
    graph_.tensors.push_back({.name = "t" + std::to_string(graph_.tensors.size()),
                              .shape = shape,
                              .type = type,
                              .buffer = buffer});
    return static_cast<std::int32_t>(graph_.tensors.size()) - 1;
  }
  const Shape& shapeOf(std::int32_t tensor) const {
    return graph_.tensors[static_cast<std::size_t>(tensor)].shape;
  }
  std::int32_t weight(const Shape& shape) {
    std::int32_t count = 1;
    for (const std::int32_t size : shape) count *= size;
    std::string bytes(static_cast<std::size_t>(count) * sizeof(float), '\0');
    for (std::int32_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(dice_.fraction() - 0.5);
      std::memcpy(bytes.data() + 4 * i, &value, sizeof(value));
    }
    model_.buffers.push_back(bytes);
    return tensor(shape, 0, static_cast<std::uint32_t>(model_.buffers.size()));
  }
  std::int32_t integers(const std::vector<std::int32_t>& numbers, const Shape& shape) {
    model_.buffers.push_back(tfliteIntegers(numbers));
    return tensor(shape, 2, static_cast<std::uint32_t>(model_.buffers.size()));
  }
  std::int32_t op(std::int32_t code, std::vector<std::int32_t> inputs, const Shape& made,
                  std::vector<TfliteText::Option> options = {}) {
    const std::int32_t output = tensor(made);
    graph_.operators.push_back({.code = code,
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .options = std::move(options)});
    return output;
  }

  std::int32_t addLayer(std::int32_t in) {
    switch (number(0, 11)) {
      case 0:
      case 1:
      case 2:
        return window(in, kConv);
      case 3:
      case 4:
        return window(in, kDepthwise);
      case 5:
        return window(in, dice_.chance(50) ? kMaxPool : kAveragePool);
      case 6:
        return pad(in);
      case 7: {
        const std::int32_t inner = op(kLogistic, {in}, shapeOf(in));
        return op(kAdd, {in, inner}, shapeOf(in), {{0, 1, 0}});
      }
      case 8: {
        Shape made = shapeOf(in);
        made[3] *= 2;
        const std::int32_t inner = op(kRelu, {in}, shapeOf(in));
        return made[3] > 8 ? inner : op(kConcat, {in, inner}, made, {{0, 4, 3}, {1, 1, 0}});
      }
      case 9:
        return connected(in);
      case 10:
        return matrices(in);
      default:
        return resize(in);
    }
  }

  /// The pixels of an image, one below the other.
  Shape matrixOf(const Shape& image) {
    const std::int32_t rows = image[1] * image[2];
    return dice_.chance(50) ? Shape{rows, image[3]} : Shape{1, rows, image[3]};
  }
  /// FULLY_CONNECTED, pixel by pixel; matrices may lose an axis or get one.
  std::int32_t connected(std::int32_t in) {
    Shape made = shapeOf(in);
    const std::int32_t depth = made.back();
    made.back() = number(1, 5);
    if (made.size() < 4 && dice_.chance(30)) {
      made = made.size() == 2 ? Shape{1, made[0], made[1]} : Shape{made[1], made[2]};
    }
    std::vector<std::int32_t> inputs = {in, weight({made.back(), depth})};
    if (dice_.chance(60)) inputs.push_back(weight({made.back()}));
    return op(kConnect, inputs, made, {{0, 1, number(0, 3)}, {2, 1, 1}});
  }
  /// A layer of matrices.
  std::int32_t addLine(std::int32_t in) {
    const Shape shape = shapeOf(in);
    switch (number(0, 4)) {
      case 0:
        return op(kRelu, {in}, shape);
      case 1:
        return op(kAdd, {in, op(kLogistic, {in}, shape)}, shape, {{0, 1, 0}});
      case 2:
        return op(kAdd, {in, weight(dice_.chance(50) ? shape : Shape{shape.back()})}, shape,
                  {{0, 1, 0}});
      default:
        return connected(in);
    }
  }
  /// An image as a matrix, for some layers.
  std::int32_t matrices(std::int32_t in) {
    Shape image = shapeOf(in);
    const Shape lines = matrixOf(image);
    const auto axes = [](const Shape& shape) { return static_cast<std::int32_t>(shape.size()); };
    std::int32_t at = op(kReshape, {in, integers(lines, {axes(lines)})}, lines);
    at = addLine(addLine(connected(at)));
    image[3] = shapeOf(at).back();
    return op(kReshape, {at, integers(image, {4})}, image);
  }

  std::int32_t window(std::int32_t in, std::int32_t code) {
    const Shape from = shapeOf(in);
    const bool pools = code == kMaxPool || code == kAveragePool;
    const std::int32_t kernel =
        pools ? number(2, 3)
              : std::vector{1, 2, 3, 3, 5, 7}[static_cast<std::size_t>(number(0, 5))];
    const std::int32_t stride = number(1, kernel > 1 ? 2 : 1);
    const std::int32_t dilation = !pools && stride == 1 && dice_.chance(20) ? 2 : 1;
    const std::int32_t span = (kernel - 1) * dilation + 1;
    const bool same = dice_.chance(60) || span > from[1];
    Shape made = from;
    made[1] = same ? (from[1] + stride - 1) / stride : (from[1] - span) / stride + 1;
    if (made[1] < 4) return in;
    std::vector<TfliteText::Option> options = {{0, 1, same ? 0 : 1}, {1, 4, 1}, {2, 4, stride}};
    if (pools) {
      options.insert(options.end(), {{3, 4, 1}, {4, 4, kernel}});
      return op(code, {in}, made, options);
    }
    if (code == kConv) {
      made[3] = number(1, 4);
      options.insert(options.end(), {{4, 4, 1}, {5, 4, dilation}});
      return op(code, {in, weight({made[3], kernel, 1, from[3]}), weight({made[3]})}, made,
                options);
    }
    options.insert(options.end(), {{3, 4, 1}, {5, 4, 1}, {6, 4, dilation}});
    return op(code, {in, weight({1, kernel, 1, from[3]}), weight({from[3]})}, made, options);
  }

  std::int32_t pad(std::int32_t in) {
    Shape made = shapeOf(in);
    const std::int32_t top = number(0, 2);
    const std::int32_t bottom = number(0, 2);
    made[1] += top + bottom;
    return op(kPad, {in, integers({0, 0, top, bottom, 0, 0, 0, 0}, {4, 2})}, made);
  }

  std::int32_t resize(std::int32_t in) {
    Shape made = shapeOf(in);
    if (made[1] > 20) return in;
    made[1] *= 2;
    return op(kNearest, {in, integers({made[1], made[2]}, {2})}, made, {{0, 1, 0}, {1, 1, 0}});
  }

  static constexpr std::int32_t kAdd = 0, kAveragePool = 1, kConcat = 2, kConv = 3, kDepthwise = 4;
  static constexpr std::int32_t kConnect = 9, kLogistic = 14, kMaxPool = 17, kRelu = 19;
  static constexpr std::int32_t kReshape = 22, kPad = 34, kNearest = 97;

  Dice dice_;
  bool ofMatrices_;
  TfliteText model_;
  TfliteText::Subgraph graph_;
};

test::PartRows rowsOf(const RowStep& step) {
  if (step.kind == RowStep::Kind::loop) return {};
  const RowView& made = step.outputs[0];
  return {static_cast<int>(made.tensor), made.first, made.rows, step.garbage};
}

/// Which rows of which tensor each step of the execution holds, in the order in which they run.
std::vector<test::PartRows> partsOf(const RowProgram& program) {
  std::vector<test::PartRows> parts;
  for (const RowStep& step : program.steps()) {
    if (step.kind != RowStep::Kind::loop) {
      parts.push_back(rowsOf(step));
      continue;
    }
    const RowLoop& loop = *program.loop();
    for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
      parts.emplace_back();  // The condition.
      parts.push_back(
          {static_cast<int>(loop.input), loop.firstIn - turn * loop.inStep, loop.slice.rows, 0});
      for (std::size_t i = 0; i < loop.body.size(); ++i) {
        test::PartRows rows = rowsOf(loop.body[i]);
        rows.first += loop.rows[i].first - turn * loop.rows[i].second;
        parts.push_back(rows);
      }
      parts.resize(parts.size() + 3);  // The update, and both counters.
    }
    parts.resize(parts.size() + 3);  // The condition once more, and what the loop hands on.
  }
  return parts;
}

struct Made {
  RowProgram program;
  RowPlan plan;
  std::string file;
};

Made madeOf(const std::string& file, const RowProgram& program,
            const std::vector<RowShape>& shapes) {
  const RowPlacer placer(shapes);
  RowPlan plan{.program = std::make_shared<const RowProgram>(program),
               .placement = placer.place(300),
               .bound = Bytes(placer.bound())};
  CHECK(plan.placement.head >= placer.bound());
  return {program, plan, rowFile(file, plan)};
}

std::string differenceOf(const std::string& original, const Made& made, std::uint64_t seed) {
  const auto whole = test::must(test::runTflite(std::as_bytes(std::span(original)), seed));
  const auto parts = test::runTflite(std::as_bytes(std::span(made.file)), seed);
  if (!parts) return parts.error();
  return test::compareRows(whole, *parts, partsOf(made.program));
}

/// The place of the offset of tensor `number` in the plan of a file that was written here.
std::size_t offsetPlace(const std::string& file, std::size_t tensors, std::size_t number) {
  std::string header(12, '\0');
  const std::int32_t count = static_cast<std::int32_t>(tensors);
  std::memcpy(header.data() + 8, &count, sizeof(count));
  std::size_t at = 0;
  for (const std::int32_t subgraphs : {1, 3}) {
    const std::int32_t version = 1;
    std::memcpy(header.data(), &version, sizeof(version));
    std::memcpy(header.data() + 4, &subgraphs, sizeof(subgraphs));
    at = file.find(header);
    if (at != std::string::npos) break;
  }
  REQUIRE(at != std::string::npos);
  return at + header.size() + 4 * number;
}

TEST_CASE("parts of random networks make the rows that whole operators make", "[rows]") {
  const bool ofMatrices = GENERATE(false, true);
  std::map<RowHalo, int> tried;
  for (std::uint64_t seed = 1; seed <= 130; ++seed) {
    CAPTURE(seed, ofMatrices);
    const std::string file = RandomNetwork(seed, ofMatrices).bytes();
    const TfliteFile read(file);
    const auto model = test::must(rowModel(read, {}));
    Dice dice(seed);
    for (int attempt = 0; attempt < 12; ++attempt) {
      const auto last =
          static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(model.ops.size()) - 1));
      const RowRun run{
          .first = static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(last))),
          .last = last,
          .parts = dice.roll(1, 8),
          .halo = static_cast<RowHalo>(attempt % 3)};
      const bool ascending = dice.chance(70);
      CAPTURE(attempt, run.first, run.last, run.parts, ascending);
      const auto program = RowProgram::make(model, {run});
      if (!program) continue;
      const auto shapes = program->shapes(ascending);
      if (!shapes) continue;
      ++tried[run.halo];
      const Made made = madeOf(file, *program, *shapes);
      CHECK(differenceOf(file, made, seed) == "");
      const auto executed = test::must(test::runTflite(std::as_bytes(std::span(made.file)), seed));
      CHECK((executed.headBytes + 15) / 16 * 16 == made.plan.placement.head);
    }
  }
  CHECK(tried[RowHalo::recompute] > 100);
  CHECK(tried[RowHalo::copy] > 100);
  CHECK(tried[RowHalo::loop] > 30);
}

TEST_CASE("a view that lies one row off is noticed", "[rows]") {
  std::size_t mutants = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const std::string file = RandomNetwork(seed, seed % 3 == 0).bytes();
    const TfliteFile read(file);
    const auto model = rowModel(read, {});
    const auto program =
        RowProgram::make(*model, {{.first = 0, .last = model->ops.size() - 1, .parts = 3}});
    if (!program) continue;
    const auto shapes = program->shapes(true);
    if (!shapes) continue;
    const Made made = madeOf(file, *program, *shapes);
    const TfliteFile written(made.file);
    const TfliteSubgraph& graph = written.subgraph(0);
    for (std::size_t op = 0; op < graph.ops.size(); ++op) {
      const auto input = static_cast<std::size_t>(graph.ops[op].inputs[0]);
      // A view that is written, too, may move as a whole.
      const auto writes = [&](const TfliteOp& each) {
        return each.outputs[0] == graph.ops[op].inputs[0];
      };
      if (std::ranges::any_of(graph.ops, writes)) continue;
      Made mutant = made;
      const std::size_t place = offsetPlace(made.file, graph.tensors.size(), input);
      std::int32_t offset = 0;
      std::memcpy(&offset, made.file.data() + place, sizeof(offset));
      const auto row = static_cast<std::int32_t>(
          model->tensors[model->ops[program->steps()[op].op].inputs[0]].rowBytes);
      offset += offset >= row ? -row : row;
      std::memcpy(mutant.file.data() + place, &offset, sizeof(offset));
      CAPTURE(op, input, offset);
      ++mutants;
      CHECK(differenceOf(file, mutant, seed) != "");
    }
  }
  CHECK(mutants > 40);
}

/// Operators as they are seen in a drawing: type, what each makes, and what it reads of others.
std::set<std::vector<std::string>> drawnOps(const Graph& graph) {
  std::set<std::vector<std::string>> drawn;
  for (const Op& op : graph.ops) {
    std::set<std::string> inputs;
    for (const TensorId input : op.inputs) {
      if (input && !graph.tensors[input].constant) inputs.insert(graph.tensors[input].name);
    }
    std::vector<std::string> all{op.type, graph.tensors[op.outputs.at(0)].name};
    all.insert(all.end(), inputs.begin(), inputs.end());
    drawn.insert(all);
  }
  return drawn;
}

/// Parts are told to be of the operators of the model that the file was made from, all of them, and
/// each with what it reads.
void checkWholes(const Graph& parts, const Graph& model) {
  REQUIRE(parts.wholes);
  const Graph& wholes = parts.wholes->graph;
  CHECK(wholes.ops.size() == model.ops.size());
  CHECK(drawnOps(wholes) == drawnOps(model));
  for (const OpId op : parts.ops.keys()) {
    const OpId of = wholeOp(parts, op);
    if (!of) continue;
    CHECK(wholes.ops[of].type == parts.ops[op].type);
    for (const TensorId output : parts.ops[op].outputs) {
      CHECK(std::ranges::count(wholes.ops[of].outputs, wholeTensor(parts, output)) == 1);
    }
  }
}

/// A file in parts opens as the plan that it brings along: it takes the head, no two buffers share
/// a byte, and the bound is no higher.
void checkOpened(const std::string& file, const std::string& model, Bytes head) {
  const auto opened = test::must(importModel(file, "small.tflite", {}));
  CHECK(opened.format == "tflite");
  CHECK(ownPlanBytes(*opened.graph) <= head);
  CHECK(isPlan(opened));
  CHECK_FALSE(namesOperators(*opened.graph));  // So that nobody gives it a latency.
  checkWholes(*opened.graph, *importModel(model, "", {.fuse = {}})->graph);
  for (const std::string& note : opened.graph->notes) {
    CHECK(note.find("one turn") == std::string::npos);
  }
  const auto run = test::runGraph(*opened.graph, {.allocator = "embedded"});
  CHECK(run->plan.status == PlanStatus::complete);
  CHECK(run->metrics.lowerBound <= head);
  CHECK(std::ranges::none_of(run->notes, [](const std::string& note) {
    return note.find("while both are needed") != std::string::npos;
  }));
}

TEST_CASE("the search finds smaller arenas, and the file that is chosen is right", "[rows]") {
  std::size_t smaller = 0;
  for (std::uint64_t seed = 200; seed < 200 + test::rounds(25); ++seed) {
    CAPTURE(seed);
    const std::string file = RandomNetwork(seed, seed % 5 == 0).bytes();
    const TfliteFile read(file);
    const auto model = test::must(rowModel(read, {}));
    RuntimeSearchOptions options;
    const RowFront front = searchRows(model, options);
    REQUIRE(!front.points.empty());
    CHECK(front.overlap.total() <= front.plain.total());
    for (std::size_t i = 0; i < front.points.size(); ++i) {
      const RowPlan& plan = front.points[i];
      CAPTURE(i);
      CHECK(plan.head() >= plan.bound);
      CHECK(plan.program->macs() <= model.macs * 3 / 2 + 1);
      if (i > 0) CHECK(plan.total() > front.points[i - 1].total());
      if (i > 0) CHECK(plan.program->macs() < front.points[i - 1].program->macs());
      const auto shapes = test::must(plan.program->shapes(true));
      const std::string parts = rowFile(file, plan);
      CHECK(differenceOf(file, {*plan.program, plan, parts}, seed) == "");
      if (!plan.program->runs().empty()) checkOpened(parts, file, plan.head());
    }
    smaller += front.points.front().total() < front.overlap.total() ? 1 : 0;
    options.threads = 2;
    const RowFront again = searchRows(model, options);
    REQUIRE(again.points.size() == front.points.size());
    for (std::size_t i = 0; i < again.points.size(); ++i) {
      CHECK(again.points[i].program->runs() == front.points[i].program->runs());
      CHECK(again.points[i].placement.offsets == front.points[i].placement.offsets);
    }
  }
  CHECK(smaller > 0);
}

TEST_CASE("a view of bytes that nothing wrote is told", "[rows]") {
  const auto shrunk =
      test::must(shrinkForTflm(test::publishedFile("resnet8", 32), 4, {.extraMacs = 0.1}));
  std::string file = shrunk.file;
  const std::string key = "OfflineMemoryAllocation";
  REQUIRE(file.find(key) != std::string::npos);
  // The offsets as the file has them; the last view is moved behind all else.
  const TfliteFile read(file);
  const std::string_view words = read.bufferBytes(read.metadata(key).value());
  const auto offsets = readOfflinePlan(read, 0).offsets.front();
  std::vector<bool> made = madeIn(read.subgraph(0));
  made[static_cast<std::size_t>(read.subgraph(0).inputs[0])] = true;
  std::size_t view = offsets.size();
  while (made[view - 1] || !offsets[view - 1]) --view;
  const auto at = static_cast<std::size_t>(words.data() - read.bytes().all().data());
  const std::int32_t far = 1 << 20;
  std::memcpy(file.data() + at + 4 * (3 + view - 1), &far, sizeof(far));
  const auto opened = test::must(importModel(file, "far.tflite", {}));
  CAPTURE(read.subgraph(0).tensors[view - 1].name);
  CHECK(std::ranges::any_of(opened.graph->notes, [](const std::string& note) {
    return note.find("views reach over bytes that nothing wrote") != std::string::npos;
  }));
}

TEST_CASE("published networks run in parts in less memory", "[rows]") {
  // Few multiplications made again: most programs are then left out before they are looked at.
  // Bounds are below what whole operators need.
  const auto [name, size, extraMacs, most] =
      GENERATE(table<std::string, int, double, double>({{"resnet8", 32, 0.1, 0.61},
                                                        {"mobilenet_v2", 64, 0.005, 0.8},
                                                        {"mcunet_v2_large", 32, 0.005, 0.87},
                                                        {"mcunet_512kb", 64, 0.005, 0.75},
                                                        {"blazeface", 64, 0.005, 0.6}}));
  CAPTURE(name);
  if (!test::isTried(name == "resnet8" ? 0 : 1)) return;
  const std::string file = test::publishedFile(name, size);
  const auto shrunk = test::must(shrinkForTflm(file, 4, {.extraMacs = extraMacs, .threads = 2}));
  const RuntimeWay& own = shrunk.ways.front();
  CAPTURE(shrunk.best().total(), own.total());
  CHECK(shrunk.best().total().real() < most * own.total().real());
  const auto whole = test::must(test::runTflite(std::as_bytes(std::span(file)), 7));
  const auto parts = test::must(test::runTflite(std::as_bytes(std::span(shrunk.file)), 7));
  CHECK(whole.outputs == parts.outputs);
  CHECK((parts.headBytes + 15) / 16 * 16 == shrunk.best().head.count());

  checkOpened(shrunk.file, file, shrunk.best().head);
  CHECK(alignUp(ownPlanBytes(*importModel(shrunk.file, "", {})->graph), Bytes(16)) ==
        shrunk.best().head);
  CHECK(shrinkForTflm(shrunk.file, 4, {}).error().message.find("in parts already") !=
        std::string::npos);
}

TEST_CASE("within a budget the one with the fewest multiplications is chosen", "[rows]") {
  const std::string file = test::publishedFile("resnet8", 32);
  RuntimeSearchOptions options{.extraMacs = 0.1, .threads = 2};
  const auto shrunk = test::must(shrinkForTflm(file, 4, options));
  options.budget = shrunk.ways.front().total() - Bytes(1);
  const auto roomy = test::must(shrinkForTflm(file, 4, options));
  CHECK(roomy.isWithinBudget());
  CHECK(roomy.best().extraMacs == 0);

  // Where none is within it, the smallest.
  options.budget = Bytes(1000);
  const auto tight = test::must(shrinkForTflm(file, 4, options));
  CHECK_FALSE(tight.isWithinBudget());
  CHECK(tight.best().total() == shrunk.best().total());
}

TEST_CASE("images that are too high for parts keep their height", "[rows]") {
  TfliteText high;
  high.subgraphs = {{.tensors = {{.name = "x", .shape = {1, 20'000, 1, 1}},
                                 {.name = "t", .shape = {1, 20'000, 1, 1}},
                                 {.name = "y", .shape = {1, 20'000, 1, 1}}},
                     .inputs = {0},
                     .outputs = {2},
                     .operators = {{.code = 19, .inputs = {0}, .outputs = {1}},
                                   {.code = 0, .inputs = {0, 1}, .outputs = {2}}}}};
  const std::string file = tfliteBytes(high);
  const auto shrunk = test::must(shrinkForTflm(file, 4, {}));
  const TfliteFile read(file);
  const auto model = test::must(rowModel(read, {}));
  const auto program = test::must(RowProgram::make(model, {}));
  const auto shapes = test::must(program.shapes(true));
  CHECK(differenceOf(file, madeOf(file, program, shapes), 1) == "");
}

TEST_CASE("a matrix of one row, or of none that have elements, has no parts", "[rows]") {
  // Its shape before the channels.
  const auto front = GENERATE(std::vector{1}, std::vector{1, 4, 0});
  std::vector<std::int32_t> shape(front.begin(), front.end());
  shape.push_back(2);
  TfliteText line;
  line.subgraphs = {
      {.tensors = {{.name = "x", .shape = shape},
                   {.name = "w", .shape = {2, 2}, .buffer = 1},
                   {.name = "y", .shape = shape}},
       .inputs = {0},
       .outputs = {2},
       .operators = {{.code = 9, .inputs = {0, 1}, .outputs = {2}, .optionsKind = 8}}}};
  line.buffers = {std::string(16, '\0')};
  const std::string oneRow = tfliteBytes(line);
  const TfliteFile readLine(oneRow);
  const auto single = test::must(rowModel(readLine, {}));
  CHECK(single.whyNoRun(0, 0) == "operator 0 (FULLY_CONNECTED): it does not go by rows");
}

TEST_CASE("what cannot go in parts says why", "[rows]") {
  const std::string file = RandomNetwork(3).bytes();
  const TfliteFile read(file);
  const auto model = test::must(rowModel(read, {}));
  const std::size_t last = model.ops.size() - 1;
  CHECK(test::mustFail(RowProgram::make(model, {{.first = last, .last = last, .parts = 10'000}}))
            .message.find("10000 parts of") != std::string::npos);

  // Memory is not taken by what a file claims.
  TfliteText tall;
  tall.subgraphs = {{.tensors = {{.name = "x", .shape = {1, 1 << 30, 1, 1}, .type = 9},
                                 {.name = "y", .shape = {1, 1 << 30, 1, 1}, .type = 9}},
                     .inputs = {0},
                     .outputs = {1},
                     .operators = {{.code = 19, .inputs = {0}, .outputs = {1}}}}};
  const auto whole = test::must(shrinkForTflm(tfliteBytes(tall), 4, {}));
  for (const RuntimeWay& way : whole.ways) CHECK(way.runs.empty());

  TfliteText two;
  two.subgraphs.resize(2);
  const std::string several = tfliteBytes(two);
  const TfliteFile readSeveral(several);
  CHECK(test::mustFail(rowModel(readSeveral, {})).message ==
        "it has several subgraphs; parts are of one");
}

}  // namespace
}  // namespace hw
