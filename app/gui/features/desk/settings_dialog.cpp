#include "app/gui/features/desk/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/gui/features/desk/keys_page.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/window/main_window.h"
#include "core/machine/platforms.h"
#include "widgets/text/text.h"

namespace hw {

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
