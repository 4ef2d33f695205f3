#include "core/report/study/study_engine.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <istream>
#include <memory>
#include <ostream>
#include <set>

#include "core/base/json.h"
#include "core/files/process.h"
#include "core/import/samples.h"
#include "core/report/text/text_table.h"
#include "core/run/stages.h"

namespace hw {
namespace {

using Watch = std::chrono::steady_clock;

double secondsSince(Watch::time_point start) {
  return std::chrono::duration<double>(Watch::now() - start).count();
}

/// At most so many runs are given to a worker at once, so that none waits long for another.
constexpr std::size_t kMostAtOnce = 64;
/// A worker is given this part of its share of what is left, so that all end together.
constexpr std::size_t kPartsOfWork = 4;
/// Between two writings of results.
constexpr double kWriteSeconds = 0.5;
constexpr std::size_t kMostUnwritten = 2'000;
/// Workers that may die one after the other without being at a run.
constexpr int kMostStillborn = 3;

Value valueOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  return {};
}

/// [number, state, error, seconds, [figures]]; nothing: it is something else.
std::optional<StudyResult> resultOf(const Json& json) {
  if (!json.is_array() || json.size() != 5 || !json[0].is_number_unsigned()) return std::nullopt;
  StudyResult result{.number = json[0].get<std::size_t>(),
                     .state = static_cast<StudyState>(json[1].get<int>()),
                     .error = json[2].get<std::string>(),
                     .seconds = json[3].get<double>()};
  for (const Json& figure : json[4]) result.figures.push_back(valueOf(figure));
  return result;
}

Json jsonOf(const StudyResult& result) {
  Json figures = jsonList(result.figures, [&](const Value& figure) { return figure.json(); });
  return Json::array({result.number, static_cast<int>(result.state), result.error, result.seconds,
                      std::move(figures)});
}

/// A worker and the runs that it has to do.
struct Worker {
  explicit Worker(ChildProcess started) : process(std::move(started)) {}

  ChildProcess process;
  std::string unread{};                  ///< Of its output: what is no whole line yet.
  std::deque<std::size_t> given{};       ///< Runs without a result.
  std::optional<std::size_t> running{};  ///< The one that it is at.
};

class StudyEngine {
 public:
  StudyEngine(const StudyRuns& runs, const std::vector<std::size_t>& numbers, StudyResults& results,
              const StudyWork& work)
      : runs_(runs),
        left_(numbers.begin(), numbers.end()),
        all_(numbers.size()),
        results_(results),
        work_(work),
        first_(jsonLine(Json{{"study", work.text.study},
                             {"folder", work.text.folder},
                             {"plugins", work.text.plugins == Plugins::allow}}) +
               "\n") {}

  Result<StudyTally> run() {
    while (tally_.done + unwritten_.size() < all_ && !work_.stop.stop_requested()) {
      while (workers_.size() < workerCount() && !left_.empty()) HW_DO(start());
      HW_DO(listen());
      HW_DO(write(false));
    }
    HW_DO(write(true));
    for (Worker& worker : workers_) worker.process.end(worker.given.empty());
    return tally_;
  }

 private:
  std::size_t workerCount() const { return static_cast<std::size_t>(std::max(work_.workers, 1)); }

  Result<void> start() {
    HW_TRY(process, ChildProcess::start(work_.worker));
    workers_.emplace_back(std::move(process));
    workers_.back().process.write(first_);
    give(workers_.back());
    return {};
  }

  /// Some runs of one model, as far as there are any.
  void give(Worker& worker) {
    Json numbers = Json::array();
    atOnce_ =
        std::clamp<std::size_t>(left_.size() / (workerCount() * kPartsOfWork), 1, kMostAtOnce);
    const std::string* model = left_.empty() ? nullptr : &runs_.modelOf(left_.front());
    while (numbers.size() < atOnce_ && !left_.empty() && runs_.modelOf(left_.front()) == *model) {
      numbers.push_back(left_.front());
      worker.given.push_back(left_.front());
      left_.pop_front();
    }
    // A worker that reads no more has ended, which its output tells.
    if (!numbers.empty()) worker.process.write(jsonLine(numbers) + "\n");
  }

