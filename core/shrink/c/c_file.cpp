#include "core/shrink/c/c_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/c_words.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/shrink/c/c_operators.h"
#include "core/shrink/c/kernel_texts.h"
#include "core/shrink/tflm/int8_input.h"

namespace hw {
namespace {

std::string upperCase(std::string text) {
  for (char& each : text) {
    if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 'a' + 'A');
  }
  return text;
}

constexpr std::string_view kAscendingOrder =
    R"( * Outputs lie over rows of inputs that nobody reads any more. Kernels must make rows from
 * the top to the bottom and write a row after all that it is made of has been read, as the
 * reference kernels do. CMSIS-NN does not: for it, write this file again without
 * --kernels ascending.
)";
constexpr std::string_view kOnlyAscending = R"(#ifdef HIGHWATER_CMSIS_NN
#error "the arena is for kernels that make rows from the top to the bottom"
#endif
)";
constexpr std::string_view kAnyOrder =
    R"( * With CMSIS-NN: compile with -DHIGHWATER_CMSIS_NN, give @net@_cmsis_nn_kernels, and as
 * scratch an array of @net@_scratch_bytes(&@net@_cmsis_nn_kernels) bytes at a multiple of 16.
 * Kernels may read and write in any order: inputs and outputs of a call never share bytes.
)";

constexpr std::string_view kEntered = R"(
static int32_t @net@_entered(struct @net@_run *run, int32_t size) {
  if (size > run->most) run->most = size;
  return run->arena != 0 && size > run->scratch_bytes ? ARM_CMSIS_NN_ARG_ERROR : 0;
}
)";

constexpr std::string_view kGather =
    R"(
static void @net@_gather(const int8_t *from, const int32_t *sizes,
                         const int32_t *strides, int8_t *to) {
  int32_t n, y, x, c;
  for (n = 0; n < sizes[0]; ++n) {
    for (y = 0; y < sizes[1]; ++y) {
      for (x = 0; x < sizes[2]; ++x) {
        for (c = 0; c < sizes[3]; ++c) {
          *to++ = from[n * strides[0] + y * strides[1] + x * strides[2] + c * strides[3]];
        }
      }
    }
  }
}
)";

constexpr std::string_view kCopy =
    R"(
static int32_t @net@_copy(struct @net@_run *run, int32_t in, int32_t out, int32_t bytes) {
  if (run->arena != 0) memcpy(run->arena + out, run->arena + in, (size_t)bytes);
  return 0;
}
)";

class CFileWriter {
 public:
  CFileWriter(const TfliteFile& file, const RowModel& model, const RowPlan& plan, bool ascending,
              const CFileNames& names)
      : file_(file),
        graph_(file.subgraph(0)),
        model_(model),
        plan_(plan),
        program_(*plan.program),
        ascending_(ascending),
        names_(names),
        needs_{.arrays = CArrays(names.prefix)} {}

  CText write() {
    if (plan_.placement.head > std::numeric_limits<std::int32_t>::max()) {
      refuse("an arena of more than 2 GiB has no offsets of 32 bits", {}, ErrorCode::unsupported);
    }
    std::string functions;
    for (std::size_t op = 0; op < model_.ops.size(); ++op) functions += function(op);
    const std::string called = steps();
    const auto calls = [&](const std::string& text, const char* function) {
      return text.find(names_.prefix + function + "(") != std::string::npos;
    };
    std::string helpers;
    if (calls(functions, "_entered")) helpers += kEntered;
    if (calls(functions, "_gather")) helpers += kGather;
    if (calls(called, "_copy")) helpers += kCopy;
    const std::string ends = sizes();
    return {.source = filled(kNetworkSource, {{"@order@", ascending_ ? kOnlyAscending : ""},
                                              {"@helpers@", helpers},
                                              {"@arrays@", needs_.arrays.text()},
                                              {"@functions@", functions},
                                              {"@steps@", called},
                                              {"@kernels@", kReferenceKernels}}),
            .header = filled(kNetworkHeader, {{"@order@", ascending_ ? kAscendingOrder : kAnyOrder},
                                              {"@types@", kKernelTypes},
                                              {"@sizes@", ends}}),
            .calls = calls_,
            .constants = needs_.arrays.bytes()};
  }

 private:
  using Names = std::vector<std::pair<std::string_view, std::string_view>>;
  /// `text` with `values`, and then the network's names.
  std::string filled(std::string_view text, Names values) const {
    std::string missing;
    for (const std::string& kernel : needs_.kernels) missing += " || kernels->" + kernel + " == 0";
    std::string entries = fmt::format("{}", fmt::join(needs_.kernels, ", "));
    if (entries.empty()) entries = "none";
    const std::string upper = upperCase(names_.prefix);
    const std::string header = cComment(names_.header);
    const std::string model = cComment(names_.model);
    const Names names = {{"@missing@", missing},   {"@entries@", entries},
                         {"@net@", names_.prefix}, {"@NET@", upper},
                         {"@header@", header},     {"@version@", HIGHWATER_VERSION},
                         {"@model@", model}};
    values.insert(values.end(), names.begin(), names.end());
    std::string made(text);
    for (const auto& [name, value] : values) {
      for (std::size_t at = 0; (at = made.find(name, at)) != std::string::npos;
           at += value.size()) {
        made.replace(at, name.size(), value);
      }
    }
    return made;
  }

