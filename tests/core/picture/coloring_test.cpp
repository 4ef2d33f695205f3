#include "core/picture/coloring.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/graphs.h"
#include "tests/support/rounds.h"

namespace hw {

namespace {

/// How many shades above the first a number is, told by comparing: each of `factor` times the one
/// before, the second from `least` on.
std::size_t shadeAbove(std::int64_t number, std::int64_t least, std::int64_t factor) {
  std::size_t shade = 0;
  for (std::int64_t from = least; number >= from && shade + 1 < kShadeClasses; from *= factor) {
    ++shade;
  }
  return shade;
}

std::size_t shadeOf(const Coloring& coloring, const Run& run, StayId stay) {
  return static_cast<std::size_t>(coloring.of(run, stay)) - kBlockClasses;
}

/// A step at a time: the longest time in the life of a stay that passes without anybody who writes
/// or reads its buffer, as long as there is one who does after it.
std::int64_t waitOf(const Run& run, StayId id) {
  const Stay& stay = run.problem.stays[id];
  std::int64_t most = 0;
  std::int64_t waiting = 0;
  for (Step step = stay.steps.begin; step < stay.steps.end; step += Step(1), ++waiting) {
    const OpId op = run.schedule.opAt(step);
    bool touched = false;
    for (const TensorId tensor : run.storage.tensorsOf(stay.buffer)) {
      const Tensor& own = run.graph().tensors[tensor];
      touched |= own.producer == op || std::ranges::count(own.consumers, op) > 0;
    }
    if (!touched || run.graph().ops[op].folded) continue;
    most = std::max(most, waiting);
    waiting = 0;
  }
  return most;
}

}  // namespace

TEST_CASE("colours by size and by use are those of what they say", "[coloring]") {
  for (std::uint64_t round = 0; round < test::rounds(60); ++round) {
    CAPTURE(round);
    const auto run = test::runGraph(test::randomGraph(round, 30), {.alias = AliasRules::all()});
    std::int64_t greatest = 1;
    for (const Stay& stay : run->problem.stays) greatest = std::max(greatest, stay.size.count());
    std::int64_t least = 1;
    while (least * 1024 <= greatest) least *= 4;  // The last of six begins four shades above it.
    while (least * 256 > greatest && least > 1) least /= 4;
    const Coloring bySize(*run, ColorBy::size);
    const Coloring byUse(*run, ColorBy::use);
    for (const StayId stay : run->problem.stays.keys()) {
      const Bytes size = run->problem.stays[stay].size;
      CAPTURE(stay.index(), size.count(), waitOf(*run, stay));
      CHECK(shadeOf(bySize, *run, stay) == shadeAbove(size.count(), least, 4));
      CHECK(shadeOf(byUse, *run, stay) == shadeAbove(waitOf(*run, stay), 2, 2));
    }
  }
}

TEST_CASE("colours by scope go by the names of operators, in their order", "[coloring]") {
  test::DrawnGraph drawn{.tensors = {{"in", 16}}, .inputs = {"in"}};
  std::string last = "in";
  // Ten scopes of three operators share seven colours.
  for (int scope = 0; scope < 10; ++scope) {
    for (int op = 0; op < 3; ++op) {
      const std::string out = "t" + std::to_string(scope) + std::to_string(op);
      drawn.tensors.push_back({out, 16});
      drawn.ops.push_back("block" + std::to_string(scope) + ".op" + std::to_string(op) + ": Exp " +
                          last + " -> " + out);
      last = out;
    }
  }
  drawn.outputs = {last};
  const auto run = test::runGraph(test::drawnGraph(drawn));
  const Coloring coloring(*run, ColorBy::scope);
  std::map<std::size_t, std::string> names;
  for (const OpId op : run->graph().ops.keys()) {
    const BlockClass kind = coloring.of(*run, op);
    CHECK(static_cast<std::size_t>(kind) == op.index() / 3 * 7 / 10);
    names[static_cast<std::size_t>(kind)] = coloring.name(kind);
  }
  CHECK(names == std::map<std::size_t, std::string>{{0, "block0 to block1"},
                                                    {1, "block2"},
                                                    {2, "block3 to block4"},
                                                    {3, "block5"},
                                                    {4, "block6 to block7"},
                                                    {5, "block8"},
                                                    {6, "block9"}});
}

TEST_CASE("a run without operators has colours by size, and one colour else", "[coloring]") {
  Problem problem;
  problem.steps = Step(2);
  problem.pools.add({.name = "L2"});
  for (const std::int64_t size : {1, 100, 5'000}) {
    problem.stays.add({.steps = {Step(0), Step(2)}, .size = Bytes(size)});
  }
  const auto run = test::runProblem(problem);
  const auto classes = [&](ColorBy by) { return Coloring(*run, by).classesOf(*run).size(); };
  CHECK(classes(ColorBy::size) == 3);
  for (const ColorBy by : {ColorBy::type, ColorBy::scope, ColorBy::use}) CHECK(classes(by) == 1);
}

TEST_CASE("operators of a domain without rules are coloured by their types", "[coloring]") {
  for (const char* domain : {"", "ort-profile", "somebody.else"}) {
    CAPTURE(domain);
    Op op;
    op.domain = domain;
    op.type = "Conv";
    CHECK(blockClass(op) == BlockClass::convolution);
    op.type = "Concat";
    CHECK(blockClass(op) == BlockClass::movement);
    op.type = "NothingKnown";
    CHECK(blockClass(op) == BlockClass::elements);
  }
}

}  // namespace hw
