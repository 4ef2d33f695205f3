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
constexpr std::size_t kLongestValue = 24;
constexpr std::array<std::string_view, 3> kAlwaysShown = {"allocator", "platform", "l2"};

}  // namespace

RunPills::RunPills(SettingChoice* choice, QWidget* parent)
    : QWidget(parent), choice_(choice), row_(new QHBoxLayout(this)), more_(new QToolButton(this)) {
  setObjectName(QStringLiteral("runPills"));
  setAccessibleName(tr("What the run was planned with"));
  row_->setContentsMargins(kPillMargin, 8, kPillMargin, 0);
  row_->setSpacing(kPillGap);
  row_->setSizeConstraint(QLayout::SetNoConstraint);
  more_->setToolTip(tr("All settings"));
  connect(more_, &QToolButton::clicked, this, &RunPills::allSettingsWanted);
  row_->addWidget(more_);
  row_->addStretch(1);
}

void RunPills::setEnd(QWidget* end) {
  end_ = end;
  row_->addWidget(end);
}

void RunPills::addPill(const Setting& setting) {
  const QString label = viewText(setting.label);
  const bool platform = setting.name == "platform";
  const std::string said = platform ? platformLabel(run_->request.platform) : setting.now;
  const QString value = QString::fromStdString(printable(said, kLongestValue));
  auto* pill = new QToolButton(this);
  pill->setObjectName(QStringLiteral("pill:") + viewText(setting.name));
  pill->setText(QStringLiteral("%1  %2 \u25be").arg(label, value));
  pill->setAccessibleName(QStringLiteral("%1: %2").arg(label, value));
  pill->setToolTip(tr("Change it"));
  connect(pill, &QToolButton::clicked, this,
          [this, pill, setting] { choice_->open(setting, run_, pill, pill->rect()); });
  row_->insertWidget(static_cast<int>(pills_.size()), pill);
  pills_.push_back(pill);
}

void RunPills::setRun(const std::shared_ptr<const Run>& run) {
  choice_->hide();
  run_ = run;
  for (QToolButton* pill : pills_) {
    pill->hide();
    pill->deleteLater();
  }
  pills_.clear();
  for (const Setting& setting : settingsOf(run)) {
    const bool always = std::ranges::find(kAlwaysShown, setting.name) != kAlwaysShown.end();
    const bool unusual = !setting.isStandard() && setting.group != OptionGroup::effort;
    if (always || unusual) addPill(setting);
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
