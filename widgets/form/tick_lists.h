#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/graph/graph.h"
#include "core/machine/memory_model.h"

namespace hw {

/// Chooses allocators: the whole catalogue with a box each, and a line that takes variants with
/// parameters, "free-list:pick=best".
class AllocatorList : public QWidget {
  Q_OBJECT

 public:
  explicit AllocatorList(QWidget* parent = nullptr);

  /// Takes those away that do not apply to a model, whatever their tick.
  void offerFor(const Graph& graph);
  /// Those with a tick that can be had, in the order of the list.
  std::vector<AllocatorChoice> choices() const;
  /// Adds what `parse` understands, or ticks it when it is there; otherwise says what is wrong.
  Result<void> add(const QString& text);

  QListWidget* list() const { return list_; }
  QLineEdit* variantEdit() const { return variant_; }

 public Q_SLOTS:
  void chooseAll();
  /// Those that are done at once, and the default; no baselines, nothing that needs devices.
  void chooseUsual();

 Q_SIGNALS:
  void changed();

 private:
  QListWidgetItem* item(const AllocatorChoice& choice);
  void addTyped();

  QListWidget* list_;
  QLineEdit* variant_;
  QLabel* error_;
};

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
