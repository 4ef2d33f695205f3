#include "widgets/form/run_form.h"

#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/storage/aliasing.h"
#include "widgets/base/icons.h"
#include "widgets/text/text.h"

namespace hw {

ParamForm::ParamForm(QWidget* parent) : QWidget(parent) {
  auto* layout = new QFormLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setRowWrapPolicy(QFormLayout::WrapLongRows);
}

void ParamForm::setChoice(const AllocatorChoice& choice) {
  auto* form = static_cast<QFormLayout*>(layout());
  while (form->rowCount() > 0) form->removeRow(0);
  fields_.clear();
  info_ = choice.info;
  if (!info_) return;
  for (const ParamSpec& spec : info_->params) {
    QWidget* field = makeField(spec, paramText(choice.params.value(spec)));
    const QString words = titleText(spec.label.empty() ? spec.name : spec.label);
    field->setObjectName(viewText(spec.name));
    field->setToolTip(
        tr("%1 (%2; by default %3)")
            .arg(titleText(spec.summary), viewText(spec.name), viewText(spec.fallback)));
    field->setAccessibleName(words);
    fields_[std::string(spec.name)] = field;
    auto* label = new QLabel(words, this);
    label->setToolTip(field->toolTip());
    label->setBuddy(field);
    if (spec.unit.empty()) {
      form->addRow(label, field);
      continue;
    }
    auto* row = new QHBoxLayout;
    row->addWidget(field, 1);
    row->addWidget(new QLabel(viewText(spec.unit), this));
    form->addRow(label, row);
  }
}

QWidget* ParamForm::makeField(const ParamSpec& spec, const std::string& value) {
  if (spec.type == ParamType::choice) {
    auto* box = new QComboBox(this);
    for (const std::string_view choice : spec.choices) box->addItem(viewText(choice));
    box->setCurrentText(QString::fromStdString(value));
    connect(box, &QComboBox::currentIndexChanged, this, &ParamForm::changed);
    return box;
  }
  if (spec.type == ParamType::flag) {
    auto* box = new QCheckBox(this);
    box->setChecked(value == "true");
    connect(box, &QCheckBox::toggled, this, &ParamForm::changed);
    return box;
  }
  auto* line = new QLineEdit(QString::fromStdString(value), this);
  line->setPlaceholderText(viewText(spec.fallback));
  connect(line, &QLineEdit::editingFinished, this, [this, line] {
    if (!line->isModified()) return;
    line->setModified(false);
    Q_EMIT changed();
  });
  return line;
}

std::string ParamForm::textOf(const ParamSpec& spec) const {
  const QWidget* field = fields_.at(std::string(spec.name));
  if (const auto* box = qobject_cast<const QComboBox*>(field)) {
    return box->currentText().toStdString();
  }
  if (const auto* box = qobject_cast<const QCheckBox*>(field)) {
    return box->isChecked() ? "true" : "false";
  }
  const QString text = static_cast<const QLineEdit*>(field)->text().trimmed();
  return text.isEmpty() ? std::string(spec.fallback) : text.toStdString();
}

Result<AllocatorChoice> ParamForm::choice() const {
  AllocatorChoice choice{.info = info_};
  if (!info_) return fail(ErrorCode::invalidArgument, "no allocator was chosen");
  for (const ParamSpec& spec : info_->params) {
    const std::string text = textOf(spec);
    if (const auto value = parseParam(spec, text); value == Params().value(spec)) continue;
    HW_DO(choice.params.set(spec, text));
  }
  return choice;
}

namespace {

constexpr int kAnnounceMilliseconds = 250;

int kindIndex(PoolSize::Kind kind) { return static_cast<int>(kind); }

}  // namespace

RunForm::RunForm(QWidget* parent) : QScrollArea(parent), platforms_(platformCatalog()) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget(this);
  auto* form = new QFormLayout(page);
  form->setContentsMargins(8, 8, 8, 8);
  form->setVerticalSpacing(5);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);  // In a narrow panel nothing is cut off.
  addAllocatorRows(form);
  addMachineRows(form);
  addStorageRows(form);
  error_ = new QLabel(page);
  error_->setObjectName(QStringLiteral("formError"));
  error_->setWordWrap(true);
  error_->setForegroundRole(QPalette::BrightText);
  error_->hide();
  form->addRow(error_);
  setWidget(page);
  delay_.setSingleShot(true);
  delay_.setInterval(kAnnounceMilliseconds);
  connect(&delay_, &QTimer::timeout, this, &RunForm::changed);
}

