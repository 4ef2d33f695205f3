#pragma once

#include <QListWidget>
#include <vector>

#include "core/machine/memory_model.h"

namespace hw {

/// Chooses platforms: the presets, and those that were added, with a box each.
class PlatformList : public QListWidget {
  Q_OBJECT

 public:
  explicit PlatformList(QWidget* parent = nullptr);

  /// Those with a tick, in the order of the list.
  std::vector<Platform> choices() const;
  /// Adds one that is not a preset, ticked; one of the same file is replaced.
  void add(const Platform& platform);

 Q_SIGNALS:
  void changed();

 private:
  std::vector<Platform> platforms_;  ///< By row.
};

}  // namespace hw
