#include "widgets/frame/run_pills.h"

#include <QResizeEvent>
#include <algorithm>
#include <array>

#include "core/machine/platforms.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kPillGap = 6;
constexpr int kPillMargin = 12;
constexpr std::array<std::string_view, 3> kAlwaysShown = {"allocator", "platform", "l2"};

QString valueText(const RunOption& option, const RunRequest& request) {
  if (option.name == "platform") {
    return QString::fromStdString(printable(platformLabel(request.platform), 24));
  }
  std::string text;
  for (const std::string& each : option.print(request)) text += (text.empty() ? "" : ", ") + each;
  return QString::fromStdString(printable(text.empty() ? "default" : text, 24));
}

}  // namespace

RunPills::RunPills(QWidget* parent)
    : QWidget(parent), row_(new QHBoxLayout(this)), more_(new QToolButton(this)) {
  setObjectName(QStringLiteral("runPills"));
  setAccessibleName(tr("What the run was planned with"));
  row_->setContentsMargins(kPillMargin, 8, kPillMargin, 0);
  row_->setSpacing(kPillGap);
  row_->setSizeConstraint(QLayout::SetNoConstraint);
  more_->setToolTip(tr("All settings"));
  connect(more_, &QToolButton::clicked, this, &RunPills::allSettingsWanted);
  connect(&choice_, &SettingChoice::chosen, this, &RunPills::requestWanted);
  connect(&choice_, &SettingChoice::allSettingsWanted, this, &RunPills::allSettingsWanted);
  row_->addWidget(more_);
  row_->addStretch(1);
}

void RunPills::setEnd(QWidget* end) {
  end_ = end;
  row_->addWidget(end);
}

void RunPills::addPill(const RunOption& option) {
  const auto label = viewText(option.label);
  const QString value = valueText(option, run_->request);
  auto* pill = new QToolButton(this);
  pill->setObjectName(QStringLiteral("pill:") + viewText(option.name));
  pill->setText(QStringLiteral("%1  %2 \u25be").arg(label, value));
  pill->setAccessibleName(QStringLiteral("%1: %2").arg(label, value));
  pill->setToolTip(tr("Change it"));
  connect(pill, &QToolButton::clicked, this,
          [this, pill, &option] { choice_.open(option, run_, pill); });
  row_->insertWidget(static_cast<int>(pills_.size()), pill);
  pills_.push_back(pill);
}

void RunPills::setRun(const std::shared_ptr<const Run>& run) {
  choice_.hide();
  run_ = run;
  for (QToolButton* pill : pills_) {
    pill->hide();
    pill->deleteLater();
  }
  pills_.clear();
  for (const std::string_view name : kAlwaysShown) addPill(*findOption(name));
  for (const OptionChange& change : changesBetween(defaultRequest(), run->request)) {
    const std::string_view name = change.option->name;
    if (name != "model" && std::ranges::find(kAlwaysShown, name) == kAlwaysShown.end())
      addPill(*change.option);
  }
  showWhatFits();
}

void RunPills::showWhatFits() {
  const int end = end_ != nullptr ? end_->sizeHint().width() + kPillGap : 0;
  more_->setText(tr("+ all settings"));
  int left = width() - 2 * kPillMargin - end - more_->sizeHint().width() - kPillGap;
  std::size_t shown = 0;
  for (; shown < pills_.size(); ++shown) {
    left -= pills_[shown]->sizeHint().width() + kPillGap;
    if (left < 0) break;
  }
  for (std::size_t i = 0; i < pills_.size(); ++i) pills_[i]->setVisible(i < shown);
  if (shown < pills_.size()) more_->setText(tr("+ %1 more").arg(pills_.size() - shown));
}

void RunPills::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showWhatFits();
}

}  // namespace hw