void RunForm::addAllocatorRows(QFormLayout* form) {
  allocator_ = makeChoice(QStringLiteral("allocator"), tr("Allocator"));
  for (const AllocatorInfo& info : allocatorCatalog()) {
    allocator_->addItem(viewText(info.name));
    allocator_->setItemData(allocator_->count() - 1, viewText(info.summary), Qt::ToolTipRole);
  }
  form->addRow(tr("&Allocator"), allocator_);
  unfold_ = new QToolButton(this);
  unfold_->setObjectName(QStringLiteral("showParams"));
  unfold_->setText(tr("Search and fit"));
  unfold_->setToolTip(tr("What this allocator can be told: how it fits, how long it searches"));
  unfold_->setCheckable(true);
  unfold_->setAutoRaise(true);
  unfold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  form->addRow(QString(), unfold_);
  params_ = new ParamForm(this);
  form->addRow(QString(), params_);
  connect(unfold_, &QToolButton::toggled, this, &RunForm::showParams);
  connect(allocator_, &QComboBox::currentIndexChanged, this, &RunForm::chooseAllocator);
  connect(params_, &ParamForm::changed, this, &RunForm::announceSoon);
}

namespace {

/// A row of two widgets side by side, both `stretch` wide; the title is that of the first.
void addPair(QFormLayout* form, const QString& title, QWidget* field, QWidget* beside,
             int stretch) {
  auto* row = new QHBoxLayout;
  row->addWidget(field, stretch);
  row->addWidget(beside, stretch);
  auto* label = new QLabel(title, field->parentWidget());
  form->addRow(label, row);
  label->setBuddy(field);  // A row with a layout takes the buddy away.
}

}  // namespace

void RunForm::addMachineRows(QFormLayout* form) {
  platform_ = makeChoice(QStringLiteral("platform"), tr("Platform"));
  for (const Platform& platform : platforms_) {
    platform_->addItem(QString::fromStdString(platform.name));
  }
  auto* file = new QToolButton(this);
  file->setIcon(glyphIcon(Glyph::open));
  file->setAutoRaise(true);
  file->setToolTip(tr("Take a platform from a TOML file"));
  file->setAccessibleName(tr("Platform from a file"));
  connect(file, &QToolButton::clicked, this, &RunForm::platformFileWanted);
  addPair(form, tr("&Platform"), platform_, file, 0);
  l2_ = makeChoice(QStringLiteral("l2"), tr("L2 size"));
  l2_->addItems({tr("Platform"), tr("Unbounded"), tr("Custom")});
  l2Size_ = new QLineEdit(this);
  l2Size_->setObjectName(QStringLiteral("l2Size"));
  l2Size_->setAccessibleName(tr("Custom L2 size"));
  const RunOption& said = *findOption("l2");
  l2Size_->setPlaceholderText(viewText(said.examples[std::size_t(PoolSize::Kind::bytes)]));
  for (QWidget* field : std::initializer_list<QWidget*>{l2_, l2Size_}) {
    field->setToolTip(viewText(said.help));
  }
  addPair(form, tr("L&2 size"), l2_, l2Size_, 1);
  note_ = new QLabel(this);
  note_->setObjectName(QStringLiteral("formNote"));
  note_->setWordWrap(true);
  note_->hide();
  form->addRow(QString(), note_);
  connect(platform_, &QComboBox::currentIndexChanged, this, &RunForm::choosePlatform);
  connect(l2_, &QComboBox::currentIndexChanged, this, &RunForm::showPlatform);
  connect(l2Size_, &QLineEdit::editingFinished, this, &RunForm::announceSoon);
}

