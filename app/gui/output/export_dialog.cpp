#include "app/gui/output/export_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QVBoxLayout>

namespace hw {

namespace {

constexpr QSize kPreview{560, 400};

void choose(QComboBox* box, const QString& data) {
  box->setCurrentIndex(std::max(0, box->findData(data)));
}

}  // namespace

ExportDialog::ExportDialog(std::optional<PictureKind> kind, MakePicture makePicture,
                           Settings* settings, QWidget* parent)
    : QDialog(parent),
      makePicture_(std::move(makePicture)),
      settings_(settings),
      kind_(new QComboBox(this)),
      format_(new QComboBox(this)),
      preset_(new QComboBox(this)),
      colors_(new QComboBox(this)),
      scale_(new QComboBox(this)),
      footer_(new QCheckBox(tr("&Footer: where the picture comes from"), this)),
      preview_(new QLabel(this)),
      size_(new QLabel(this)) {
  setObjectName(QStringLiteral("exportDialog"));
  setWindowTitle(tr("Export a picture"));
  fillChoices();
  layOut();
  recall(kind);
  for (QComboBox* box : {kind_, format_, preset_, colors_, scale_}) {
    connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::update);
  }
  connect(footer_, &QCheckBox::toggled, this, &ExportDialog::update);
  update();
}

void ExportDialog::fillChoices() {
  const auto fill = [](QComboBox* box, const char* name,
                       const QList<std::pair<QString, QString>>& entries) {
    box->setObjectName(QString::fromLatin1(name));
    for (const auto& [text, value] : entries) box->addItem(text, value);
  };
  const auto key = [](const char* word) { return QString::fromLatin1(word); };
  fill(kind_, "exportKind",
       {{tr("Memory maps"), key("map")},
        {tr("Peak memory chart"), key("chart")},
        {tr("Memory now"), key("now")},
        {tr("Lanes of the machine"), key("lanes")},
        {tr("Conflicts of buffers"), key("conflicts")},
        {tr("All views, without the window"), key("views")},
        {tr("Comparison"), key("compare")},
        {tr("The whole window"), key("window")}});
  fill(format_, "exportFormat",
       {{tr("PNG, pixels"), key("png")},
        {tr("SVG, shapes and text"), key("svg")},
        {tr("PDF, shapes and text"), key("pdf")},
        {tr("WebP, plays the steps on show"), key("webp")}});
  fill(preset_, "exportPreset",
       {{tr("As on the screen"), key("screen")},
        {tr("16:9 slide"), key("16:9")},
        {tr("Column of a paper, 88 mm"), key("column")},
        {tr("A4 page"), key("a4")}});
  fill(colors_, "exportColors",
       {{tr("As on the screen"), key("screen")},
        {tr("Light"), key("light")},
        {tr("Dark"), key("dark")}});
  fill(scale_, "exportScale",
       {{tr("1x"), key("1")}, {tr("2x"), key("2")}, {tr("3x, for print"), key("3")}});
  footer_->setObjectName(QStringLiteral("exportFooter"));
  footer_->setToolTip(tr("Version, model and its SHA-256, allocator, machine, alignment, seed"));
}

void ExportDialog::layOut() {
  auto* form = new QFormLayout;
  form->addRow(tr("&What"), kind_);
  form->addRow(tr("F&ormat"), format_);
  form->addRow(tr("&Size"), preset_);
  form->addRow(tr("Colou&rs"), colors_);
  form->addRow(tr("Sca&le"), scale_);
  form->addRow(footer_);
  form->addRow(size_);
  size_->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  export_ = buttons->addButton(tr("&Export\u2026"), QDialogButtonBox::AcceptRole);
  export_->setObjectName(QStringLiteral("exportAccept"));
  export_->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);

  preview_->setObjectName(QStringLiteral("exportPreview"));
  preview_->setAccessibleName(tr("Preview"));
  preview_->setMinimumSize(kPreview / 2);
  preview_->setAlignment(Qt::AlignCenter);
  preview_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  auto* left = new QVBoxLayout;
  left->addLayout(form);
  left->addStretch();
  left->addWidget(buttons);
  auto* layout = new QHBoxLayout(this);
  layout->addLayout(left);
  layout->addWidget(preview_, 1);
  resize(kPreview.width() + 330, kPreview.height() + 24);
}