  std::string function(std::size_t op) {
    functions_.push_back(cFunction(file_, model_, op, names_.prefix, needs_));
    const CFunction& made = functions_.back();
    std::string parameters;
    for (std::size_t i = 0; i < made.operands.size(); ++i) {
      parameters += fmt::format(", int32_t in{}", i);
    }
    if (made.windowed) parameters += ", int32_t in_rows, int32_t top";
    parameters += ", int32_t out";
    if (made.byRows) parameters += ", int32_t rows";
    const std::size_t output = model_.ops[op].outputs[0];
    return fmt::format(
        "\n/* operator {}, {}: {} */\nstatic int32_t {}_op_{}(struct {}_run *run{}) {{\n{}}}\n", op,
        cComment(model_.ops[op].type), cComment(graph_.tensors[output].name), names_.prefix, op,
        names_.prefix, parameters, made.body);
  }

  std::int64_t offset(const RowView& view) const {
    return plan_.placement.offsets[view.block] + view.first * program_.rowBytes(view.block);
  }
  /// Where a view lies, in the body of a loop by its turn.
  std::string place(const RowView& view, const RowLoop* loop) const {
    if (loop == nullptr) return std::to_string(offset(view));
    const RowView first = loop->placed(view, program_, 0);
    const std::int64_t less = loop->rowsPerTurn(view) * program_.rowBytes(first.block);
    return less == 0 ? std::to_string(offset(first))
                     : fmt::format("{} - turn * {}", offset(first), less);
  }

  std::string call(const RowStep& step, const RowLoop* loop) {
    ++calls_;
    if (step.kind == RowStep::Kind::copy) {
      const RowView& from = step.inputs[0];
      return fmt::format("{}_copy(run, {}, {}, {})", names_.prefix, place(from, loop),
                         place(step.outputs[0], loop), from.rows * program_.rowBytes(from.block));
    }
    const CFunction& made = functions_[step.op];
    std::string arguments = "run";
    for (const std::size_t operand : made.operands) {
      arguments += ", " + place(*std::ranges::find(step.inputs, operand, &RowView::tensor), loop);
    }
    if (made.windowed) {
      const std::int64_t top =
          step.padding ? step.padding->first : model_.ops[step.op].geometry->padTop;
      arguments += fmt::format(", {}, {}", step.inputs[0].rows, top);
    }
    arguments += ", " + place(step.outputs[0], loop);
    if (made.byRows) arguments += fmt::format(", {}", step.outputs[0].rows);
    return fmt::format("{}_op_{}({})", names_.prefix, step.op, arguments);
  }

  std::string steps() {
    const auto checked = [&](const RowStep& step, const RowLoop* loop) {
      return fmt::format("if ((status = {}) != 0) return status;\n", call(step, loop));
    };
    std::string made = fmt::format(
        "\nstatic int32_t {0}_steps(struct {0}_run *run) {{\n"
        "  int32_t status;\n{1}",
        names_.prefix, program_.loop() ? "  int32_t turn;\n" : "");
    for (const RowStep& step : program_.steps()) {
      if (step.kind != RowStep::Kind::loop) {
        made += "  " + checked(step, nullptr);
        continue;
      }
      const RowLoop& loop = *program_.loop();
      made += fmt::format("  for (turn = 0; turn < {}; ++turn) {{\n", loop.turns);
      for (const RowStep& inner : loop.body) made += "    " + checked(inner, &loop);
      made += "  }\n";
    }
    return made + "  return 0;\n}\n";
  }

  /// What the caller needs to know of the arena, inputs and outputs.
  std::string sizes() const {
    const std::string name = upperCase(names_.prefix);
    std::string made = fmt::format("#define {0}_ARENA_BYTES {1}\n#define {0}_ARENA_ALIGNMENT 16\n",
                                   name, std::max<std::int64_t>(16, plan_.placement.head));
    for (const auto& [list, what] :
         {std::pair(&graph_.inputs, "INPUT"), std::pair(&graph_.outputs, "OUTPUT")}) {
      made += fmt::format("\n#define {}_{}S {}\n", name, what, list->size());
      for (std::size_t i = 0; i < list->size(); ++i) {
        made +=
            endpoint(fmt::format("{}_{}_{}", name, what, i), static_cast<std::size_t>((*list)[i]));
      }
    }
    return made;
  }

