#include "core/shrink/c/c_file.h"

#include <bit>
#include <cstring>
#include <map>
#include <span>

#include "core/base/dice.h"
#include "core/files/file.h"
#include "tests/support/c_program.h"
#include "tests/support/corpus.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite/drawn_operators.h"
#include "tests/support/tflite_interpreter.h"
#include "tests/support/tflite_networks.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

constexpr RowTarget kC{.pointer = 0, .told = true};

/// Random networks of images in int8: all operators of which C goes by rows, and a head of those
/// that do not.
class Int8Network {
 public:
  explicit Int8Network(std::uint64_t seed) : dice_(seed) {}

  std::string bytes() {
    graph_.name = "rows";
    std::int32_t at = tensor({1, number(9, 26), number(2, 6), number(1, 4)});
    graph_.inputs = {at};
    const std::int32_t layers = number(4, 9);
    for (std::int32_t layer = 0; layer < layers; ++layer) at = addLayer(at);
    if (dice_.chance(50)) at = head(at);
    graph_.outputs = {at};
    model_.subgraphs = {graph_};
    return tfliteBytes(model_);
  }

 private:
  using Shape = std::vector<std::int32_t>;
  static constexpr std::int8_t kInt8 = 9, kInt32 = 2;

  std::int32_t number(std::int64_t least, std::int64_t most) {
    return static_cast<std::int32_t>(dice_.roll(least, most));
  }
  std::int32_t tensor(const Shape& shape, std::int32_t like = -1) {
    TfliteText::Tensor made{.name = "t */ ?\?/ \\\n" + std::to_string(graph_.tensors.size()),
                            .shape = shape,
                            .type = kInt8,
                            .scales = {static_cast<float>(dice_.roll(50, 3000)) / 30000.0F},
                            .zeros = {dice_.roll(-128, 127)}};
    if (like >= 0) made.scales = at(like).scales;
    if (like >= 0) made.zeros = at(like).zeros;
    graph_.tensors.push_back(made);
    return static_cast<std::int32_t>(graph_.tensors.size()) - 1;
  }
  const TfliteText::Tensor& at(std::int32_t tensor) const {
    return graph_.tensors[static_cast<std::size_t>(tensor)];
  }
  std::int32_t stored(TfliteText::Tensor tensor, const std::string& bytes) {
    model_.buffers.push_back(bytes);
    tensor.buffer = static_cast<std::uint32_t>(model_.buffers.size());
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<std::int32_t>(graph_.tensors.size()) - 1;
  }
  std::string drawn(std::int64_t count) {
    std::string bytes;
    for (; count > 0; --count) bytes.push_back(static_cast<char>(dice_.roll(-127, 127)));
    return bytes;
  }
  static std::int64_t product(const Shape& shape) {
    std::int64_t all = 1;
    for (const std::int32_t size : shape) all *= size;
    return all;
  }
  std::int32_t filter(const Shape& shape, std::int32_t axis) {
    TfliteText::Tensor made{.shape = shape, .type = kInt8, .channelAxis = axis};
    const std::int32_t scales = dice_.chance(70) ? shape[static_cast<std::size_t>(axis)] : 1;
    for (std::int32_t i = 0; i < scales; ++i) {
      made.scales.push_back(static_cast<float>(dice_.roll(10, 900)) / 60000.0F);
      made.zeros.push_back(0);
    }
    return stored(made, drawn(product(shape)));
  }
  std::int32_t bias(std::int32_t channels) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < channels; ++i) numbers.push_back(number(-3000, 3000));
    return stored({.shape = {channels}, .type = kInt32}, tfliteIntegers(numbers));
  }
  std::int32_t integers(const std::vector<std::int32_t>& numbers, const Shape& shape) {
    return stored({.shape = shape, .type = kInt32}, tfliteIntegers(numbers));
  }
  std::int32_t op(std::int32_t code, std::vector<std::int32_t> inputs, std::int32_t output,
                  std::int8_t kind = 0, std::vector<TfliteText::Option> options = {}) {
    graph_.operators.push_back({.code = code,
                                .inputs = std::move(inputs),
                                .outputs = {output},
                                .options = std::move(options),
                                .optionsKind = kind});
    return output;
  }
  std::int32_t activation() { return number(0, 3); }

  std::int32_t addLayer(std::int32_t in) {
    switch (number(0, 14)) {
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
      case 7:
        return pair(in, curve(in), number(0, 2));
      case 8:
        return at(in).shape[3] > 4 ? curve(in) : joined(in);
      case 9:
        return resize(in);
      case 10:
        return repeated(in);
      case 11:
        return connected(in);
      case 12:
        return matrix(in);
      default:
        return curve(in);
    }
  }

  std::int32_t connected(std::int32_t in) {
    Shape made = at(in).shape;
    const std::int32_t depth = made.back();
    made.back() = number(1, 6);
    std::vector<std::int32_t> inputs = {in, filter({made.back(), depth}, 0)};
    if (dice_.chance(70)) inputs.push_back(bias(made.back()));
    return op(kConnect, inputs, tensor(made), 8, {{0, 1, activation()}, {2, 1, 1}});
  }
  /// The pixels of an image, one below the other, for some layers.
  std::int32_t matrix(std::int32_t in) {
    Shape image = at(in).shape;
    const Shape lines = {image[1] * image[2], image[3]};
    std::int32_t made = op(kReshape, {in, integers(lines, {2})}, tensor(lines, in));
    made = connected(curve(connected(made)));
    image[3] = at(made).shape.back();
    return op(kReshape, {made, integers(image, {4})}, tensor(image, made));
  }

  std::int32_t joined(std::int32_t in) {
    Shape made = at(in).shape;
    const std::int32_t inner = op(kRelu6, {in}, tensor(made, in));
    made[3] *= 2;
    return op(kConcat, {inner, in}, tensor(made, in), 10, {{0, 4, 3}, {1, 1, 0}});
  }

  /// The same numbers for each pixel, or for each row.
  std::int32_t repeated(std::int32_t in) {
    const Shape shape = at(in).shape;
    const Shape own = dice_.chance(50) ? Shape{shape[3]} : Shape{1, 1, shape[2], shape[3]};
    const TfliteText::Tensor weights = at(tensor(own));
    const std::int32_t added = stored(weights, drawn(product(own)));
    return dice_.chance(50) ? pair(in, added, number(0, 2)) : pair(added, in, number(0, 2));
  }

  std::int32_t pair(std::int32_t a, std::int32_t b, std::int32_t kind) {
    const Shape made =
        at(a).shape.size() < at(b).shape.size() || product(at(a).shape) < product(at(b).shape)
            ? at(b).shape
            : at(a).shape;
    constexpr std::int32_t kCodes[] = {kAdd, kMul, kSub};
    constexpr std::int8_t kKinds[] = {11, 21, 28};
    return op(kCodes[kind], {a, b}, tensor(made), kKinds[kind], {{0, 1, activation()}});
  }

  std::int32_t curve(std::int32_t in) {
    const Shape shape = at(in).shape;
    switch (number(0, 6)) {
      case 0: {
        const std::int32_t out = tensor(shape);
        graph_.tensors.back().scales = {1.0F / 256};
        graph_.tensors.back().zeros = {-128};
        return op(kLogistic, {in}, out);
      }
      case 1: {
        const std::int32_t out = tensor(shape);
        graph_.tensors.back().scales = {1.0F / 128};
        graph_.tensors.back().zeros = {0};
        return op(kTanh, {in}, out);
      }
      case 2:
        return op(kHardSwish, {in}, tensor(shape));
      case 3:
        return op(kRelu, {in}, tensor(shape));
      case 4:
        return op(kRelu6, {in}, tensor(shape, in));
      case 5: {
        const auto slope = static_cast<float>(number(-200, 400)) / 500.0F;
        return op(kLeaky, {in}, tensor(shape), 75, {{0, 4, std::bit_cast<std::int32_t>(slope)}});
      }
      default:
        return op(kQuantize, {in}, tensor(shape));
    }
  }

  std::int32_t window(std::int32_t in, std::int32_t code) {
    const Shape from = at(in).shape;
    const bool pools = code == kMaxPool || code == kAveragePool;
    const std::int32_t tall =
        pools ? number(2, 3)
              : std::vector{1, 2, 3, 3, 5, 7, 9}[static_cast<std::size_t>(number(0, 6))];
    const std::int32_t wide = number(1, 3);
    const std::int32_t stride = number(1, tall > 1 ? 2 : 1);
    const std::int32_t across = number(1, 2);
    const std::int32_t dilation = !pools && stride == 1 && dice_.chance(20) ? 2 : 1;
    const std::int32_t span = (tall - 1) * dilation + 1;
    const bool same = dice_.chance(60) || span > from[1] || wide > from[2];
    Shape made = from;
    made[1] = same ? (from[1] + stride - 1) / stride : (from[1] - span) / stride + 1;
    made[2] = same ? (from[2] + across - 1) / across : (from[2] - wide) / across + 1;
    if (made[1] < 4) return in;
    std::vector<TfliteText::Option> options = {
        {0, 1, same ? 0 : 1}, {1, 4, across}, {2, 4, stride}};
    if (pools) {
      options.insert(options.end(), {{3, 4, wide}, {4, 4, tall}, {5, 1, activation()}});
      return op(code, {in}, tensor(made, in), 5, options);
    }
    if (code == kConv) {
      const std::int32_t groups = dice_.chance(25) ? from[3] : 1;
      made[3] = groups * number(1, 3);
      options.insert(options.end(), {{3, 1, activation()}, {4, 4, 1}, {5, 4, dilation}});
      std::vector<std::int32_t> inputs = {in, filter({made[3], tall, wide, from[3] / groups}, 0)};
      if (dice_.chance(70)) inputs.push_back(bias(made[3]));
      return op(code, inputs, tensor(made), 1, options);
    }
    const std::int32_t repeated = from[3] > 4 ? 1 : number(1, 2);
    made[3] *= repeated;
    options.insert(options.end(),
                   {{3, 4, repeated}, {4, 1, activation()}, {5, 4, 1}, {6, 4, dilation}});
    return op(code, {in, filter({1, tall, wide, made[3]}, 3), bias(made[3])}, tensor(made), 2,
              options);
  }

  std::int32_t pad(std::int32_t in) {
    Shape made = at(in).shape;
    const std::vector<std::int32_t> sides = {
        0, 0, number(0, 2), number(0, 2), number(0, 1), number(0, 1), 0, number(0, 1)};
    for (std::size_t i = 0; i < 4; ++i) made[i] += sides[2 * i] + sides[2 * i + 1];
    return op(kPad, {in, integers(sides, {4, 2})}, tensor(made, in));
  }

  std::int32_t resize(std::int32_t in) {
    Shape made = at(in).shape;
    if (made[1] > 20) return in;
    made[1] *= 2;
    made[2] = number(1, 6);
    return op(kNearest, {in, integers({made[1], made[2]}, {2})}, tensor(made, in), 74,
              {{0, 1, 0}, {1, 1, number(0, 1)}});
  }

  std::int32_t head(std::int32_t in) {
    const Shape from = at(in).shape;
    std::int32_t flat =
        op(kMean, {in, integers({1, 2}, {2})}, tensor({1, from[3]}), 27, {{0, 1, 0}});
    if (dice_.chance(50)) {
      flat =
          op(kReshape, {in, integers({1, -1}, {2})}, tensor({1, from[1] * from[2] * from[3]}, in));
    }
    const std::int32_t depth = at(flat).shape[1];
    const std::int32_t classes = number(2, 9);
    const std::int32_t made = op(kConnect, {flat, filter({classes, depth}, 0), bias(classes)},
                                 tensor({1, classes}), 8, {{0, 1, activation()}});
    const std::int32_t out = tensor({1, classes});
    graph_.tensors.back().scales = {1.0F / 256};
    graph_.tensors.back().zeros = {-128};
    return op(kSoftmax, {made}, out, 9, {{0, 4, std::bit_cast<std::int32_t>(1.0F)}});
  }

  static constexpr std::int32_t kAdd = 0, kAveragePool = 1, kConcat = 2, kConv = 3, kDepthwise = 4;
  static constexpr std::int32_t kConnect = 9, kLogistic = 14, kMaxPool = 17, kMul = 18, kRelu = 19;
  static constexpr std::int32_t kRelu6 = 21, kReshape = 22, kSoftmax = 25, kTanh = 28, kPad = 34;
  static constexpr std::int32_t kMean = 40, kSub = 41, kNearest = 97, kLeaky = 98, kQuantize = 114;
  static constexpr std::int32_t kHardSwish = 117;

  Dice dice_;
  TfliteText model_;
  TfliteText::Subgraph graph_;
};

