#include "app/gui/features/desk/preferences.h"

#include <QActionGroup>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QMenu>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/features/desk/keys.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/window/main_window.h"
#include "core/machine/platforms.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr QLatin1String kText("view/textPercent");
constexpr QLatin1String kExact("view/exactBytes");
constexpr QLatin1String kAddresses("view/addresses");
constexpr QLatin1String kAllocator("plan/allocator");
constexpr QLatin1String kPlatform("plan/platform");

/// The names are those of the commands, and of what is kept.
struct StyleName {
  AddressStyle style;
  const char* name;
};
constexpr StyleName kStyles[] = {{AddressStyle::hexTexts, "addressesHexTexts"},
                                 {AddressStyle::hex, "addressesHex"},
                                 {AddressStyle::decimal, "addressesDecimal"}};

const StyleName& nameOf(AddressStyle style) { return kStyles[static_cast<std::size_t>(style)]; }

AddressStyle styleNamed(const QString& name) {
  const auto* found = std::ranges::find_if(
      kStyles, [&](const StyleName& one) { return name == QLatin1String(one.name); });
  return found == std::end(kStyles) ? AddressStyle::hexTexts : found->style;
}

/// Every view writes its texts anew.
void writeAgain(ViewState* state) {
  Q_EMIT state->runChanged();
  Q_EMIT state->momentChanged();
  Q_EMIT state->selectionChanged();
  Q_EMIT state->decorationChanged();
}

}  // namespace

Preferences::Preferences(MainWindow* window, KeyBindings* keys, FileWatch* watch)
    : QObject(window), window_(window), desktopFont_(QApplication::font()) {
  setObjectName(QStringLiteral("preferences"));
  const Settings& settings = *window->settings();
  TextUnits::apply({.exactBytes = settings.value(kExact, false).toBool(),
                    .addresses = styleNamed(settings.value(kAddresses, {}).toString())});
  if (textPercent() != 100) applyText();
  applyDefaults();
  addCommands(keys, watch);
}

void Preferences::addCommands(KeyBindings* keys, FileWatch* watch) {
  QMenu* edit = window_->menu(MenuKind::edit);
  edit->addSeparator();
  QAction* settings = window_->addCommand(
      edit, "settings", tr("&Settings\u2026"), {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
      [this, keys, watch] { SettingsDialog(this, keys, watch, window_).exec(); });
  settings->setMenuRole(QAction::PreferencesRole);
  settings->setToolTip(tr("Appearance, units, what is opened at the start, keys"));
  addAddressStyles();
}

void Preferences::addAddressStyles() {
  QMenu* menu = window_->menu(MenuKind::view)->addMenu(tr("Addresses"));
  auto* group = new QActionGroup(this);
  const auto apply = [this](AddressStyle style) {
    TextUnits units = TextUnits::current();
    units.addresses = style;
    setUnits(units);
  };
  for (const StyleName& one : kStyles) {
    QAction* action = window_->addCommand(menu, one.name, addressStyleText(one.style), {},
                                          [apply, style = one.style] { apply(style); });
    action->setCheckable(true);
    action->setChecked(units().addresses == one.style);
    group->addAction(action);
  }
  menu->addSeparator();
  window_->addCommand(menu, "addresses", tr("&Next way of writing them"), {Qt::Key_X},
                      [this, apply] {
                        const auto next = static_cast<std::size_t>(units().addresses) + 1;
                        apply(kStyles[next % std::size(kStyles)].style);
                      });
}

QString Preferences::addressStyleText(AddressStyle style) {
  switch (style) {
    case AddressStyle::hexTexts:
      return tr("Hexadecimal, axes in KiB");
    case AddressStyle::hex:
      return tr("Hexadecimal, axes too");
    case AddressStyle::decimal:
      return tr("Decimal, axes in KiB");
  }
  return {};
}

ThemeChoice Preferences::theme() const { return window_->settings()->theme(); }

void Preferences::setTheme(ThemeChoice theme) {
  const char* const names[] = {"themeSystem", "themeLight", "themeDark"};
  window_->command(QString::fromLatin1(names[static_cast<int>(theme)]))
      ->trigger();  // The menu shows it then, too.
}

bool Preferences::reducedMotion() const { return window_->settings()->reducedMotion(); }

void Preferences::setReducedMotion(bool reduced) {
  window_->command(QStringLiteral("reducedMotion"))->setChecked(reduced);
}

int Preferences::textPercent() const {
  const int percent = window_->settings()->value(kText, 100).toInt();
  return std::clamp(percent, kLeastText, kMostText);
}

void Preferences::setTextPercent(int percent) {
  window_->settings()->setValue(kText, percent);
  applyText();
}

void Preferences::applyText() {
  QFont font = desktopFont_;
  if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * textPercent() / 100);
  QApplication::setFont(font);
}

