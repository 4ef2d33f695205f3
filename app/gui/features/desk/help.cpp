#include "app/gui/features/desk/help.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QIcon>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/gui/features/desk/desk.h"
#include "app/gui/window/main_window.h"
#include "widgets/text/text.h"

namespace hw {

ShortcutSheet::ShortcutSheet(KeyBindings* bindings, QWidget* parent)
    : QDialog(parent), filter_(new QLineEdit(this)), list_(new QTreeWidget(this)) {
  setObjectName(QStringLiteral("shortcutSheet"));
  setWindowTitle(tr("Shortcuts"));
  filter_->setPlaceholderText(tr("Search keys and commands"));
  filter_->setAccessibleName(filter_->placeholderText());
  filter_->setClearButtonEnabled(true);
  list_->setAccessibleName(tr("Keys by menu"));
  list_->setColumnCount(2);
  list_->setHeaderLabels({tr("Command"), tr("Keys")});
  list_->setRootIsDecorated(false);
  list_->setAlternatingRowColors(true);
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(filter_);
  layout->addWidget(list_, 1);
  layout->addWidget(buttons);
  connect(filter_, &QLineEdit::textChanged, this, &ShortcutSheet::showFiltered);
  fill(bindings);
  resize(600, 640);
}

QTreeWidgetItem* ShortcutSheet::group(const QString& title) {
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    if (list_->topLevelItem(i)->text(0) == title) return list_->topLevelItem(i);
  }
  auto* item = new QTreeWidgetItem(list_, {title});
  QFont font = item->font(0);
  font.setBold(true);
  item->setFont(0, font);
  item->setFirstColumnSpanned(true);
  return item;
}

void ShortcutSheet::add(const QString& title, const QString& keys, const QString& text) {
  new QTreeWidgetItem(group(title), {text, keys});
}

void ShortcutSheet::fill(KeyBindings* bindings) {
  for (const KeyBindings::Command& each : bindings->commands()) {
    const auto keys = each.action->shortcuts();
    if (keys.isEmpty()) continue;
    add(each.group, QKeySequence::listToString(keys, QKeySequence::NativeText), each.text);
  }
  const QString maps = tr("In the maps");
  add(maps, tr("Wheel"), tr("Zoom the steps"));
  add(maps, tr("Ctrl+Wheel"), tr("Zoom both axes"));
  add(maps, tr("Alt+Wheel"), tr("Zoom the addresses"));
  add(maps, tr("Shift+Wheel, drag"), tr("Pan"));
  add(maps, tr("W, A, S, D"), tr("Zoom and pan"));
  add(maps, tr("Right, Left, Up, Down"), tr("Walk the blocks"));
  add(maps, tr("Tab"), tr("On to what comes after the map"));
  list_->expandAll();
}

void ShortcutSheet::showFiltered() {
  const QString wanted = filter_->text().trimmed();
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* top = list_->topLevelItem(i);
    int shown = 0;
    for (int row = 0; row < top->childCount(); ++row) {
      const QTreeWidgetItem* item = top->child(row);
      const bool hit = item->text(0).contains(wanted, Qt::CaseInsensitive) ||
                       item->text(1).contains(wanted, Qt::CaseInsensitive);
      top->child(row)->setHidden(!hit);
      shown += hit ? 1 : 0;
    }
    top->setHidden(shown == 0);
  }
}

namespace {

struct Library {
  const char* name;
  const char* licence;
  const char* address;
};

/// Libraries that the two programs are linked with, or have compiled in.
constexpr Library kLibraries[] = {
    {"Qt", "LGPL-3.0-only", "https://www.qt.io"},
    {"Qt Charts", "GPL-3.0-only", "https://doc.qt.io/qt-6/qtcharts-index.html"},
    {"ONNX", "Apache-2.0", "https://onnx.ai"},
    {"Protocol Buffers", "BSD-3-Clause", "https://protobuf.dev"},
    {"{fmt}", "MIT", "https://fmt.dev"},
    {"JSON for Modern C++", "MIT", "https://json.nlohmann.me"},
    {"toml++", "MIT", "https://marzer.github.io/tomlplusplus"},
    {"CLI11", "BSD-3-Clause", "https://github.com/CLIUtils/CLI11"},
    {"tl::expected", "CC0-1.0", "https://github.com/TartanLlama/expected"},
    {"Boost", "BSL-1.0", "https://www.boost.org"},
    {"OpenSSL", "Apache-2.0", "https://www.openssl.org"},
    {"zlib", "Zlib", "https://zlib.net"},
    {"DejaVu fonts (not included)", "Bitstream-Vera", "https://dejavu-fonts.github.io"}};

QWidget* aboutPage(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setMargin(16);
  label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label->setTextInteractionFlags(Qt::TextBrowserInteraction);
  label->setText(
      AboutDialog::tr("<h2>Highwater %1</h2><p>Plans, simulates and shows the memory of neural "
                      "networks.</p><p>Built with Qt %2.</p><p>Free software under the GNU "
                      "General Public License, version 3 or later: its text is under "
                      "<i>Licence</i>, what it is built with under <i>Libraries</i>. It comes "
                      "with no warranty.</p>")
          .arg(QStringLiteral(HIGHWATER_VERSION), QString::fromLatin1(qVersion())));
  return label;
}

QWidget* librariesPage(QWidget* parent) {
  auto* table = new QTableWidget(static_cast<int>(std::size(kLibraries)), 3, parent);
  table->setObjectName(QStringLiteral("libraries"));
  table->setAccessibleName(AboutDialog::tr("Libraries and their licences"));
  table->setHorizontalHeaderLabels(
      {AboutDialog::tr("Library"), AboutDialog::tr("Licence"), AboutDialog::tr("Home")});
  table->setEditTriggers(QTableWidget::NoEditTriggers);
  table->setSelectionBehavior(QTableWidget::SelectRows);
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);
  table->verticalHeader()->hide();
  int row = 0;
  for (const Library& library : kLibraries) {
    int column = 0;
    for (const char* text : {library.name, library.licence, library.address}) {
      table->setItem(row, column++, new QTableWidgetItem(QString::fromUtf8(text)));
    }
    ++row;
  }
  table->resizeColumnsToContents();
  table->horizontalHeader()->setStretchLastSection(true);
  return table;
}

QWidget* licencePage(QWidget* parent) {
  auto* text = new QPlainTextEdit(parent);
  text->setObjectName(QStringLiteral("licenceText"));
  text->setAccessibleName(AboutDialog::tr("GNU General Public License"));
  text->setReadOnly(true);
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  const std::string_view licence = licenceText();
  text->setPlainText(QString::fromUtf8(licence.data(), static_cast<qsizetype>(licence.size())));
  return text;
}

}  // namespace

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("aboutDialog"));
  setWindowTitle(tr("About Highwater"));
  auto* tabs = new QTabWidget(this);
  tabs->setAccessibleName(windowTitle());
  tabs->addTab(aboutPage(tabs), tr("&About"));
  tabs->addTab(librariesPage(tabs), tr("&Libraries"));
  tabs->addTab(licencePage(tabs), tr("Lice&nce"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(tabs);
  layout->addWidget(buttons);
  resize(640, 480);
}

void addHelp(MainWindow* window, KeyBindings* keys) {
  QMenu* menu = window->menu(MenuKind::help);
  window->addCommand(menu, "shortcuts", tr("&Shortcuts"),
                     {QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)},
                     [window, keys] { ShortcutSheet(keys, window).exec(); });
  window->addCommand(menu, "about", tr("&About Highwater"), {},
                     [window] { AboutDialog(window).exec(); });
}

}  // namespace hw