/// Networks that are compiled and run together, each with what it must come to.
class Batch {
 public:
  /// Adds a plan of a model; `seeds` are those of inputs.
  void add(const std::string& file, const RowPlan& plan, bool ascending, std::string about,
           const std::vector<std::uint64_t>& seeds) {
    const TfliteFile read(file);
    const auto model = test::must(rowModel(read, kC));
    const std::string prefix = "n" + std::to_string(networks_.size());
    test::CNetwork network{
        .prefix = prefix,
        .text = cText(read, model, plan, ascending, {prefix, prefix + ".h", "a */ b ?\?/\n"})};
    Case made{.about = std::move(about), .parts = partsOf(*plan.program, model)};
    for (const std::uint64_t seed : seeds) {
      const auto whole = test::runTflite(std::as_bytes(std::span(file)), seed);
      CAPTURE(made.about, seed);
      if (!whole) FAIL(whole.error());
      test::ByteLists inputs;
      for (const auto& each : whole->inputs) inputs.push_back(each.bytes);
      network.inputs.push_back(std::move(inputs));
      made.wanted.push_back(*whole);
    }
    networks_.push_back(std::move(network));
    cases_.push_back(std::move(made));
  }

  /// Takes the last one out again.
  void drop() {
    networks_.pop_back();
    cases_.pop_back();
  }
  std::size_t size() const { return networks_.size(); }