void RunForm::addStorageRows(QFormLayout* form) {
  addWords(form, "align", tr("Ali&gnment"));
  auto* share = new QGridLayout;
  for (const AliasRule& rule : aliasRules()) {
    const auto index = static_cast<int>(share_.size());
    share_.emplace_back(&rule, makeBox(viewText(rule.name), viewText(rule.meaning)));
    share->addWidget(share_.back().second, index / 2, index % 2);
  }
  form->addRow(tr("Share"), share);
  addWords(form, "inputs", tr("Inputs"));
  addWords(form, "outputs", tr("Outputs"));
  addWords(form, "weights", tr("Weights"));
  addWords(form, "layout", tr("Layout"));
  addWords(form, "order", tr("Order"));
}

/// They are the option's own, read back as such, and so not translated.
void RunForm::addWords(QFormLayout* form, const char* option, const QString& title) {
  const RunOption& said = *findOption(option);
  auto* box = makeChoice(viewText(said.name), QString(title).remove(QLatin1Char('&')));
  words_.emplace_back(&said, box);
  box->setEditable(said.choices.empty());
  for (const std::string_view word : said.choices.empty() ? said.examples : said.choices) {
    box->addItem(viewText(word));
  }
  box->setToolTip(viewText(said.help));
  form->addRow(title, box);
  connect(box, &QComboBox::currentTextChanged, this, &RunForm::announceSoon);
}

QComboBox* RunForm::makeChoice(const QString& name, const QString& accessibleName) {
  auto* box = new QComboBox(this);
  box->setObjectName(name);
  box->setAccessibleName(accessibleName);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  return box;
}

QCheckBox* RunForm::makeBox(const QString& text, const QString& toolTip) {
  auto* box = new QCheckBox(text, this);
  box->setToolTip(toolTip);
  connect(box, &QCheckBox::toggled, this, &RunForm::announceSoon);
  return box;
}

void RunForm::chooseAllocator() {
  const auto index = static_cast<std::size_t>(allocator_->currentIndex());
  if (index >= allocatorCatalog().size()) return;
  const AllocatorInfo& info = allocatorCatalog()[index];
  allocator_->setToolTip(viewText(info.summary));
  params_->setChoice({.info = &info});
  showParams(unfold_->isChecked());
  announceSoon();
}

void RunForm::showParams(bool shown) {
  const bool any =
      !allocatorCatalog()[static_cast<std::size_t>(allocator_->currentIndex())].params.empty();
  unfold_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
  unfold_->setVisible(any);
  params_->setVisible(any && shown);
}

void RunForm::choosePlatform() {
  if (!filling_) takePlatformSizes();
  showPlatform();
}

/// Sizes were said for the machine before: this one comes with its own.
void RunForm::takePlatformSizes() {
  base_.l3 = {};
  const bool custom = l2_->currentIndex() == kindIndex(PoolSize::Kind::bytes);
  if (custom)
    note_->setText(tr("L2 is the platform\u2019s now, no longer %1").arg(l2Size_->text()));
  note_->setVisible(custom);
  l2_->setCurrentIndex(kindIndex(PoolSize::Kind::platform));
}

void RunForm::setBare(bool bare) {
  if (bare == bare_) return;
  bare_ = bare;
  offerGraphRows();
  filling_ = true;
  showPlatform();
  filling_ = false;
}

/// A planning problem has no operators: nothing to share, to leave to the caller or to reorder.
void RunForm::offerGraphRows() {
  const auto offer = [this](QWidget* field, std::string_view help) {
    field->setEnabled(!bare_);
    field->setToolTip(bare_ ? tr("A planning problem says who lives when; this is about operators")
                            : viewText(help));
  };
  for (const auto& [rule, box] : share_) offer(box, rule->meaning);
  for (const auto& [option, box] : words_) {
    if (option->name != "align") offer(box, option->help);
  }
}

