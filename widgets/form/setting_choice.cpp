#include "widgets/form/setting_choice.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/run/stages.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/jobs/background.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Seconds that one value may take to plan: who looks at them waits.
constexpr double kPatience = 2;
constexpr int kMostChoices = 9;
constexpr int kChoiceWidth = 420;
enum ChoiceColumn { kValueColumn, kPeakColumn, kLatencyColumn, kChoiceColumns };

QTableWidgetItem* figureItem(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

}  // namespace

SettingChoice::SettingChoice(QWidget* parent)
    : QFrame(parent, Qt::Popup),
      title_(new QLabel(this)),
      help_(new QLabel(this)),
      table_(new QTableWidget(0, kChoiceColumns, this)),
      text_(new QLineEdit(this)),
      error_(new QLabel(this)),
      reset_(new QPushButton(this)),
      job_(tr("Trying settings"), Job::Stopping::abandons) {
  setObjectName(QStringLiteral("settingChoice"));
  setFrameShape(QFrame::StyledPanel);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  title_->setFont(strong);
  help_->setForegroundRole(QPalette::PlaceholderText);
  for (QLabel* label : {help_, error_}) label->setWordWrap(true);
  error_->setObjectName(QStringLiteral("settingError"));
  dressTable(table_);
  table_->setEditTriggers(QTableView::NoEditTriggers);
  table_->setHorizontalHeaderLabels({tr("Value"), tr("L2 peak"), tr("Latency")});
  table_->horizontalHeaderItem(kValueColumn)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->setToolTip(
      tr("What a plan takes with each value, made within two seconds. A click plans "
         "with it"));
  QHeaderView* header = table_->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(kValueColumn, QHeaderView::Stretch);
  text_->setObjectName(QStringLiteral("settingText"));
  auto* column = new QVBoxLayout(this);
  for (QWidget* part : std::initializer_list<QWidget*>{title_, help_, table_, text_, error_}) {
    column->addWidget(part);
  }
  buildFoot();
  connect(table_, &QTableWidget::itemActivated, this, [this](const QTableWidgetItem* item) {
    choose(setting_.values[static_cast<std::size_t>(item->row())]);
  });
  connect(table_, &QTableWidget::itemClicked, table_, &QTableWidget::itemActivated);
  connect(text_, &QLineEdit::returnPressed, this,
          [this] { choose(text_->text().trimmed().toStdString()); });
}

void SettingChoice::buildFoot() {
  auto* all = new QPushButton(tr("All settings\u2026"), this);
  all->setObjectName(QStringLiteral("allSettings"));
  reset_->setObjectName(QStringLiteral("settingReset"));
  for (QPushButton* button : {reset_, all}) button->setAutoDefault(false);
  auto* foot = new QHBoxLayout;
  foot->addWidget(reset_);
  foot->addStretch(1);
  foot->addWidget(all);
  static_cast<QVBoxLayout*>(layout())->addLayout(foot);
  connect(reset_, &QPushButton::clicked, this, [this] { choose(setting_.standard); });
  connect(all, &QPushButton::clicked, this, [this] {
    hide();
    Q_EMIT allSettingsWanted();
  });
}

void SettingChoice::open(const Setting& setting, const std::shared_ptr<const Run>& run,
                         const QWidget* widget, const QRect& place) {
  setting_ = setting;
  run_ = run;
  title_->setText(titleText(setting.label));
  setAccessibleName(title_->text());
  help_->setText(titleText(setting.help));
  error_->hide();
  error_->clear();
  text_->clear();
  text_->setVisible(!setting.closed);
  text_->setAccessibleName(tr("Another value of %1").arg(title_->text()));
  text_->setPlaceholderText(tr("Another: %1").arg(viewText(setting.type)));
  reset_->setVisible(!setting.isStandard());
  reset_->setText(tr("Reset to %1").arg(QString::fromStdString(printable(setting.standard, 40))));
  showValues();
  resize(kChoiceWidth, sizeHint().height());
  popUnder(this, widget, place);
  (setting.values.empty() ? static_cast<QWidget*>(text_) : table_)->setFocus();
  planAll();
}

