#include "widgets/frame/setting_choice.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/run/embedded.h"
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

/// Sizes of the near memory: powers of two from an eighth of what the plan takes to above it.
void offerSizes(const Run& run, std::vector<std::string>& values) {
  constexpr std::int64_t kLeast = 1024;
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  const RunFigures figures = figuresOf(run);
  const std::int64_t whole = std::max(figures.peak(), figures.lowerBound).count();
  std::int64_t size = kLeast;
  while (size < whole / 8 && size < kMost) size *= 2;
  for (; size < 2 * whole && size < kMost; size *= 2) values.push_back(sizeWord(Bytes(size)));
}

QTableWidgetItem* figureItem(const QString& text) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

}  // namespace

std::vector<std::string> offeredValues(const RunOption& option, const Run& run) {
  std::vector<std::string> values;
  for (const std::string_view text : option.choices) values.emplace_back(text);
  for (const std::string_view text : option.examples) values.emplace_back(text);
  if (option.name == "allocator") {
    for (const AllocatorInfo& info : allocatorCatalog()) {
      if (appliesTo(info, run.graph())) values.emplace_back(info.name);
    }
  } else if (option.name == "platform") {
    for (const Platform& platform : platformCatalog()) values.push_back(platformText(platform));
  } else if (option.name == "l2") {
    offerSizes(run, values);
  }
  const std::vector<std::string> now = option.print(run.request);
  const bool offers = !values.empty() && now.size() == 1;
  if (offers && std::ranges::find(values, now.front()) == values.end()) {
    values.insert(values.begin(), now.front());
  }
  return values;
}

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
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  title_->setFont(strong);
  help_->setForegroundRole(QPalette::PlaceholderText);
  for (QLabel* label : {help_, error_}) label->setWordWrap(true);
  error_->setObjectName(QStringLiteral("settingError"));
  dressTable(table_);
  table_->setHorizontalHeaderLabels({tr("Value"), tr("Peak"), tr("Latency")});
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
    choose(values_[static_cast<std::size_t>(item->row())]);
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
  connect(reset_, &QPushButton::clicked, this, [this] {
    const auto standard = option_->print(defaultRequest());
    choose(standard.empty() ? std::string() : standard.front());
  });
  connect(all, &QPushButton::clicked, this, [this] {
    hide();
    Q_EMIT allSettingsWanted();
  });
}

void SettingChoice::open(const RunOption& option, const std::shared_ptr<const Run>& run,
                         const QWidget* pill) {
  option_ = &option;
  run_ = run;
  values_ = offeredValues(option, *run);
  title_->setText(titleText(option.label));
  setAccessibleName(title_->text());
  help_->setText(titleText(option.help));
  error_->hide();
  error_->clear();
  text_->clear();
  text_->setVisible(option.choices.empty());
  text_->setAccessibleName(tr("Another value of %1").arg(title_->text()));
  text_->setPlaceholderText(tr("Another: %1").arg(viewText(option.type)));
  const auto standard = option.print(defaultRequest());
  reset_->setVisible(!option.repeats && standard != option.print(run->request));
  const std::string word = standard.empty() ? "default" : standard.front();
  reset_->setText(tr("Reset to %1").arg(QString::fromStdString(printable(word, 40))));
  showValues();
  resize(kChoiceWidth, sizeHint().height());
  popUnder(this, pill);
  (values_.empty() ? static_cast<QWidget*>(text_) : table_)->setFocus();
  planAll();
}

void SettingChoice::showValues() {
  table_->setVisible(!values_.empty());
  table_->setAccessibleName(tr("Values of %1").arg(title_->text()));
  table_->setRowCount(static_cast<int>(values_.size()));
  const auto now = option_->print(run_->request);
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  for (int row = 0; row < table_->rowCount(); ++row) {
    const std::string& value = values_[static_cast<std::size_t>(row)];
    auto* item = new QTableWidgetItem(QString::fromStdString(printable(value, 60)));
    table_->setItem(row, kValueColumn, item);
    for (int column = kPeakColumn; column < kChoiceColumns; ++column) {
      table_->setItem(row, column, figureItem(QStringLiteral("\u2026")));
    }
    if (now.empty() || now.front() != value) continue;
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
  if (values_.empty()) return;
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
  for (std::size_t i = 0; i < values_.size(); ++i) {
    auto request = readRequest({{std::string(option_->name), {values_[i]}}}, run_->request, "");
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

/// The same as the option on the command line does.
void SettingChoice::choose(const std::string& text) {
  auto request = readRequest({{std::string(option_->name), {text}}}, run_->request, "");
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
