#pragma once

#include "widgets/base/theme.h"

namespace hw {

/// While it lives, `Theme::current()` is `theme` in this thread and no other: for pictures whose
/// colours are not those of the screen. Widgets hear nothing of it. Scopes nest.
class ThemeScope {
 public:
  explicit ThemeScope(const Theme& theme);
  ~ThemeScope();
  ThemeScope(const ThemeScope&) = delete;
  ThemeScope& operator=(const ThemeScope&) = delete;

 private:
  const Theme* before_;
};

}  // namespace hw