  /// Has call `number` of the last network read 16 bytes further down; false: none can.
  bool misplace(std::size_t number) {
    std::string& source = networks_.back().text.source;
    std::size_t at = source.find("_steps(struct");
    for (std::size_t i = 0; i <= number && at != std::string::npos; ++i) {
      at = source.find("_op_", source.find("if ((status = ", at + 1));
    }
    if (at == std::string::npos) return false;
    const std::size_t offset = source.find("(run, ", at) + 6;
    const std::size_t end = source.find_first_of(" ,", offset);
    const std::int64_t place = std::stoll(source.substr(offset, end - offset));
    if (place < 16) return false;
    source.replace(offset, end - offset, std::to_string(place - 16));
    return true;
  }

  /// Compiles and runs; by network the first difference in a row of a part or in an output.
  std::vector<std::string> differences(const std::vector<std::string>& options = {"-O1"}) const {
    const auto runs = test::must(test::runC(networks_, options));
    std::vector<std::string> found(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t turn = 0; turn < runs[i].size() && found[i].empty(); ++turn) {
        const test::TfliteExecution& wanted = cases_[i].wanted[turn];
        found[i] = differentRow(cases_[i], wanted, runs[i][turn]);
        const bool same = runs[i][turn].outputs == wanted.outputs;
        if (found[i].empty() && !same) found[i] = "an output";
      }
    }
    return found;
  }

  void check(const std::vector<std::string>& options = {"-O1"}) const {
    const std::vector<std::string> found = differences(options);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i, cases_[i].about);
      CHECK(found[i] == "");
    }
  }

 private:
  /// Rows of a tensor that a kernel makes.
  struct MadeRows {
    std::size_t tensor = 0;
    std::int64_t first = 0;
    std::int64_t rows = 0;
    std::int64_t rowBytes = 0;
  };
  struct Case {
    std::string about{};
    std::vector<MadeRows> parts{};
    std::vector<test::TfliteExecution> wanted{};
  };

  static std::vector<MadeRows> partsOf(const RowProgram& program, const RowModel& model) {
    std::vector<MadeRows> parts;
    const auto add = [&](const RowStep& step) {
      // What is copied without a kernel is not written down.
      constexpr std::string_view kCopied[] = {"CONCATENATION", "RESHAPE", "SLICE", "TRANSPOSE"};
      const bool copies = std::ranges::find(kCopied, model.ops[step.op].type) != std::end(kCopied);
      if (step.kind != RowStep::Kind::op || copies) return;
      const RowView& view = step.outputs[0];
      CHECK(step.garbage == 0);
      parts.push_back({view.tensor, view.first, view.rows, model.tensors[view.tensor].rowBytes});
    };
    for (const RowStep& step : program.steps()) {
      if (step.kind != RowStep::Kind::loop) add(step);
      if (step.kind != RowStep::Kind::loop) continue;
      const RowLoop& loop = *program.loop();
      for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
        for (std::size_t i = 0; i < loop.body.size(); ++i) {
          RowStep each = loop.body[i];
          each.outputs[0].first = loop.rows[i].first - turn * loop.rows[i].second;
          add(each);
        }
      }
    }
    return parts;
  }

  /// The first kernel that made other rows than the whole operator.
  static std::string differentRow(const Case& about, const test::TfliteExecution& wanted,
                                  const test::CRun& run) {
    std::map<std::size_t, const std::vector<std::byte>*> tensors;
    for (const auto& step : wanted.steps) {
      tensors[static_cast<std::size_t>(step.tensor)] = &step.bytes;
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < about.parts.size(); ++i) {
      const MadeRows& part = about.parts[i];
      const auto size = static_cast<std::size_t>(part.rows * part.rowBytes);
      const auto first = static_cast<std::size_t>(part.first * part.rowBytes);
      const std::vector<std::byte>& whole = *tensors.at(part.tensor);
      if (at + size > run.made.size() || first + size > whole.size()) return "too few bytes";
      if (std::memcmp(run.made.data() + at, whole.data() + first, size) != 0) {
        return "call " + std::to_string(i) + ", rows from " + std::to_string(part.first) +
               " on of tensor " + std::to_string(part.tensor);
      }
      at += size;
    }
    return at == run.made.size() ? "" : "more bytes than parts";
  }

  std::vector<test::CNetwork> networks_;
  std::vector<Case> cases_;
};

