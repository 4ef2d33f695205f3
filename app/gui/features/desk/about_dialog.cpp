#include "app/gui/features/desk/about_dialog.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QIcon>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/gui/features/desk/shortcut_sheet.h"
#include "app/gui/window/main_window.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

struct Library {
  const char* name;
  const char* licence;
  const char* address;
};

/// What the two programs are linked with, or compiled in.
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
