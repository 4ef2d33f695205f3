#pragma once

#include <string>

#include "core/picture/front_scene.h"
#include "core/report/text/text_table.h"
#include "core/study/front.h"

namespace hw {

/// What each point of a front says, with its columns in every format.
const Columns<FrontPoint>& frontColumns();

/// The capacities that were searched, then the allocators, and what is proved of both.
std::string frontText(const Front& front, const Paint& paint);

/// A line a point: those of the search first, by capacity, then the allocators by peak.
std::string frontCsv(const Front& front, const std::string& file);

/// {"format": "highwater-front", "version": 1, ...}: docs/formats/front.md. `file` is how the user
/// named the model.
Json frontJson(const Front& front, const std::string& file);

/// What a picture shows of it.
FrontScene frontScene(const Front& front);
/// The picture of it as a file.
std::string frontSvg(const Front& front, const Palette& palette);

}  // namespace hw