void RunForm::showPlatform() {
  const auto index = static_cast<std::size_t>(platform_->currentIndex());
  const bool custom = l2_->currentIndex() == kindIndex(PoolSize::Kind::bytes);
  l2Size_->setVisible(custom);
  if (l2_->currentIndex() != kindIndex(PoolSize::Kind::platform)) note_->hide();
  if (index < platforms_.size()) {
    const Platform& platform = platforms_[index];
    platform_->setToolTip(QString::fromStdString(printable(platform.summary, 400)));
    const auto target = platform.devices.front().pools.front().target();
    const bool usual = platformText(platform) == platformText(platformCatalog().front());
    const bool limited = target && !(bare_ && usual);
    const QString size = limited ? QString::fromStdString(formatBytes(*target)) : tr("unbounded");
    l2_->setItemText(0, tr("Platform: %1").arg(size));
  }
  announceSoon();
}

void RunForm::addPlatform(const Platform& platform) {
  auto known = std::ranges::find(platforms_, platformText(platform), platformText);
  if (known == platforms_.end()) {
    platform_->addItem(QString::fromStdString(printable(platformLabel(platform))));
    known = platforms_.insert(known, platform);
  }
  *known = platform;  // Its file may say something else by now.
  {
    const QSignalBlocker once(platform_);
    platform_->setCurrentIndex(static_cast<int>(known - platforms_.begin()));
  }
  choosePlatform();
}

void RunForm::announceSoon() {
  if (filling_) return;
  const auto read = request();
  error_->setVisible(!read);
  if (!read) {
    error_->setText(QString::fromStdString(read.error().text()));
    delay_.stop();
    return;
  }
  delay_.start();
}

void RunForm::setRequest(const RunRequest& request) {
  filling_ = true;
  base_ = request;
  for (std::size_t index = 0; index < allocatorCatalog().size(); ++index) {
    if (&allocatorCatalog()[index] != request.allocator.info) continue;
    allocator_->setCurrentIndex(static_cast<int>(index));
  }
  chooseAllocator();
  params_->setChoice(request.allocator);
  // Settings that are not as usual must be seen.
  if (!request.allocator.params.values().empty()) unfold_->setChecked(true);
  showParams(unfold_->isChecked());
  note_->hide();
  addPlatform(request.platform);
  l2_->setCurrentIndex(kindIndex(request.l2.kind));
  const bool custom = request.l2.kind == PoolSize::Kind::bytes;
  l2Size_->setText(custom ? QString::fromStdString(sizeWord(request.l2.bytes)) : QString());
  showPlatform();
  const auto said = [&](const RunOption* option) { return option->print(request).front(); };
  for (const auto& [option, box] : words_) {
    box->setCurrentText(QString::fromStdString(said(option)));
  }
  for (const auto& [rule, box] : share_) box->setChecked(request.alias.*(rule->flag));
  filling_ = false;
}

OptionTexts RunForm::texts() const {
  OptionTexts texts;
  for (const auto& [option, box] : words_) {
    const std::string text = box->currentText().trimmed().toStdString();
    texts[std::string(option->name)] = {text.empty() ? std::string(option->examples[0]) : text};
  }
  const int kind = l2_->currentIndex();
  texts["l2"] = {kind == kindIndex(PoolSize::Kind::bytes)
                     ? l2Size_->text().trimmed().toStdString()
                     : std::string(findOption("l2")->examples[static_cast<std::size_t>(kind)])};
  AliasRules alias;
  for (const auto& [rule, box] : share_) alias.*(rule->flag) = box->isChecked();
  texts["alias"] = {aliasText(alias)};
  return texts;
}

Result<RunRequest> RunForm::request() const {
  RunRequest request = base_;
  HW_TRY(allocator, params_->choice());
  request.allocator = std::move(allocator);
  request.platform = platforms_[static_cast<std::size_t>(platform_->currentIndex())];
  const OptionTexts said = texts();
  if (said.at("l2").front().empty()) {
    return fail(ErrorCode::invalidArgument,
                tr("L2 size: say how large, such as 512KiB").toStdString());
  }
  return readRequest(said, std::move(request), "");
}

}  // namespace hw