RowPlan planOf(const RowProgram& program, const std::vector<RowShape>& shapes) {
  const RowPlacer placer(shapes);
  return {.program = std::make_shared<const RowProgram>(program),
          .placement = placer.place(200),
          .bound = Bytes(placer.bound())};
}

TEST_CASE("C makes of every operator what its reference kernel makes", "[c]") {
  if (!test::hasCompiler()) return;
  Batch batch;
  std::map<int, int> written;
  for (int kind = 0; kind < test::tfl::drawnKinds(); ++kind) {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      CAPTURE(kind, seed);
      const std::string file = tfliteBytes(test::tfl::drawnOperator(kind, seed, false));
      const TfliteFile read(file);
      const auto model = rowModel(read, kC);
      if (!model) continue;
      const RowPlan plan =
          planOf(*RowProgram::make(*model, {}), *RowProgram::make(*model, {})->shapes(true));
      const auto text = unlessRefused([&]() -> Result<CText> {
        return cText(read, *model, plan, true, {"net", "net.h", "one"});
      });
      if (!text) {
        CHECK(text.error().message.starts_with("operator 0 ("));
        continue;
      }
      ++written[kind];
      batch.add(file, plan, true, "kind " + std::to_string(kind) + ", seed " + std::to_string(seed),
                {seed, seed + 100});
    }
  }
  batch.check();
  // All but LESS and DYNAMIC_UPDATE_SLICE.
  CHECK(written.size() == static_cast<std::size_t>(test::tfl::drawnKinds()) - 2);
  for (const auto& [kind, count] : written) {
    CAPTURE(kind, count);
    CHECK(count >= 4);
  }
}

