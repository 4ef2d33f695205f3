#pragma once

#include <QTest>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/support.h"
#include "widgets/compare/compare_panel.h"

namespace hw::test {

inline std::shared_ptr<const Run> planned(const char* allocator) {
  return sampleRun("inception", requestBy(allocator));
}

inline std::vector<AllocatorChoice> choices(const std::vector<const char*>& names) {
  std::vector<AllocatorChoice> all;
  for (const char* name : names) all.push_back(AllocatorChoice::parse(name).value());
  return all;
}

inline void click(const ComparePanel& panel, int row, int column) {
  const QModelIndex index = panel.table()->model()->index(row, column);
  panel.table()->scrollTo(index);
  QTest::mouseClick(panel.table()->viewport(), Qt::LeftButton, {},
                    panel.table()->visualRect(index).center());
}

inline void tickOnly(AllocatorList& list, const std::vector<const char*>& names) {
  for (int row = 0; row < list.list()->count(); ++row) {
    list.list()->item(row)->setCheckState(Qt::Unchecked);
  }
  for (const char* name : names) REQUIRE(list.add(QString::fromLatin1(name)));
}

/// A comparison of `run`'s model that no clock decides about.
inline std::shared_ptr<const Comparison> compared(const Run& run,
                                                  const std::vector<const char*>& names) {
  return std::make_shared<const Comparison>(
      compareAllocators(run.model, run.request, choices(names), {}));
}

}  // namespace hw::test
