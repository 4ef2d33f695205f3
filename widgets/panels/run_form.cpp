#include "widgets/panels/run_form.h"

#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QToolButton>

#include "core/base/text.h"
#include "core/memory/platforms.h"
#include "widgets/icons.h"

namespace hw {

namespace {

constexpr int kAnnounceMilliseconds = 250;

QString viewText(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

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
  allocator_ = new QComboBox(this);
  allocator_->setObjectName(QStringLiteral("allocator"));
  allocator_->setAccessibleName(tr("Allocator"));
  for (const AllocatorInfo& info : allocatorCatalog()) {
    allocator_->addItem(viewText(info.name));
    allocator_->setItemData(allocator_->count() - 1, viewText(info.summary), Qt::ToolTipRole);
  }
  form->addRow(tr("&Allocator"), allocator_);
  params_ = new ParamForm(this);
  form->addRow(QString(), params_);
  connect(allocator_, &QComboBox::currentIndexChanged, this, &RunForm::chooseAllocator);
  connect(params_, &ParamForm::changed, this, &RunForm::announceSoon);
}

void RunForm::addMachineRows(QFormLayout* form) {
  platform_ = new QComboBox(this);
  platform_->setObjectName(QStringLiteral("platform"));
  platform_->setAccessibleName(tr("Platform"));
  platform_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const Platform& platform : platforms_) {
    platform_->addItem(QString::fromStdString(platform.name));
  }
  auto* file = new QToolButton(this);
  file->setIcon(glyphIcon(Glyph::open));
  file->setAutoRaise(true);
  file->setToolTip(tr("Take a platform from a TOML file"));
  file->setAccessibleName(tr("Platform from a file"));
  connect(file, &QToolButton::clicked, this, &RunForm::platformFileWanted);
  auto* row = new QHBoxLayout;
  row->addWidget(platform_);
  row->addWidget(file);
  auto* platformLabel = new QLabel(tr("&Platform"), this);
  form->addRow(platformLabel, row);
  platformLabel->setBuddy(platform_);  // A row with a layout takes the buddy away.
  l2_ = new QComboBox(this);
  l2_->setObjectName(QStringLiteral("l2"));
  l2_->setAccessibleName(tr("L2 size"));
  l2_->addItems({tr("Platform"), tr("Unbounded"), tr("Custom")});
  l2Size_ = new QLineEdit(this);
  l2Size_->setObjectName(QStringLiteral("l2Size"));
  l2Size_->setAccessibleName(tr("Custom L2 size"));
  l2Size_->setPlaceholderText(tr("512KiB"));
  l2Size_->setToolTip(tr("What may be planned of the first pool: 4096, 512KiB, 1.5MiB"));
  auto* sizes = new QHBoxLayout;
  sizes->addWidget(l2_);
  sizes->addWidget(l2Size_, 1);
  auto* sizeLabel = new QLabel(tr("L&2 size"), this);
  form->addRow(sizeLabel, sizes);
  sizeLabel->setBuddy(l2_);
  connect(platform_, &QComboBox::currentIndexChanged, this, &RunForm::showPlatform);
  connect(l2_, &QComboBox::currentIndexChanged, this, &RunForm::showPlatform);
  connect(l2Size_, &QLineEdit::editingFinished, this, &RunForm::announceSoon);
}

void RunForm::addStorageRows(QFormLayout* form) {
  alignment_ = new QComboBox(this);
  alignment_->setObjectName(QStringLiteral("alignment"));
  alignment_->setAccessibleName(tr("Alignment"));
  alignment_->setEditable(true);
  alignment_->addItem(tr("default"));
  for (int bytes = 1; bytes <= 4096; bytes *= 2) alignment_->addItem(QString::number(bytes));
  alignment_->setToolTip(
      tr("Every address is a multiple of it; by default 64 bytes, 1 for planning problems"));
  form->addRow(tr("Ali&gnment"), alignment_);
  connect(alignment_, &QComboBox::currentTextChanged, this, &RunForm::announceSoon);
  reshape_ = makeBox(tr("views"), tr("Reshape, flatten and the like keep their input's bytes"));
  concat_ = makeBox(tr("concat"), tr("Inputs of a concat are slices of its output"));
  split_ = makeBox(tr("split"), tr("Outputs of a split are slices of its input"));
  inPlace_ =
      makeBox(tr("in place"), tr("An output takes over the bytes of an input that dies in its op"));
  auto* share = new QGridLayout;
  share->addWidget(reshape_, 0, 0);
  share->addWidget(concat_, 0, 1);
  share->addWidget(split_, 1, 0);
  share->addWidget(inPlace_, 1, 1);
  form->addRow(tr("Share"), share);
  inputs_ = makeBox(tr("inputs"), tr("Off: graph inputs live outside and are not planned"));
  outputs_ = makeBox(tr("outputs"), tr("Off: graph outputs live outside and are not planned"));
  auto* arena = new QGridLayout;
  arena->addWidget(inputs_, 0, 0);
  arena->addWidget(outputs_, 0, 1);
  form->addRow(tr("In the arena"), arena);
  weights_ =
      makeBox(tr("streamed from L3"), tr("Off: weights are resident and cost no time at all"));
  form->addRow(tr("Weights"), weights_);
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
  announceSoon();
}

void RunForm::showPlatform() {
  const auto index = static_cast<std::size_t>(platform_->currentIndex());
  const bool custom = l2_->currentIndex() == kindIndex(PoolSize::Kind::bytes);
  l2Size_->setVisible(custom);
  if (index < platforms_.size()) {
    const Platform& platform = platforms_[index];
    platform_->setToolTip(QString::fromStdString(printable(platform.summary, 400)));
    const auto target = platform.devices.front().pools.front().target();
    const QString size = target ? QString::fromStdString(formatBytes(*target)) : tr("unbounded");
    l2_->setItemText(0, tr("Platform (%1)").arg(size));
  }
  announceSoon();
}

void RunForm::addPlatform(const Platform& platform) {
  platforms_.push_back(platform);
  platform_->addItem(QString::fromStdString(printable(platform.name)));
  platform_->setCurrentIndex(platform_->count() - 1);
}

void RunForm::announceSoon() {
  if (filling_) return;
  const auto read = config();
  error_->setVisible(!read);
  if (!read) {
    error_->setText(QString::fromStdString(read.error().text()));
    delay_.stop();
    return;
  }
  delay_.start();
}

void RunForm::setConfig(const RunConfig& config) {
  filling_ = true;
  base_ = config;
  for (std::size_t index = 0; index < allocatorCatalog().size(); ++index) {
    if (&allocatorCatalog()[index] != config.allocator.info) continue;
    allocator_->setCurrentIndex(static_cast<int>(index));
  }
  chooseAllocator();
  params_->setChoice(config.allocator);
  const int known = platform_->findText(QString::fromStdString(config.platform.name));
  if (known >= 0) {
    platform_->setCurrentIndex(known);
  } else {
    addPlatform(config.platform);
  }
  l2_->setCurrentIndex(kindIndex(config.l2.kind));
  const auto bytes = config.l2.bytes.count();
  l2Size_->setText(config.l2.kind == PoolSize::Kind::bytes ? QString::number(bytes) : QString());
  showPlatform();
  alignment_->setCurrentText(config.alignment ? QString::number(config.alignment->count())
                                              : tr("default"));
  reshape_->setChecked(config.alias.reshape);
  concat_->setChecked(config.alias.concat);
  split_->setChecked(config.alias.split);
  inPlace_->setChecked(config.alias.inPlace);
  inputs_->setChecked(config.planInputs);
  outputs_->setChecked(config.planOutputs);
  weights_->setChecked(config.streamWeights);
  filling_ = false;
}

Result<PoolSize> RunForm::l2Choice() const {
  PoolSize size{.kind = static_cast<PoolSize::Kind>(l2_->currentIndex())};
  if (size.kind != PoolSize::Kind::bytes) return size;
  const QString text = l2Size_->text().trimmed();
  if (text.isEmpty()) {
    return fail(ErrorCode::invalidArgument,
                tr("L2 size: say how large, such as 512KiB").toStdString());
  }
  const auto bytes = parseSize(text.toStdString());
  if (!bytes) return fail(ErrorCode::invalidArgument, "L2 size: " + bytes.error().text());
  size.bytes = *bytes;
  return size;
}

Result<std::optional<Bytes>> RunForm::alignmentChoice() const {
  const QString text = alignment_->currentText().trimmed();
  if (text.isEmpty() || text == tr("default")) return std::optional<Bytes>();
  const auto number = parseInteger(text.toStdString());
  if (!number || *number < 1 || (*number & (*number - 1)) != 0 || *number > (1 << 30)) {
    return fail(ErrorCode::invalidArgument,
                tr("alignment: '%1' is not a power of two up to 1 GiB").arg(text).toStdString());
  }
  return std::optional<Bytes>(Bytes(*number));
}

Result<void> RunForm::readMachine(RunConfig& config) const {
  config.platform = platforms_[static_cast<std::size_t>(platform_->currentIndex())];
  const auto l2 = l2Choice();
  if (!l2) return tl::unexpected(l2.error());
  config.l2 = *l2;
  const auto alignment = alignmentChoice();
  if (!alignment) return tl::unexpected(alignment.error());
  config.alignment = *alignment;
  return {};
}

Result<RunConfig> RunForm::config() const {
  RunConfig config = base_;
  auto allocator = params_->choice();
  if (!allocator) return tl::unexpected(allocator.error());
  config.allocator = *std::move(allocator);
  if (auto machine = readMachine(config); !machine) return tl::unexpected(machine.error());
  config.alias = {.reshape = reshape_->isChecked(),
                  .concat = concat_->isChecked(),
                  .split = split_->isChecked(),
                  .inPlace = inPlace_->isChecked()};
  config.planInputs = inputs_->isChecked();
  config.planOutputs = outputs_->isChecked();
  config.streamWeights = weights_->isChecked();
  return config;
}

}  // namespace hw
