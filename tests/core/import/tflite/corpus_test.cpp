#include "tests/support/corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/import/importer.h"
#include "tests/support/must.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// name, lower, upper, size: names may repeat, so rows are counted.
using Row = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
using Rows = std::multiset<Row>;

Rows storedRows(const fs::path& folder, const std::string& problem) {
  std::map<std::string, std::string> names;
  std::ifstream table(folder / "problems" / (problem + ".tensors.tsv"));
  for (std::string line; std::getline(table, line);) {
    const auto cells = splitText(line, '\t');
    if (cells.size() > 1) names.emplace(cells[0], cells[1]);
  }
  Rows rows;
  const auto model = loadModel((folder / "problems" / (problem + ".csv")).string(), {});
  if (!model) return rows;
  for (const Stay& stay : model->problem->stays) {
    const std::string& id = model->graph->tensors[TensorId(stay.buffer.index())].name;
    rows.insert({names[id], stay.steps.begin.count(), stay.steps.end.count(), stay.size.count()});
  }
  return rows;
}

/// The lifetime problem as the corpus defines it, from producers and consumers alone.
Rows rowsOf(const Graph& graph) {
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(graph.ops.size()));
  Rows rows;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.constant || tensor.persistent || !tensor.bytes || tensor.bytes->count() == 0) {
      continue;
    }
    const auto step = [](OpId op) { return static_cast<std::int64_t>(op.index()); };
    const std::int64_t lower = tensor.producer ? step(tensor.producer) : 0;
    std::int64_t upper = tensor.consumers.empty() ? lower + 1 : step(tensor.consumers.back()) + 1;
    if (tensor.graphOutput) upper = steps;
    rows.insert({tensor.name, lower, upper, tensor.bytes->count()});
  }
  return rows;
}

struct Subject {
  std::string name{};      ///< Of the problem's files.
  std::string model{};     ///< Of the model's file.
  std::string subgraph{};  ///< Empty: the main one.
};

std::vector<Subject> problems(const fs::path& folder) {
  std::vector<Subject> found;
  for (const auto& entry : fs::directory_iterator(folder / "problems")) {
    if (entry.path().extension() != ".csv") continue;
    Subject problem{.name = entry.path().stem().string()};
    const auto at = problem.name.find("__sg");
    problem.model = problem.name.substr(0, at);
    if (at != std::string::npos) problem.subgraph = problem.name.substr(at + 4);
    if (fs::exists(folder / "tflite" / (problem.model + ".tflite"))) found.push_back(problem);
  }
  std::ranges::sort(found, {}, &Subject::name);
  return found;
}

std::string shown(const Rows& rows, const Rows& without) {
  Rows missing;
  std::ranges::set_difference(rows, without, std::inserter(missing, missing.end()));
  std::string text;
  for (const auto& [name, lower, upper, size] : missing) {
    if (text.size() > 400) return text + "…";
    text += "\n  " + name + " " + std::to_string(lower) + " " + std::to_string(upper) + " " +
            std::to_string(size);
  }
  return text.empty() ? "\n  none" : text;
}

}  // namespace

TEST_CASE("TFLite models agree with their independent lifetime problems", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  std::size_t exact = 0;
  std::size_t tensors = 0;
  const auto all = problems(*folder);
  for (const Subject& problem : all) {
    INFO(problem.name);
    const auto model = loadModel((*folder / "tflite" / (problem.model + ".tflite")).string(),
                                 {.subgraph = problem.subgraph, .closedBodies = true});
    if (!model) FAIL_CHECK(model.error().text());
    if (!model) continue;
    const Rows ours = rowsOf(*model->graph);
    const Rows theirs = storedRows(*folder, problem.name);
    INFO("only here:" << shown(ours, theirs) << "\nonly there:" << shown(theirs, ours));
    CHECK(ours == theirs);
    exact += ours == theirs ? 1 : 0;
    tensors += ours.size();
  }
  std::cout << "corpus: " << exact << " of " << all.size()
            << " TFLite problems reproduced exactly, " << tensors << " tensors\n";
  CHECK(!all.empty());
}