TEST_CASE("C runs random networks in parts as whole operators do", "[c]") {
  if (!test::hasCompiler()) return;
  Batch batch;
  std::map<RowHalo, int> tried;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::string file = Int8Network(seed).bytes();
    const TfliteFile read(file);
    const auto model = test::must(rowModel(read, kC));
    Dice dice(seed);
    int added = 0;
    for (int attempt = 0; attempt < 12 && added < 3; ++attempt) {
      const auto last =
          static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(model.ops.size()) - 1));
      const auto halo = static_cast<RowHalo>(2 - attempt % 3);
      const std::int64_t height = model.tensors[model.ops[last].outputs[0]].rows;
      const RowRun run{
          .first = static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(last))),
          .last = last,
          .parts = halo == RowHalo::loop ? height / dice.roll(1, 3) : dice.roll(1, 8),
          .halo = halo};
      const bool ascending = dice.chance(50);
      const auto program = RowProgram::make(model, {run});
      if (!program) continue;
      const auto shapes = program->shapes(ascending);
      if (!shapes) continue;
      ++tried[run.halo];
      ++added;
      batch.add(file, planOf(*program, *shapes), ascending,
                "seed " + std::to_string(seed) + ", attempt " + std::to_string(attempt), {seed});
    }
  }
  batch.check();
  CHECK(tried[RowHalo::recompute] > 30);
  CHECK(tried[RowHalo::copy] > 30);
  CHECK(tried[RowHalo::loop] > 15);
}

