#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"

// Our own plan JSON, without its model: who lies where and when. The reader of plans that are held
// against a model is core/plan_file/plan_reader.h; this one needs none.

namespace hw {
namespace {

constexpr std::size_t kMostPlanPools = 256;
/// Of one tensor in one pool, that an alias is looked for in: more are a file that wants our time.
constexpr std::size_t kMostPlaces = 1000;

/// The rows that are placed in one pool.
struct OwnPool {
  std::string name{};
  Bytes size{};  ///< Of all rows together.
  std::vector<PlannedRow> rows{};
  std::multimap<std::string, std::size_t, std::less<>> byTensor{};  ///< Into `rows`.
};

class OwnPlanReader {
 public:
  OwnPlanReader(const ParsedJson& document, const JsonLists& lists)
      : root_{document}, lists_(lists) {}

  Result<Model> read(const std::string& wanted) {
    const auto version = root_.object().count("version", std::numeric_limits<std::int64_t>::max());
    if (version && *version != 1) {
      refuse(fmt::format("plan JSON of version {} is not known; this program reads version 1",
                         *version),
             "version", ErrorCode::unsupported);
    }
    if (const auto model = root_.find("model")) plan_.name = model->object().text("name");
    lists_.forEach(root_, "placements", [&](const JsonNode& node) { readPlacement(node, false); });
    // Whoever shares a tensor's bytes may be the last to need them.
    lists_.forEach(root_, "placements", [&](const JsonNode& node) { readPlacement(node, true); });
    if (pools_.empty()) return fail(ErrorCode::malformed, "the plan places nothing", "placements");
    for (OwnPool& pool : pools_) liveAllTheTime(pool);
    return choose(wanted);
  }

 private:
  OwnPool& poolOf(const JsonNode& node) {
    std::string name = node.text("pool");
    if (name.empty()) name = "L2";
    const auto known = std::ranges::find(pools_, name, &OwnPool::name);
    if (known != pools_.end()) return *known;
    if (pools_.size() >= kMostPlanPools) {
      node.refuse("the plan has more than {} pools", kMostPlanPools);
    }
    return pools_.emplace_back(OwnPool{.name = std::move(name)});
  }

  void readPlacement(const JsonNode& node, bool aliases) {
    const std::string root = node.object().text("alias_of");
    if (root.empty() == aliases) return;
    PlannedRow row{.name = node.text("tensor"), .offset = node.bytes("offset")};
    const auto size = node.bytes("size");
    if (row.name.empty() || !row.offset || !size) {
      node.expected("a tensor with an offset and a size");
    }
    row.size = *size;
    const auto first = node.step("first");
    const auto last = node.step("last");
    row.lifeUnknown = !first || !last;
    if (!row.lifeUnknown) {
      row.first = first->count();
      row.last = last->count();
      end_ = std::max(end_, row.last);
    }
    OwnPool& pool = poolOf(node);
    if (aliases && joins(pool, root, row)) return;
    pool.size = std::min(pool.size, kMaxBytes) + row.size;
    pool.byTensor.emplace(row.name, pool.rows.size());
    pool.rows.push_back(std::move(row));
  }

  /// Makes the tensor that has the bytes of `alias` live as long as that; false where it is not
  /// there, or at another time.
  static bool joins(OwnPool& pool, const std::string& root, const PlannedRow& alias) {
    const auto [from, to] = pool.byTensor.equal_range(root);
    std::size_t looked = 0;
    for (auto at = from; at != to && looked < kMostPlaces; ++at, ++looked) {
      PlannedRow& row = pool.rows[at->second];
      const bool inside =
          *alias.offset >= *row.offset && *alias.offset + alias.size <= *row.offset + row.size;
      const bool meets = row.lifeUnknown || alias.lifeUnknown ||
                         (alias.first <= row.last + 1 && row.first <= alias.last + 1);
      if (!inside || !meets) continue;
      row.first = std::min(row.first, alias.first);
      row.last = std::max(row.last, alias.last);
      return true;
    }
    return false;
  }

  void liveAllTheTime(OwnPool& pool) const {
    for (PlannedRow& row : pool.rows) {
      if (!row.lifeUnknown) continue;
      row.first = 0;
      row.last = end_;
    }
  }

  Result<Model> choose(const std::string& wanted) {
    plan_.format = "plan-json";
    plan_.unknown = {"operators"};
    for (const OwnPool& pool : pools_) plan_.pools.push_back({pool.name, printable(pool.name, 80)});
    const auto fullest = std::ranges::max_element(pools_, {}, &OwnPool::size);
    HW_TRY(chosen, choosePool(plan_, wanted, static_cast<std::size_t>(fullest - pools_.begin())));
    plan_.rows = std::move(pools_[chosen].rows);
    const std::string maker = root_.text("allocator");
    const std::string status = root_.text("status");
    if (!maker.empty()) {
      plan_.notes.push_back(fmt::format("it was made by {}{}", printable(maker, 80),
                                        status.empty() ? "" : " and is " + printable(status, 40)));
    }
    plan_.notes.push_back(
        fmt::format("{} itself is not in the file: 'highwater check MODEL FILE' holds the plan "
                    "against it, and so does the studio when the file is dropped on the model",
                    plan_.name.empty() ? "the model" : "'" + printable(plan_.name, 80) + "'"));
    return planModel(std::move(plan_));
  }

  JsonNode root_;
  const JsonLists& lists_;
  PlannedRows plan_;
  std::vector<OwnPool> pools_;
  std::int64_t end_ = 0;
};

}  // namespace

bool acceptsOwnPlan(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 4096;
  const std::string_view text = withoutByteOrderMark(bytes);
  return opensObject(text) && text.substr(text.find('{'), kLookedAt).find("\"highwater-plan\"") !=
                                  std::string_view::npos;
}

Result<Model> readOwnPlan(std::string_view bytes, const ImportOptions& options) {
  const JsonLists lists{withoutByteOrderMark(bytes), kPlanLists};
  HW_TRY(document, parseJson(lists.text, lists.keys));
  return unlessRefused([&] { return OwnPlanReader(document, lists).read(options.subgraph); });
}

}  // namespace hw
