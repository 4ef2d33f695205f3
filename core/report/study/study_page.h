#pragma once

#include <string>

#include "core/report/study/study_file.h"

namespace hw {

/// A page of HTML about results, by one figure: how many runs there are, what it depends on, curves
/// of all models, and of each its runs as dots, the least over two axes, and the rows of the front.
/// `command` made it. Equal files make equal pages. Fails where no row has the figure.
Result<std::string> studyPage(const StudyFile& file, const std::string& figure,
                              const std::string& command);

}  // namespace hw
