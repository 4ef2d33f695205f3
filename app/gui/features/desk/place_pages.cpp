#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/gui/features/desk/desk.h"
#include "app/gui/output/report_preview.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/report/run/run_report.h"
#include "widgets/compare/compare_panel.h"
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
    column_->setContentsMargins(kAir, kAir, kAir, kAir);
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

  QCheckBox* box(const QString& text) {
    auto* box = new QCheckBox(text, this);
    column_->addWidget(box);
    return box;
  }

  void end() { column_->addStretch(1); }

 private:
  QVBoxLayout* column_;
};

/// What the report on show is to have, where it goes, and the command that does the same.
class ReportPage : public Page {
 public:
  ReportPage(MainWindow* window, ComparePanel* comparison, ReportPreview* preview)
      : Page(window), window_(window), comparison_(comparison), preview_(preview) {
    setObjectName(QStringLiteral("reportPage"));
    button(window->command(QStringLiteral("exportReport")));
    pages_ = words(QString());
    compared_ = box(tr("With the comparison"));
    compared_->setObjectName(QStringLiteral("reportCompared"));
    compared_->setChecked(true);
    timed_ = box(tr("Pictures over time instead of steps"));
    words(tr("The same without a window:"));
    line_ = commandLine(tr("The command that writes this report"));
    words(tr("Pictures and data of this run:"));
    for (const char* name :
         {"exportPicture", "savePlan", "exportTable", "exportComparison", "exportGraph"}) {
      button(window->command(QString::fromLatin1(name)));
    }
    end();
    connectAll();
    showReport();
  }

 private:
  void connectAll() {
    ViewState* state = window_->state();
    connect(state, &ViewState::runChanged, this, &ReportPage::showReport);
    connect(state, &ViewState::axisChanged, this, &ReportPage::showReport);
    connect(comparison_, &ComparePanel::comparisonChanged, this, &ReportPage::showReport);
    connect(preview_, &ReportPreview::drawn, this, &ReportPage::showReport);
    connect(compared_, &QCheckBox::toggled, this, [this](bool on) {
      comparison_->setReported(on);
      showReport();
    });
    connect(timed_, &QCheckBox::clicked, this,
            [state](bool on) { state->setAxis(on ? AxisUnit::time : AxisUnit::step); });
  }

  void showReport() {
    const auto run = window_->state()->run();
    const AxisUnit axis = window_->state()->axis();
    compared_->setEnabled(comparison_->comparison() != nullptr);
    compared_->setToolTip(compared_->isEnabled() ? QString() : tr("Compare allocators first"));
    timed_->setChecked(axis == AxisUnit::time);
    timed_->setEnabled(run && isTimed(*run));
    const auto reported = comparison_->reported();
    preview_->setComparison(reported);
    const int count = preview_->pageCount();
    pages_->setText(count > 0 ? tr("%1 pages of A4").arg(count) : QString());
    if (!run) return;
    const std::string command =
        commandForReport(run->request, "html", {.comparison = reported.get(), .axis = axis});
    line_->setText(QString::fromStdString(printable(command, kLongestCommand)));
    line_->setCursorPosition(0);
  }

  MainWindow* window_;
  ComparePanel* comparison_;
  ReportPreview* preview_;
  QLabel* pages_;
  QCheckBox* compared_;
  QCheckBox* timed_;
  QLineEdit* line_;
};

}  // namespace

void addPlacePages(MainWindow* window, ComparePanel* comparison) {
  auto* preview = new ReportPreview(window->state(), window);
  window->addPanel("preview", tr("Report"), preview);
  window->addPanel("report", tr("Choices"), new ReportPage(window, comparison, preview));
}

}  // namespace hw