TEST_CASE("a call in C that reads elsewhere is noticed", "[c]") {
  if (!test::hasCompiler()) return;
  Batch batch;
  for (std::uint64_t seed = 500; seed < 510; ++seed) {
    const std::string file = Int8Network(seed).bytes();
    const TfliteFile read(file);
    const auto model = test::must(rowModel(read, kC));
    const auto program = RowProgram::make(model, {});
    const RowPlan plan = planOf(*program, *program->shapes(false));
    for (std::size_t call = 0; call < 4; ++call) {
      batch.add(file, plan, false, "seed " + std::to_string(seed), {seed});
      if (!batch.misplace(call)) batch.drop();
    }
  }
  const std::vector<std::string> found = batch.differences();
  const auto noticed = std::ranges::count_if(found, [](const auto& each) { return !each.empty(); });
  CAPTURE(noticed);
  CHECK(found.size() > 12);
  // Rows of one number look alike anywhere.
  CHECK(noticed * 10 > std::ssize(found) * 8);
}

/// Adds a real model in C as it is chosen.
void addChosen(const std::string& file, bool ascending, const std::string& about, Batch& batch) {
  const TfliteFile read(file);
  const auto model = test::must(rowModel(read, kC));
  const RowFront front =
      searchRows(model, {.ascending = ascending, .extraMacs = 0.01, .threads = 2});
  CAPTURE(about, ascending);
  CHECK(front.points.front().total() < front.plain.total());
  CHECK(front.points.front().tail() == Bytes(0));
  batch.add(file, front.points.front(), ascending, about, {7});
}

TEST_CASE("published networks run in C as whole operators do", "[c]") {
  if (!test::hasCompiler()) return;
  Batch batch;
  addChosen(test::publishedFile("resnet8", 32), true, "ResNet-8", batch);
  if (!test::kSanitized) {
    addChosen(test::publishedFile("mobilenet_v2", 32), false, "MobileNetV2", batch);
  }
  batch.check({"-O2"});
}

