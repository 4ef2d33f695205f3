#pragma once

#include <QObject>
#include <vector>

class QAction;

namespace hw {

class CommandPalette;
class MainWindow;
class SearchBox;
struct PaletteEntry;
struct SearchHit;

/// The search box at the end of the transport, and the palette of all commands.
class FindFeature : public QObject {
  Q_OBJECT

 public:
  explicit FindFeature(MainWindow* window);

 private:
  void addFinding();
  void addPalette();
  void goTo(const SearchHit& hit);
  void reveal();
  std::vector<PaletteEntry> entries() const;
  void addActions(std::vector<PaletteEntry>& entries) const;
  void addModels(std::vector<PaletteEntry>& entries) const;
  void addAllocators(std::vector<PaletteEntry>& entries) const;

  MainWindow* window_;
  SearchBox* box_;
  CommandPalette* palette_;
};

}  // namespace hw