TextUnits Preferences::units() const { return TextUnits::current(); }

void Preferences::setUnits(const TextUnits& units) {
  if (units == TextUnits::current()) return;
  TextUnits::apply(units);
  window_->settings()->setValue(kExact, units.exactBytes);
  const QString style = QString::fromLatin1(nameOf(units.addresses).name);
  window_->settings()->setValue(kAddresses, style);
  window_->command(style)->setChecked(true);
  writeAgain(window_->state());
  if (window_->belowState()->run()) writeAgain(window_->belowState());
}

QString Preferences::valueOf(const char* key) const {
  return window_->settings()->value(QLatin1String(key), {}).toString();
}

QString Preferences::allocator() const { return valueOf(kAllocator.data()); }

void Preferences::setAllocator(const QString& allocator) {
  window_->settings()->setValue(kAllocator, allocator);
  if (!window_->state()->run()) applyDefaults();
}

QString Preferences::platform() const { return valueOf(kPlatform.data()); }

void Preferences::setPlatform(const QString& platform) {
  window_->settings()->setValue(kPlatform, platform);
  if (!window_->state()->run()) applyDefaults();
}

/// Unknown names are passed over: they may come from another version.
void Preferences::applyDefaults() {
  RunRequest request = defaultRequest();
  if (auto choice = AllocatorChoice::parse(allocator().toStdString())) {
    request.allocator = *std::move(choice);
  }
  if (auto preset = openPlatform(platform().toStdString())) request.platform = *std::move(preset);
  if (!window_->job()->isRunning()) window_->planWith(request);
}

namespace {

/// A form with room around it.
QFormLayout* pageForm(QWidget* page) {
  auto* form = new QFormLayout(page);
  form->setContentsMargins(16, 16, 16, 16);
  form->setVerticalSpacing(10);
  return form;
}

QComboBox* addChoice(QFormLayout* form, const char* name, const QString& label,
                     const QStringList& entries) {
  auto* box = new QComboBox(form->parentWidget());
  box->setObjectName(QString::fromLatin1(name));
  box->addItems(entries);
  QString plain = label;
  box->setAccessibleName(plain.remove(QLatin1Char('&')));
  form->addRow(label, box);
  return box;
}

QCheckBox* addSwitch(QFormLayout* form, const char* name, const QString& text, bool on) {
  auto* box = new QCheckBox(text, form->parentWidget());
  box->setObjectName(QString::fromLatin1(name));
  box->setChecked(on);
  form->addRow(QString(), box);
  return box;
}

}  // namespace