TEST_CASE("models of the corpus run in C as whole operators do", "[c][corpus]") {
  if (!test::hasCompiler()) return;
  Batch batch;
  for (const char* name : {"kws_ref_model", "vww_96_int8", "person_detect."}) {
    if (!test::isTried(*name == 'k' ? 0 : 1)) continue;
    for (const auto& path : corpusFiles("tflite", name)) {
      addChosen(*readFile(path.string()), *name == 'p', name, batch);
    }
  }
  if (batch.size() > 0) batch.check({"-O2"});
}

/// A model of one operator, changed.
std::string changed(int kind, void (*change)(TfliteText&)) {
  TfliteText text = test::tfl::drawnOperator(kind, 4, false);
  change(text);
  return tfliteBytes(text);
}

TEST_CASE("what no kernel of C does is refused, naming operator and reason", "[c]") {
  const auto refusal = [](const std::string& file) {
    const auto made = shrinkForC(file, {"net", "net.h", "model"}, {});
    return made ? std::string() : made.error().text();
  };
  using Text = TfliteText;
  CHECK(refusal("TFL3") == "a C file is made of a TFLite file; this is none, or a bundle");
  const auto code = [](Text& text) { text.subgraphs[0].operators[0].code = 200; };
  CHECK(refusal(changed(8, code)).starts_with("operator 0 ("));
  CHECK(refusal(changed(8, code)).ends_with("): there is no kernel of it for C"));
  const auto floats = [](Text& text) {
    for (auto& tensor : text.subgraphs[0].tensors) tensor.type = 0, tensor.name = "x";
  };
  CHECK(refusal(changed(8, floats)) ==
        "operator 0 (RELU): tensor 'x' is of float32; expected int8");
  const auto bare = [](Text& text) {
    for (auto& tensor : text.subgraphs[0].tensors) {
      tensor.type = 9, tensor.name = "x", tensor.scales.clear(), tensor.zeros.clear();
    }
  };
  CHECK(refusal(changed(8, bare)) == "operator 0 (RELU): tensor 'x' has no scale");
  const auto zero = [](Text& text) {
    for (auto& tensor : text.subgraphs[0].tensors) {
      tensor.type = 9, tensor.name = "x", tensor.scales = {1}, tensor.zeros = {1'000'000};
    }
  };
  CHECK(refusal(changed(8, zero)) == "operator 0 (RELU): tensor 'x' has the zero point 1000000");

  const auto tight =
      test::must(shrinkForC(test::publishedFile("resnet8", 32), {"net", "net.h", "model"},
                            {.extraMacs = 0, .budget = Bytes(1000)}));
  CHECK_FALSE(tight.isWithinBudget());
  CHECK(tight.best().tail == Bytes(0));
  CHECK(tight.header.find(std::to_string(tight.best().total().count())) != std::string::npos);
}

TEST_CASE("names of C files become identifiers", "[c]") {
  CHECK(cFileNames("out/net.c", "a/b.tflite")->prefix == "net");
  CHECK(cFileNames("out/net.c", "a/b.tflite")->model == "b.tflite");
  CHECK(cFileNames("my-net.2.c", "x")->prefix == "my_net_2");
  CHECK(cFileNames("my-net.2.c", "x")->header == "my-net.2.h");
  CHECK(cFileNames("7.c", "x")->prefix == "n7");
  CHECK(cFileNames("_x.c", "x")->prefix == "n_x");
  CHECK_FALSE(cFileNames("a\"b.c", "x"));
  CHECK_FALSE(cFileNames("a\nb.c", "x"));
}

TEST_CASE("C of random networks reads and writes nothing that is not its own", "[c]") {
  if (!test::hasCompiler()) return;
  Batch batch;
  for (std::uint64_t seed = 300; seed < 300 + test::rounds(8); ++seed) {
    const std::string file = Int8Network(seed).bytes();
    const TfliteFile read(file);
    const auto model = test::must(rowModel(read, kC));
    const RowFront front = searchRows(model, {.ascending = seed % 2 == 0});
    batch.add(file, front.points.front(), seed % 2 == 0, "seed " + std::to_string(seed), {seed});
  }
  batch.check({"-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"});
}

}  // namespace
}  // namespace hw