  std::string endpoint(const std::string& name, std::size_t index) const {
    const TfliteTensor& tensor = graph_.tensors[index];
    if (model_.tensors[index].stored) {
      refuse(fmt::format("input or output '{}' is a weight", printable(tensor.name, 80)), {},
             ErrorCode::unsupported);
    }
    const std::string shape = fmt::format("{}", fmt::join(tensor.shape, " x "));
    const TfliteQuantization units = file_.quantization(0, index);
    const RowView whole = program_.whole(index);
    std::string made = fmt::format(
        "/* \"{}\", {}, {} */\n#define {}_OFFSET {}\n#define {}_BYTES {}\n", cComment(tensor.name),
        dtypeName(tfliteDtype(tensor.type)), shape.empty() ? "1" : shape, name, offset(whole), name,
        model_.tensors[index].bytes());
    if (units.scales.size() == 1) {
      made += fmt::format("#define {}_SCALE {}\n#define {}_ZERO_POINT ({})\n", name,
                          cReal(units.scales[0]), name, units.zeros.empty() ? 0 : units.zeros[0]);
    }
    return made;
  }

  const TfliteFile& file_;
  const TfliteSubgraph& graph_;
  const RowModel& model_;
  const RowPlan& plan_;
  const RowProgram& program_;
  bool ascending_;
  const CFileNames& names_;
  CNeeds needs_;
  std::vector<CFunction> functions_;  ///< By operator.
  std::size_t calls_ = 0;
};

class CShrinker : public RowShrinker {
 public:
  CShrinker(std::string_view bytes, const CFileNames& names, const RuntimeSearchOptions& options)
      : RowShrinker(RuntimeKind::c, options),
        file_(bytes),
        names_(names),
        ascending_(options.ascending) {}

  Result<RuntimeShrink> find() {
    HW_TRY(model, rowModel(file_, {.pointer = 0, .told = true}));
    model_ = &model;
    // What no kernel does is told before the search.
    CNeeds needs{.arrays = CArrays(names_.prefix)};
    for (std::size_t op = 0; op < model.ops.size(); ++op) {
      cFunction(file_, model, op, names_.prefix, needs);
    }
    addPlans(model);
    return finish();
  }

 private:
  RuntimeWay measure(const RowPlan& plan) override {
    std::size_t calls = plan.program->steps().size();
    if (plan.program->loop()) calls += plan.program->loop()->body.size() - 1;
    return {.head = plan.head(), .operators = calls};
  }

  void write(const RowPlan* plan, RuntimeShrink& made) override {
    CText text = cText(file_, *model_, *plan, ascending_, names_);
    made.notes.push_back(fmt::format("{} of text, {} of them constants when compiled",
                                     formatBytes(Bytes(std::ssize(text.source))),
                                     formatBytes(Bytes(text.constants))));
    if (!ascending_) {
      made.notes.emplace_back(
          "kernels may read and write in any order, as CMSIS-NN's do; --kernels ascending, for the "
          "reference kernels, may need less");
    }
    made.file = std::move(text.source);
    made.header = std::move(text.header);
  }

  TfliteFile file_;
  const CFileNames& names_;
  bool ascending_;
  const RowModel* model_ = nullptr;
};

}  // namespace

Result<CFileNames> cFileNames(std::string_view path, const std::string& model) {
  path = path.substr(path.find_last_of('/') + 1);
  const std::string stem(path.substr(0, path.find_last_of('.')));
  std::string prefix = stem;
  for (char& each : prefix) {
    if (!isCLetter(each) && !isCDigit(each)) each = '_';
  }
  // Names that begin with "_" are the compiler's, those with a digit are none.
  if (prefix.empty() || !isCLetter(prefix[0])) prefix = "n" + prefix;
  if (cComment(stem) != stem) {
    return fail(ErrorCode::invalidArgument,
                "its header is included by name; expected letters, digits, '_', '-' and '.'");
  }
  return CFileNames{std::move(prefix), stem + ".h", model.substr(model.find_last_of('/') + 1)};
}

CText cText(const TfliteFile& file, const RowModel& model, const RowPlan& plan, bool ascending,
            const CFileNames& names) {
  return CFileWriter(file, model, plan, ascending, names).write();
}

Result<RuntimeShrink> shrinkForC(std::string_view file, const CFileNames& names,
                                 const RuntimeSearchOptions& options) {
  if (!acceptsTflite(file)) {
    return fail(ErrorCode::invalidArgument,
                "a C file is made of a TFLite file; this is none, or a bundle");
  }
  return unlessRefused([&] {
    return searchInputs(file, options,
                        [&](std::string_view bytes, const RuntimeSearchOptions& wanted) {
                          return CShrinker(bytes, names, wanted).find();
                        });
  });
}

}  // namespace hw