namespace {

/// What one file of the corpus is there to show.
struct Hazard {
  std::string file;
  /// Of the graph: operators, what runs ahead of time of them, tensors that persist, notes' text.
  std::size_t ops = 0;
  std::size_t folded = 0;
  std::size_t persistent = 0;
  std::string note{};
  /// Or how the file is refused.
  std::string error{};
};

const std::vector<Hazard>& hazards() {
  static const std::vector<Hazard> kHazards = {
      {.file = "derived_truncated_person_detect",
       .error = "the flatbuffer is cut short or damaged: "},
      {.file = "hz_git_lfs_pointer", .error = "the file is a Git LFS pointer"},
      {.file = "coral_mobilenet_v1_0.25_128_quant", .ops = 31, .note = "attached to the model"},
      {.file = "coral_mobilenet_v1_0.25_128_quant_edgetpu", .ops = 1, .note = "attached"},
      {.file = "tls_regex_one_embedding", .ops = 3, .note = "attached to the model"},
      {.file = "coral_model_invoking_error", .ops = 1},
      {.file = "aeq_duplicated_tensor_names", .ops = 6},
      {.file = "litert_constant_output_tensor", .ops = 1},
      {.file = "litert_group_norm", .ops = 1, .note = "6 weights lie behind the flatbuffer"},
      {.file = "litert_qualcomm_precompiled", .ops = 1},
      {.file = "litert_blockwise_quantized", .ops = 1},
      {.file = "litert_gather_string", .ops = 1},
      {.file = "litert_multi_signature_model", .ops = 1, .note = "--subgraph chooses among"},
      {.file = "aeq_toy_kv_cache_multi_sig", .ops = 97, .note = "--subgraph chooses among"},
      {.file = "litert_simple_add_dynamic_shape", .ops = 1, .note = "free dimension 0 of input"},
      {.file = "person_detect_vela", .ops = 1, .note = "a plan of its own with 4 offsets"},
      {.file = "derived_person_detect_offline", .ops = 31, .note = "a plan of its own"},
      {.file = "keyword_scrambled", .ops = 15, .persistent = 7},
      {.file = "dtln_noise_suppression", .ops = 4, .persistent = 4},
      {.file = "mww_hey_jarvis_v2", .ops = 45, .persistent = 6},
      {.file = "mww_alexa_v1", .ops = 90, .persistent = 11},
      {.file = "mp_face_landmark_with_attention", .ops = 712, .folded = 371},
      {.file = "mp_face_detection_full_range_sparse", .ops = 388, .folded = 228},
      {.file = "tls_whitespace_tokenizer", .ops = 1},
      {.file = "tls_whitespace_tokenizer_flex", .ops = 111},
      {.file = "litert_with_custom_op", .ops = 2},
  };
  return kHazards;
}

}  // namespace

TEST_CASE("every TFLite hazard is the right graph or a sentence", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  for (const Hazard& hazard : hazards()) {
    INFO(hazard.file);
    const auto model = loadModel((*folder / "tflite" / (hazard.file + ".tflite")).string(),
                                 {.closedBodies = true});
    CHECK(model.has_value() == hazard.error.empty());
    if (!model) {
      INFO(model.error().text());
      CHECK(model.error().text().starts_with(hazard.error));
      CHECK(model.error().text().find('\n') == std::string::npos);
      continue;
    }
    const Graph& graph = *model->graph;
    CHECK(graph.ops.size() == hazard.ops);
    CHECK(std::ranges::count_if(graph.ops, &Op::folded) ==
          static_cast<std::ptrdiff_t>(hazard.folded));
    CHECK(std::ranges::count_if(graph.tensors, &Tensor::persistent) ==
          static_cast<std::ptrdiff_t>(hazard.persistent));
    CHECK(std::ranges::any_of(graph.notes, [&](const std::string& note) {
            return note.find(hazard.note) != std::string::npos;
          }) == (!hazard.note.empty() || !graph.notes.empty()));
  }
}

TEST_CASE("a TFLite model under a wrong name is one all the same", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const auto model =
      test::must(loadModel((*folder / "onnx" / "derived_tflite_named_onnx.onnx").string(), {}));
  CHECK(model.format == "tflite");
  CHECK(model.graph->ops.size() == 3);
}

TEST_CASE("shapes worked out agree with those that are stored", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  // Inputs twice as deep in their first dimension: everything must follow, and back at the stored
  // size it must be what is stored.
  std::size_t known = 0;
  std::size_t all = 0;
  std::size_t models = 0;
  std::map<std::string, int> causes;
  for (const auto& entry : fs::directory_iterator(*folder / "tflite")) {
    const auto plain = loadModel(entry.path().string(), {});
    if (!plain || plain->graph->inputs.empty()) continue;
    ImportOptions options;
    for (const TensorId id : plain->graph->inputs) {
      const Tensor& input = plain->graph->tensors[id];
      if (!input.shape || input.shape->size() < 2 || (*input.shape)[0] != 1) continue;
      options.dimensions[input.name + "[0]"] = 2;
    }
    const auto twice = loadModel(entry.path().string(), options);
    INFO(entry.path());
    CHECK((twice || twice.error().code == ErrorCode::invalidArgument));
    if (!twice || options.dimensions.empty()) continue;
    ++models;
    for (const Tensor& tensor : twice->graph->tensors) {
      if (tensor.constant || tensor.persistent || tensor.dtype == Dtype::string) continue;
      ++all;
      known += tensor.shape ? 1 : 0;
      if (!tensor.shape) ++causes[tensor.unknownReason.substr(0, 60)];
    }
  }
  std::cout << "corpus: with another batch, " << known << " of " << all
            << " TFLite tensors are known in " << models << " models\n";
  if (std::getenv("HIGHWATER_VERBOSE") != nullptr) {
    for (const auto& [cause, count] : causes) std::cout << "  " << count << ' ' << cause << '\n';
  }
  // A RESHAPE to fixed sizes and custom operators cannot follow.
  CHECK(known * 100 >= all * 70);
}

}  // namespace hw
