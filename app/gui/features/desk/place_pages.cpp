#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/gui/features/desk/desk.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/report/run/run_report.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kAir = 12;
constexpr int kWidest = 560;
constexpr std::size_t kLongestCommand = 4000;

/// A column of words and buttons at the top of its place.
class Page : public QWidget {
 public:
  explicit Page(QWidget* parent) : QWidget(parent), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(2 * kAir, kAir, 2 * kAir, kAir);
    column_->setSpacing(kAir);
  }

  QLabel* words(const QString& text) {
    auto* label = new QLabel(text, this);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setMaximumWidth(kWidest);
    column_->addWidget(label);
    return label;
  }

  /// Does what `action` does, as long as it can be done.
  void button(QAction* action) {
    auto* button = new QPushButton(this);
    const auto follow = [button, action] {
      QString text = action->text();
      button->setText(text.remove(QLatin1Char('&')));
      button->setEnabled(action->isEnabled());
      button->setToolTip(action->isEnabled() ? action->statusTip() : action->toolTip());
    };
    follow();
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    column_->addWidget(button);
  }

  /// A command line that can be marked and copied.
  QLineEdit* commandLine(const QString& name) {
    auto* line = new QLineEdit(this);
    line->setReadOnly(true);
    line->setMaximumWidth(kWidest);
    line->setAccessibleName(name);
    auto* copy = new QPushButton(tr("Copy"), this);
    copy->setAccessibleDescription(name);
    copy->setMaximumWidth(kWidest / 4);
    connect(copy, &QPushButton::clicked, line,
            [line] { QGuiApplication::clipboard()->setText(line->text()); });
    column_->addWidget(line);
    column_->addWidget(copy);
    return line;
  }

  void end() { column_->addStretch(1); }

 private:
  QVBoxLayout* column_;
};

}  // namespace

void addPlacePages(MainWindow* window) {
  auto* study = new Page(window);
  study->setObjectName(QStringLiteral("studyPage"));
  study->words(
      tr("A study runs every combination of models, allocators, memories and other options "
         "that a TOML file lists, and writes one table. It runs without the window:"));
  const auto command = QStringLiteral("highwater sweep study.toml -o study.csv");
  study->commandLine(tr("The command that runs a study"))->setText(command);
  study->end();
  window->addPanel("study", tr("Study"), study);

  auto* report = new Page(window);
  report->setObjectName(QStringLiteral("reportPage"));
  report->words(tr("Figures, maps and tables of this run as a document, a picture or data:"));
  for (const char* name : {"exportReport", "exportPicture", "savePlan", "exportTable",
                           "exportComparison", "exportGraph"}) {
    report->button(window->command(QString::fromLatin1(name)));
  }
  report->words(tr("The same without a window:"));
  QLineEdit* line = report->commandLine(tr("The command that writes this report"));
  report->end();
  const auto write = [window, line] {
    const auto run = window->state()->run();
    if (!run) return;
    const ReportParts parts{.axis = window->state()->axis()};
    line->setText(QString::fromStdString(
        printable(commandForReport(run->request, "html", parts), kLongestCommand)));
    line->setCursorPosition(0);
  };
  QObject::connect(window->state(), &ViewState::runChanged, line, write);
  QObject::connect(window->state(), &ViewState::axisChanged, line, write);
  window->addPanel("report", tr("Report"), report);
}

}  // namespace hw
