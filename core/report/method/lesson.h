#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// A moment of a worked example at which there is something to be learnt.
struct LessonStop {
  /// At the `turn`-th decision, from 1, about this tensor; none: about nobody alone. Turn 0: before
  /// the first decision.
  std::string_view tensor{};
  std::size_t turn = 0;
  std::string_view title{};
  std::string_view text{};  ///< A few sentences.
};

/// Lesson about a method, shown on a network that is small enough to follow by hand.
struct Lesson {
  std::string_view name{};  ///< "block-id": the allocator, and the file's name.
  std::string_view title{};
  std::string_view intro{};  ///< What it is about.
  std::string_view model{};  ///< "samples:inception".
  /// Options of the run, in pairs: "align", "1".
  std::span<const std::string_view> options{};
  std::span<const LessonStop> stops{};  ///< In the order in which they happen.
  std::string_view moral{};             ///< What it is good at, and what it costs.
};

/// One for each method that is taught, in the order of docs/methods.md.
std::span<const Lesson> lessons();
/// Null: there is none of that name.
const Lesson* findLesson(std::string_view name);

/// The lesson's own example, planned and recorded.
Result<std::shared_ptr<const Run>> lessonRun(const Lesson& lesson);

/// Ticks that have happened at each stop; a stop that never comes has the one before.
std::vector<std::size_t> stopTicks(const Lesson& lesson, const Run& run,
                                   const MethodRecord& record);

/// The command that draws `run`'s method on another model.
std::string lessonCommand(std::string_view allocator);

/// Page about how the method of `run`, which has records, planned: one of its own that needs
/// neither the program nor a network. Every record plays on a stage; a script of the page steps it,
/// and where scripts do not run it plays by itself. With the words of `lesson`, or without any if
/// it is null.
std::string methodPage(const Run& run, const Lesson* lesson);

/// The script that the page lets run, and no other: it knows nothing of a model.
std::string_view methodPageScript();

}  // namespace hw
