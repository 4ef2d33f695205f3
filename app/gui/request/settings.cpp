#include "app/gui/request/settings.h"

namespace hw {

namespace {

constexpr qsizetype kMostRecent = 10;

constexpr QLatin1String kTheme("view/theme");
constexpr QLatin1String kReducedMotion("view/reducedMotion");
constexpr QLatin1String kFolder("files/folder");
constexpr QLatin1String kRecent("files/recent");

QString layoutKey(const QString& part) {
  return QStringLiteral("layout/v%1/%2").arg(Settings::kLayoutVersion).arg(part);
}

}  // namespace

QVariant Settings::value(const QString& key, const QVariant& fallback) const {
  return store_ ? store_->value(key, fallback) : fallback;
}

void Settings::setValue(const QString& key, const QVariant& value) {
  if (!store_) return;
  if (value.isValid()) {
    store_->setValue(key, value);
  } else {
    store_->remove(key);
  }
}

QStringList Settings::keysOf(const QString& group) const {
  if (!store_) return {};
  store_->beginGroup(group);
  QStringList keys = store_->childKeys() + store_->childGroups();
  store_->endGroup();
  keys.removeDuplicates();
  keys.sort();
  return keys;
}

void Settings::sync() {
  if (store_) store_->sync();
}

ThemeChoice Settings::theme() const {
  const QString name = value(kTheme, {}).toString();
  if (name == QLatin1String("light")) return ThemeChoice::light;
  return name == QLatin1String("dark") ? ThemeChoice::dark : ThemeChoice::system;
}

void Settings::setTheme(ThemeChoice theme) {
  const char* const names[] = {"system", "light", "dark"};
  setValue(kTheme, QString::fromLatin1(names[static_cast<int>(theme)]));
}

bool Settings::reducedMotion() const { return value(kReducedMotion, false).toBool(); }

void Settings::setReducedMotion(bool reduced) { setValue(kReducedMotion, reduced); }

QString Settings::lastFolder() const { return value(kFolder, {}).toString(); }

void Settings::setLastFolder(const QString& folder) { setValue(kFolder, folder); }

QString Settings::remembered(const QString& key) const { return value(key, {}).toString(); }

void Settings::remember(const QString& key, const QString& text) { setValue(key, text); }

QStringList Settings::recentModels() const { return value(kRecent, {}).toStringList(); }

void Settings::addRecentModel(const QString& name) {
  QStringList names = recentModels();
  names.removeAll(name);
  names.prepend(name);
  setValue(kRecent, names.mid(0, kMostRecent));
}

void Settings::clearRecentModels() { setValue(kRecent, QStringList()); }

QByteArray Settings::layout(const QString& part) const {
  return value(layoutKey(part), {}).toByteArray();
}

void Settings::setLayout(const QString& part, const QByteArray& layout) {
  setValue(layoutKey(part), layout);
}

void Settings::forgetLayout() {
  if (store_) store_->remove(QStringLiteral("layout"));
}

}  // namespace hw
