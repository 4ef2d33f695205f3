#pragma once

#include <string>

#include "core/report/method/lesson.h"

namespace hw {

/// How the method of `run`, which has records, planned: a page of its own that needs neither the
/// program nor a network. Every record plays on a stage; a script of the page steps it, and where
/// scripts do not run it plays by itself. With the words of `lesson`, or without any if it is null.
std::string methodPage(const Run& run, const Lesson* lesson);

/// The script that the page lets run, and no other: it knows nothing of a model.
std::string_view methodPageScript();

}  // namespace hw