void ExportDialog::recall(std::optional<PictureKind> kind) {
  const auto last = [this](const char* name, const char* fallback) {
    const QString value = settings_->remembered(QStringLiteral("export/") + QLatin1String(name));
    return value.isEmpty() ? QString::fromLatin1(fallback) : value;
  };
  choose(kind_, kind ? nameOf(pictureKinds(), *kind) : last("kind", "map"));
  choose(format_, last("format", "png"));
  choose(preset_, last("preset", "screen"));
  choose(colors_, last("colors", "screen"));
  choose(scale_, last("scale", "2"));
  footer_->setChecked(last("footer", "yes") == QLatin1String("yes"));
}

void ExportDialog::accept() {
  const auto keep = [this](const char* name, const QString& value) {
    settings_->remember(QStringLiteral("export/") + QLatin1String(name), value);
  };
  keep("kind", kind_->currentData().toString());
  keep("format", format());
  keep("preset", preset_->currentData().toString());
  keep("colors", colors_->currentData().toString());
  keep("scale", scale_->currentData().toString());
  keep("footer", footer_->isChecked() ? QStringLiteral("yes") : QStringLiteral("no"));
  QDialog::accept();
}

bool ExportDialog::isPixels() const {
  return format() == QLatin1String("png") || format() == QLatin1String("webp");
}

PictureStyle ExportDialog::style() const {
  PictureStyle style;
  style.kind = *valueNamed(pictureKinds(), kind_->currentData().toString());
  style.scale = isPixels() ? scale_->currentData().toInt() : 1;
  style.footer = footer_->isChecked();
  if (!isFree(style.kind)) return style;
  style.preset = *valueNamed(picturePresets(), preset_->currentData().toString());
  style.colors = *valueNamed(pictureColors(), colors_->currentData().toString());
  return style;
}

/// A choice that cannot be made says why.
void ExportDialog::update() {
  const bool free = isFree(style().kind);
  const bool pixels = isPixels();
  const QString fixed = tr("The whole window is shown as it is on the screen");
  for (QComboBox* box : {preset_, colors_}) {
    box->setEnabled(free);
    box->setToolTip(free ? QString() : fixed);
  }
  scale_->setEnabled(pixels);
  scale_->setToolTip(pixels ? QString() : tr("Shapes and text are sharp at every scale"));
  showPreview();
}

/// Drawing the window has Qt lay out its dialogs first: this one, that asks for the picture.
void ExportDialog::showPreview() {
  if (drawing_) return;
  const QScopedValueRollback drawing(drawing_, true);
  const Picture picture = makePicture_(style());
  size_->setText(sizeText(picture));
  const QSize room = preview_->size() * devicePixelRatioF();
  QImage image = imageOf(picture).scaled(room, Qt::KeepAspectRatio, Qt::SmoothTransformation);
  image.setDevicePixelRatio(devicePixelRatioF());
  preview_->setPixmap(QPixmap::fromImage(image));
}

QString ExportDialog::sizeText(const Picture& picture) const {
  constexpr double kMillimetres = 25.4 / 96;
  if (isPixels()) {
    const QSize pixels = picture.size * picture.scale;
    return tr("%1 x %2 pixels").arg(pixels.width()).arg(pixels.height());
  }
  return tr("%1 x %2 mm, letters of %3 pt")
      .arg(qRound(picture.size.width() * kMillimetres))
      .arg(qRound(picture.size.height() * kMillimetres))
      .arg(picture.letters * 0.75);
}

void ExportDialog::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  showPreview();
}

}  // namespace hw