SettingsDialog::SettingsDialog(Preferences* preferences, KeyBindings* keys, FileWatch* watch,
                               MainWindow* window)
    : QDialog(window), tabs_(new QTabWidget(this)) {
  setObjectName(QStringLiteral("settingsDialog"));
  setWindowTitle(tr("Settings"));
  tabs_->setAccessibleName(windowTitle());
  tabs_->addTab(appearancePage(preferences), tr("Appearance"));
  tabs_->addTab(planningPage(preferences), tr("Planning"));
  tabs_->addTab(startPage(window, watch), tr("Files"));
  tabs_->addTab(new KeysPage(keys, tabs_), tr("Keys"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(tabs_);
  layout->addWidget(buttons);
  resize(620, 560);
}

QWidget* SettingsDialog::appearancePage(Preferences* preferences) {
  auto* page = new QWidget(tabs_);
  auto* form = pageForm(page);
  QComboBox* theme = addChoice(form, "settingTheme", tr("&Theme"),
                               {tr("Like the desktop"), tr("Light"), tr("Dark")});
  theme->setCurrentIndex(static_cast<int>(preferences->theme()));
  connect(theme, &QComboBox::currentIndexChanged, preferences,
          [preferences](int index) { preferences->setTheme(static_cast<ThemeChoice>(index)); });
  auto* text = new QSpinBox(page);
  text->setObjectName(QStringLiteral("settingText"));
  text->setAccessibleName(tr("Text size"));
  text->setRange(Preferences::kLeastText, Preferences::kMostText);
  text->setSingleStep(10);
  text->setSuffix(tr(" %"));
  text->setValue(preferences->textPercent());
  text->setToolTip(tr("Of the text in panels and menus, against the desktop's"));
  form->addRow(tr("Te&xt size"), text);
  connect(text, &QSpinBox::valueChanged, preferences, &Preferences::setTextPercent);
  QCheckBox* still = addSwitch(form, "settingMotion",
                               tr("&Reduced motion: changes of memory "
                                  "are shown at once"),
                               preferences->reducedMotion());
  connect(still, &QCheckBox::toggled, preferences, &Preferences::setReducedMotion);
  QComboBox* sizes = addChoice(form, "settingSizes", tr("&Sizes"),
                               {tr("Rounded: 9.00 KiB"), tr("Exact: 9,216 B")});
  sizes->setCurrentIndex(preferences->units().exactBytes ? 1 : 0);
  QComboBox* addresses = addChoice(form, "settingAddresses", tr("&Addresses"),
                                   {Preferences::addressStyleText(AddressStyle::hexTexts),
                                    Preferences::addressStyleText(AddressStyle::hex),
                                    Preferences::addressStyleText(AddressStyle::decimal)});
  addresses->setCurrentIndex(static_cast<int>(preferences->units().addresses));
  const auto apply = [preferences, sizes, addresses] {
    preferences->setUnits({.exactBytes = sizes->currentIndex() == 1,
                           .addresses = static_cast<AddressStyle>(addresses->currentIndex())});
  };
  connect(sizes, &QComboBox::currentIndexChanged, preferences, apply);
  connect(addresses, &QComboBox::currentIndexChanged, preferences, apply);
  return page;
}

QWidget* SettingsDialog::planningPage(Preferences* preferences) {
  auto* page = new QWidget(tabs_);
  auto* form = pageForm(page);
  QStringList allocators;
  for (const AllocatorInfo& info : allocatorCatalog()) allocators.append(viewText(info.name));
  QComboBox* allocator = addChoice(form, "settingAllocator", tr("&Allocator"), allocators);
  const auto standard = defaultRequest();
  allocator->setCurrentText(preferences->allocator().isEmpty()
                                ? viewText(standard.allocator.info->name)
                                : preferences->allocator());
  connect(allocator, &QComboBox::currentTextChanged, preferences, &Preferences::setAllocator);
  QStringList platforms;
  for (const Platform& platform : platformCatalog()) {
    platforms.append(QString::fromStdString(platform.name));
  }
  QComboBox* platform = addChoice(form, "settingPlatform", tr("&Platform"), platforms);
  platform->setCurrentText(preferences->platform().isEmpty()
                               ? QString::fromStdString(standard.platform.name)
                               : preferences->platform());
  connect(platform, &QComboBox::currentTextChanged, preferences, &Preferences::setPlatform);
  auto* note = new QLabel(tr("What the studio starts with. What is open keeps its own settings: "
                             "they are in the Run panel."),
                          page);
  note->setWordWrap(true);
  form->addRow(note);
  return page;
}

QWidget* SettingsDialog::startPage(MainWindow* window, FileWatch* watch) {
  auto* page = new QWidget(tabs_);
  auto* form = pageForm(page);
  QCheckBox* session = addSwitch(form, "settingSession", tr("&Reopen what was open the last time"),
                                 restoresSession(*window->settings()));
  connect(session, &QCheckBox::toggled, window,
          [window](bool on) { setRestoresSession(*window->settings(), on); });
  QComboBox* changed = addChoice(form, "settingWatch", tr("When a model changes on &disk"),
                                 {tr("Ask"), tr("Open it again"), tr("Do nothing")});
  changed->setCurrentIndex(static_cast<int>(watch->mode()));
  connect(changed, &QComboBox::currentIndexChanged, watch,
          [watch](int index) { watch->setMode(static_cast<FileWatch::Mode>(index)); });
  return page;
}

}  // namespace hw