  /// Waits until a worker says something, or for a moment.
  Result<void> listen() {
    std::vector<pollfd> waits;
    for (const Worker& worker : workers_) waits.push_back({worker.process.output(), POLLIN, 0});
    constexpr int kMilliseconds = 100;
    if (poll(waits.data(), waits.size(), kMilliseconds) <= 0) return {};
    for (std::size_t i = waits.size(); i-- > 0;) {
      if (waits[i].revents == 0) continue;
      Worker& worker = workers_[i];
      const bool lives = worker.process.read(worker.unread);
      hear(worker);
      if (lives) continue;
      HW_DO(bury(worker));
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return {};
  }

  void hear(Worker& worker) {
    std::size_t from = 0;
    for (std::size_t end = 0; (end = worker.unread.find('\n', from)) != std::string::npos;
         from = end + 1) {
      const Json line = Json::parse(worker.unread.substr(from, end - from), nullptr, false);
      if (line.is_number_unsigned()) {
        worker.running = line.get<std::size_t>();
        stillborn_ = 0;
      } else if (auto result = resultOf(line)) {
        take(worker, *std::move(result));
      }
    }
    worker.unread.erase(0, from);
    // The next ones are there before it is through, so that it need not wait.
    if (worker.given.size() <= atOnce_ / 2) give(worker);
  }

  void take(Worker& worker, StudyResult result) {
    const auto given = std::ranges::find(worker.given, result.number);
    if (given == worker.given.end()) return;  // Nobody asked for it.
    worker.given.erase(given);
    worker.running.reset();
    unwritten_.push_back(std::move(result));
  }

  /// The others that a dead worker had are for the next one, and so is the run that it was at: if a
  /// second one dies in it, it crashed.
  Result<void> bury(Worker& worker) {
    const std::string how = worker.process.end(true);
    if (worker.given.empty()) return {};
    if (worker.running && !suspects_.insert(*worker.running).second) {
      StudyResult crash{.number = *worker.running, .state = StudyState::crashed};
      crash.error = "the process that ran it ended with " + how;
      take(worker, std::move(crash));
    } else if (!worker.running && ++stillborn_ == kMostStillborn) {
      return fail(ErrorCode::unreadable, "workers end before they begin: " + how);
    }
    left_.insert(left_.begin(), worker.given.begin(), worker.given.end());
    return {};
  }

  Result<void> write(bool last) {
    const bool due =
        last || unwritten_.size() >= kMostUnwritten || secondsSince(written_) >= kWriteSeconds;
    if (!due) return {};
    HW_DO(results_.put(unwritten_));
    for (const StudyResult& result : unwritten_) {
      tally_.failed += result.state == StudyState::failed ? 1 : 0;
      tally_.crashed += result.state == StudyState::crashed ? 1 : 0;
    }
    tally_.done += unwritten_.size();
    unwritten_.clear();
    written_ = Watch::now();
    if (work_.progress) work_.progress(tally_.done, all_);
    return {};
  }

  const StudyRuns& runs_;
  std::deque<std::size_t> left_;  ///< Runs that nobody has.
  std::size_t all_;
  std::size_t atOnce_ = 1;  ///< So many runs were given last.
  StudyResults& results_;
  const StudyWork& work_;
  std::string first_;  ///< The first line that a worker reads.
  std::vector<Worker> workers_;
  std::vector<StudyResult> unwritten_;
  Watch::time_point written_ = Watch::now();
  StudyTally tally_;
  std::set<std::size_t> suspects_;  ///< A worker died in each of these.
  int stillborn_ = 0;
};

/// Does runs in a worker.
class Doer {
 public:
  explicit Doer(const StudyRuns& runs) : runs_(runs) {}

  StudyResult run(std::size_t number) {
    const auto start = Watch::now();
    const StudyRun run = runs_.at(number);
    open(run);
    StudyResult result{.number = number};
    if (!model_) {
      result.error = model_.error().text();
    } else {
      RunRequest request = run.setting.request;
      request.allocator = run.allocator;
      request.threads = 1;
      Comparison comparison = openComparison(*model_, {request});
      ComparisonRow& row = comparison.rows.front();
      fillRow(comparison, row, shared_);
      if (row.error) result.error = row.error->text();
      if (row.run) {
        for (const auto& figure : studyFigures()) result.figures.push_back(figure.value(row));
      }
    }
    result.state = result.figures.empty() ? StudyState::failed : StudyState::done;
    result.seconds = secondsSince(start);
    return result;
  }

 private:
  void open(const StudyRun& run) {
    if (opened_ == run.model) return;
    opened_ = run.model;
    shared_ = {.common = std::make_shared<CommonWork>()};
    auto model = openModel(runs_.pathOf(run.model), run.setting.request.import);
    if (model) {
      model_ = std::make_shared<const Model>(*std::move(model));
    } else {
      model_ = tl::unexpected(std::move(model).error());
    }
  }

  const StudyRuns& runs_;
  std::string opened_;
  Result<std::shared_ptr<const Model>> model_ = fail(ErrorCode::unreadable, "");
  RunContext shared_;
};

}  // namespace

Result<StudyTally> runStudy(const StudyRuns& runs, const std::vector<std::size_t>& numbers,
                            StudyResults& results, const StudyWork& work) {
  return StudyEngine(runs, numbers, results, work).run();
}

double secondsOfRun(const StudyRuns& runs, std::size_t most, double seconds) {
  Doer doer(runs);
  const std::size_t count = std::min(runs.size(), most);
  const auto start = Watch::now();
  double sum = 0;
  std::size_t done = 0;
  while (done < count && (done == 0 || secondsSince(start) < seconds)) {
    sum += doer.run(done++ * runs.size() / count).seconds;
  }
  return done == 0 ? 0 : sum / static_cast<double>(done);
}

bool workOnStudy(std::istream& in, std::ostream& out) {
  std::string line;
  std::getline(in, line);
  const Json first = Json::parse(line, nullptr, false);
  if (!first.is_object() || !first.contains("study")) return false;
  const auto study = parseStudy(first["study"].get<std::string>(),
                                first["plugins"].get<bool>() ? Plugins::allow : Plugins::refuse);
  if (!study) return false;
  const auto runs = StudyRuns::of(*study, first["folder"].get<std::string>());
  if (!runs) return false;
  Doer doer(*runs);
  while (std::getline(in, line) && out.good()) {
    const Json numbers = Json::parse(line, nullptr, false);
    for (const Json& number : numbers) {
      if (!number.is_number_unsigned() || number.get<std::size_t>() >= runs->size()) return false;
      // Leaves with the result before it, so that the one who reads wakes up once for both.
      out << jsonLine(number) << std::endl;
      out << jsonLine(jsonOf(doer.run(number.get<std::size_t>()))) << '\n';
    }
    out.flush();
  }
  return true;
}

}  // namespace hw