void SettingChoice::showValues() {
  table_->setVisible(!setting_.values.empty());
  table_->setAccessibleName(tr("Values of %1").arg(title_->text()));
  table_->setRowCount(static_cast<int>(setting_.values.size()));
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  for (int row = 0; row < table_->rowCount(); ++row) {
    const std::string& value = setting_.values[static_cast<std::size_t>(row)];
    auto* item = new QTableWidgetItem(QString::fromStdString(printable(value, 60)));
    table_->setItem(row, kValueColumn, item);
    for (int column = kPeakColumn; column < kChoiceColumns; ++column) {
      table_->setItem(row, column, figureItem(QStringLiteral("\u2026")));
    }
    if (setting_.now != value) continue;
    item->setFont(strong);
    table_->setCurrentItem(item);
  }
  const int rows = std::min(table_->rowCount(), kMostChoices);
  const int rowHeight = rows > 0 ? table_->rowHeight(0) : 0;
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + rows * rowHeight + 2);
}

void SettingChoice::showWhatFits(int row, const ComparisonRow& planned) {
  const auto show = [&](int column, const QString& text, const QColor& color) {
    QTableWidgetItem* item = table_->item(row, column);
    item->setText(text);
    item->setForeground(color);
  };
  const Theme& theme = Theme::current();
  show(kLatencyColumn,
       planned.figures.latency && planned.fits() ? timeText(*planned.figures.latency) : QString(),
       theme.text);
  if (!planned.run) {
    show(kPeakColumn, planned.stopped() ? tr("too slow to try") : tr("not possible"),
         theme.mutedText);
    if (planned.error) {
      const auto why = QString::fromStdString(printable(planned.error->text(), 400));
      table_->item(row, kValueColumn)->setToolTip(why);
    }
    return;
  }
  show(kPeakColumn, planned.fits() ? sizeText(planned.figures.peakL2) : tr("does not fit"),
       planned.fits() ? theme.text : theme.capacity);
}

/// Plans the model with every value, one after the other, unless it is so large that nobody would
/// wait for it.
void SettingChoice::planAll() {
  if (setting_.values.empty()) return;
  if (!isSmallRun(*run_)) {
    for (int row = 0; row < table_->rowCount(); ++row) {
      for (int column = kPeakColumn; column < kChoiceColumns; ++column) {
        table_->item(row, column)->setText(QString());
      }
    }
    return;
  }
  std::vector<RunRequest> requests;
  std::vector<int> rows;
  for (std::size_t i = 0; i < setting_.values.size(); ++i) {
    auto request = setting_.with(setting_.values[i]);
    if (!request) continue;
    const double limit = request->timeLimit;
    request->timeLimit = limit > 0 ? std::min(limit, kPatience) : kPatience;
    requests.push_back(std::move(*request));
    rows.push_back(static_cast<int>(i));
  }
  job_.start(
      [this, model = run_->model, requests, rows](const JobContext& context) {
        Comparison comparison = openComparison(model, requests);
        RunContext quiet{.stop = context.stop, .common = std::make_shared<CommonWork>()};
        for (std::size_t i = 0; i < rows.size() && !context.stop.stop_requested(); ++i) {
          ComparisonRow planned = comparison.rows[i];
          fillRow(comparison, planned, quiet);
          context.tell([this, row = rows[i], planned] { showWhatFits(row, planned); });
        }
        return rows.size();
      },
      [](std::size_t count) -> JobEnd {
        return {JobState::done, tr("%1 values").arg(count)};
      });
}

void SettingChoice::choose(const std::string& text) {
  const auto request = setting_.with(text);
  if (!request) {
    error_->setText(QString::fromStdString(printable(request.error().text(), 400)));
    error_->show();
    adjustSize();
    return;
  }
  hide();
  Q_EMIT chosen(*request);
}

void SettingChoice::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  job_.abandon();
}

}  // namespace hw
