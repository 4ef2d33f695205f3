#pragma once

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <memory>

namespace hw {

enum class ThemeChoice { system, light, dark };

/// The memory of the studio between sessions. Layouts carry a version: one of another version is
/// forgotten rather than restored wrongly.
class Settings {
 public:
  /// Increase when places, panels or their names change.
  static constexpr int kLayoutVersion = 5;

  /// Remembers nothing: for pictures, and for tests.
  Settings() = default;
  /// Remembers in `store`.
  explicit Settings(std::unique_ptr<QSettings> store) : store_(std::move(store)) {}

  ThemeChoice theme() const;
  void setTheme(ThemeChoice theme);
  bool reducedMotion() const;
  void setReducedMotion(bool reduced);
  QString lastFolder() const;
  void setLastFolder(const QString& folder);

  /// Something small that a dialog or panel keeps, "export/format"; empty when it keeps nothing.
  QString remembered(const QString& key) const;
  void remember(const QString& key, const QString& value);

  /// Latest first, each once, at most ten.
  QStringList recentModels() const;
  void addRecentModel(const QString& name);
  void clearRecentModels();

  /// A part of the layout, "geometry", "places" or "views"; empty when none of this version is
  /// kept.
  QByteArray layout(const QString& part) const;
  void setLayout(const QString& part, const QByteArray& value);
  void forgetLayout();

  /// The values of features, by keys such as "session/restore". An invalid value forgets the key.
  QVariant value(const QString& key, const QVariant& fallback) const;
  void setValue(const QString& key, const QVariant& value);
  /// The last parts of all keys below `group`, sorted.
  QStringList keysOf(const QString& group) const;
  /// Writes now what would be written a moment later.
  void sync();

 private:
  std::unique_ptr<QSettings> store_;
};

}  // namespace hw
