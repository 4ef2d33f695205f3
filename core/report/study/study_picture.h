#pragma once

#include <string>
#include <vector>

#include "core/picture/charts/study_scene.h"
#include "core/picture/palette.h"
#include "core/report/study/study_query.h"

namespace hw {

/// "free-list, L2 1MiB, channels 4": the values of a row on the axes on which rows differ, but for
/// the model.
std::string runName(const StudyTable& table, std::uint32_t row);
/// The name of a model without its folders: "resnet8".
std::string modelName(const std::string& model);
/// "L2", "DMA", "channels": an axis inside a sentence, and with a capital.
std::string axisWord(const std::string& name);
std::string axisTitle(const std::string& name);
/// "1MiB"; "default" for none.
std::string valueName(const std::string& value);

// Scenes of some rows of a table; figures and axes by their places in it. Titles are for people.

/// `rows` as dots over two figures, each thinned out where many lie in one place, with the front of
/// them, whose rows are `frontOf` in its order; `others` as faint dots, and their front.
DotsScene dotsScene(const StudyTable& table, const StudyRows& rows, const StudyRows& others,
                    std::size_t across, std::size_t figure);
/// The least of a figure over two axes, its lines and columns being the values of these.
HeatScene heatScene(const StudyTable& table, const StudyPivot& cells, std::size_t down,
                    std::size_t across, std::size_t figure);
/// The least of a figure of each model over an axis, a curve for each value of `series`.
MultiplesScene multiplesScene(const StudyTable& table, const StudyRows& rows, std::size_t over,
                              std::size_t series, std::size_t figure);

/// The axes of pictures of a file.
struct StudyLook {
  /// An axis with more values has no room in a picture.
  static constexpr std::size_t kMostValues = 200;

  /// To the right of dots: the capacity where that varies, else the peak, or the figure itself
  /// where rows have no peak.
  std::string across = "peak";
  /// Those on which rows differ, those that matter most first; the model apart.
  std::vector<std::size_t> axes{};
  /// Of the heat map, its lines and its columns, over which curves are drawn, too: allocators and
  /// L2 where rows differ on these. Nothing where there are no two axes.
  struct Pair {
    std::size_t down = 0;
    std::size_t over = 0;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  std::optional<Pair> pair{};

  /// The axis with a curve for each value, beside such a pair: the first that has few.
  std::size_t seriesOf(const StudyTable& table, const Pair& shown) const;
};
StudyLook lookOf(const StudyTable& table, const StudyRows& rows, std::size_t figure);

/// Two figures of the rows of one model against each other: the front as stairs, and the other rows
/// as dots. Fails where there are no rows, or those of several models.
Result<std::string> paretoPicture(const ResultScope& scope, const std::vector<std::string>& figures,
                                  const Palette& palette);

}  // namespace hw
