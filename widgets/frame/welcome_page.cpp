#include "widgets/frame/welcome_page.h"

#include <QFileInfo>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <algorithm>

#include "core/picture/block_store.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// More cannot be told apart in so small a picture.
constexpr std::size_t kMostBlocks = 600;

}  // namespace

SampleCard sampleCard(const Run& run) {
  SampleCard card;
  const std::size_t ops = run.graph().ops.size();
  const Bytes peak = run.plan.footprint(PoolId(0));
  const auto& capacity = run.problem.pools[PoolId(0)].capacity;
  const QString pool = poolText(run, PoolId(0));
  card.count = ops > 0 ? tr("%1 operators").arg(grouped(ops))
                       : tr("%1 buffers").arg(grouped(run.problem.stays.size()));
  card.peak = sizeText(peak);
  card.figures = tr("%1, %2 in %3")
                     .arg(card.count, card.peak,
                          capacity ? tr("%1 of %2").arg(pool, sizeText(*capacity))
                                   : tr("unlimited %1").arg(pool));
  const auto width = static_cast<double>(std::max<std::int64_t>(run.problem.steps.count(), 1));
  const auto height = static_cast<double>(std::max<std::int64_t>(peak.count(), 1));
  std::vector<StayId> stays = run.problem.stays.keys().toVector();
  std::ranges::stable_sort(stays, std::greater{},
                           [&](StayId id) { return run.problem.stays[id].size; });
  stays.resize(std::min(stays.size(), kMostBlocks));
  for (const StayId id : stays) {
    const auto& address = run.plan.addresses[id];
    if (!address || address->pool != PoolId(0)) continue;
    const Stay& stay = run.problem.stays[id];
    const auto low = static_cast<double>(run.plan.flatOffset(id)->count());
    card.blocks.push_back(
        {QRectF(static_cast<double>(stay.steps.begin.count()) / width, low / height,
                static_cast<double>(stay.steps.length().count()) / width,
                static_cast<double>(stay.size.count()) / height),
         stayClass(run, id)});
  }
  return card;
}

QImage cardPicture(const SampleCard& card, const QSize& size, const Theme& theme, double scale) {
  QImage image(size * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(theme.plot);
  QPainter painter(&image);
  const auto width = static_cast<double>(size.width());
  const auto height = static_cast<double>(size.height());
  for (const SampleCard::Block& block : card.blocks) {
    const QRectF& place = block.place;
    const QRectF at(place.left() * width, (1 - place.bottom()) * height,
                    std::max(place.width() * width, 0.6), std::max(place.height() * height, 0.6));
    painter.fillRect(at, theme.classColor(block.kind));
    if (at.width() < 4 || at.height() < 4) continue;
    painter.setPen(QPen(theme.plot, 0.7));
    painter.drawRect(at);
  }
  painter.setPen(theme.grid);
  painter.drawRect(QRectF(0.5, 0.5, width - 1, height - 1));
  return image;
}

namespace {

constexpr qsizetype kMostRecent = 4;
constexpr int kPageMargin = 48;
constexpr int kShelfGap = 12;
constexpr int kCardAir = 12;
constexpr int kPictureHeight = 84;
constexpr int kSampleWidth = 220;
constexpr int kWordsWidth = 260;
constexpr int kSummaryLines = 3;

QFont strongFont(const QFont& font, double scale = 1) {
  QFont strong = font;
  strong.setPointSizeF(font.pointSizeF() * scale);
  strong.setWeight(QFont::DemiBold);
  return strong;
}

}  // namespace

OpenCard::OpenCard(const QString& name, const QString& summary, QWidget* parent)
    : QAbstractButton(parent), summary_(summary) {
  setText(name);
  setAccessibleName(words());
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAttribute(Qt::WA_Hover);
}

void OpenCard::setSample(const SampleCard& sample) {
  sample_ = sample;
  setAccessibleName(words());
  update();
}

void OpenCard::setWordsOnly() { wordsOnly_ = true; }

QString OpenCard::words() const {
  const QString figures = sample_ ? sample_->figures + QLatin1Char('\n') : QString();
  return text() + QLatin1Char('\n') + figures + summary_;
}

int OpenCard::pictureHeight() const { return wordsOnly_ ? 0 : kPictureHeight + kCardAir; }

QSize OpenCard::sizeHint() const {
  const int lines = 1 + kSummaryLines + (wordsOnly_ ? 0 : 1);
  return {kSampleWidth, pictureHeight() + lines * fontMetrics().lineSpacing() + 2 * kCardAir + 4};
}

void OpenCard::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool marked = hasFocus() || underMouse();
  painter.setPen(QPen(marked ? theme.selection : theme.line, hasFocus() ? 2 : 1));
  painter.setBrush(theme.plot);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 10, 10);
  painter.setRenderHint(QPainter::Antialiasing, false);
  QRect room = rect().adjusted(kCardAir, kCardAir, -kCardAir, -kCardAir);
  if (sample_) {
    const QSize size(room.width(), kPictureHeight);
    painter.drawImage(room.topLeft(), cardPicture(*sample_, size, theme, devicePixelRatioF()));
  }
  room.setTop(room.top() + pictureHeight());
  painter.setFont(strongFont(font()));
  painter.setPen(theme.text);
  const QFontMetrics strong(painter.font());
  const QString peak = sample_ ? sample_->peak : QString();
  const int left = room.width() - strong.horizontalAdvance(peak) - kCardAir;
  painter.drawText(room, Qt::AlignLeft | Qt::AlignTop,
                   strong.elidedText(text(), Qt::ElideMiddle, left));
  painter.drawText(room, Qt::AlignRight | Qt::AlignTop, peak);
  room.setTop(room.top() + strong.lineSpacing());
  painter.setFont(font());
  painter.setPen(theme.mutedText);
  if (sample_) {
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop, sample_->count);
    room.setTop(room.top() + fontMetrics().lineSpacing());
  }
  painter.drawText(room, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, summary_);
}

CardShelf::CardShelf(const QString& title, bool wordsOnly, QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(title, this)),
      wordsOnly_(wordsOnly),
      least_(wordsOnly ? kWordsWidth : kSampleWidth) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  title_->setFont(strongFont(font(), 1.1));
  hide();
}

OpenCard* CardShelf::add(const QString& name, const QString& summary) {
  auto* card = new OpenCard(name, summary, this);
  if (wordsOnly_) card->setWordsOnly();
  card->show();
  cards_.append(card);
  show();
  arrange();
  return card;
}

void CardShelf::clear() {
  for (OpenCard* card : std::as_const(cards_)) card->deleteLater();
  cards_.clear();
  hide();
}

OpenCard* CardShelf::find(const QString& name) const {
  const auto found = std::ranges::find(cards_, name, &OpenCard::text);
  return found == cards_.end() ? nullptr : *found;
}

int CardShelf::columns() const { return std::max(1, (width() + kShelfGap) / (least_ + kShelfGap)); }

int CardShelf::rowHeight() const {
  return (cards_.isEmpty() ? 0 : cards_.front()->sizeHint().height()) + kShelfGap;
}

/// Places the cards, and takes as much height as they need.
void CardShelf::arrange() {
  const int across = columns();
  const int rows = (static_cast<int>(cards_.size()) + across - 1) / across;
  const int each = (width() + kShelfGap) / across - kShelfGap;
  const int top = title_->sizeHint().height() + kShelfGap;
  title_->setGeometry(0, 0, width(), title_->sizeHint().height());
  for (int i = 0; i < cards_.size(); ++i) {
    cards_[i]->setGeometry(i % across * (each + kShelfGap), top + i / across * rowHeight(), each,
                           rowHeight() - kShelfGap);
  }
  setFixedHeight(top + rows * rowHeight());
}

void CardShelf::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) arrange();
}

WelcomePage::WelcomePage(QWidget* parent) : QScrollArea(parent) {
  setAccessibleName(tr("Welcome"));
  setObjectName(QStringLiteral("welcomePage"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kPageMargin, kPageMargin / 2, kPageMargin, kPageMargin / 2);
  column->setSpacing(kShelfGap);
  buildHead(column);
  recent_ = new CardShelf(tr("Recent"), true, page);
  samples_ = new CardShelf(tr("Samples: the number is the peak of one memory"), false, page);
  lessons_ = new CardShelf(
      tr("How the allocators work, on networks small enough to follow by hand"), true, page);
  missing_ =
      new QLabel(tr("The samples folder was not found; HIGHWATER_SAMPLES can name it."), page);
  for (QWidget* each : {static_cast<QWidget*>(recent_), static_cast<QWidget*>(samples_),
                        static_cast<QWidget*>(missing_), static_cast<QWidget*>(lessons_)}) {
    column->addWidget(each);
  }
  column->addStretch(1);
  setWidget(page);
}

void WelcomePage::buildHead(QBoxLayout* column) {
  auto* headline = new QLabel(tr("See where every tensor lives, when, and why."), this);
  headline->setFont(strongFont(font(), 1.9));
  headline->setWordWrap(true);
  auto* lead =
      new QLabel(tr("Plans and simulates the memory of a neural network. Open a model or a "
                    "plan, drop one anywhere in the window, or start with a sample: ONNX, "
                    "TFLite, graph JSON, planning problems and the plans of other tools "
                    "are recognised by their content."),
                 this);
  lead->setWordWrap(true);
  lead->setForegroundRole(QPalette::PlaceholderText);
  auto* open = new QPushButton(tr("Open a file\u2026"), this);
  open->setObjectName(QStringLiteral("openFile"));
  open->setDefault(true);
  open->setToolTip(tr("Ctrl+O"));
  connect(open, &QPushButton::clicked, this, &WelcomePage::openWanted);
  auto* row = new QHBoxLayout;
  row->addWidget(open);
  row->addStretch(1);
  column->addWidget(headline);
  column->addWidget(lead);
  column->addLayout(row);
}

void WelcomePage::setSamples(const std::vector<Sample>& samples) {
  samples_->clear();
  for (const auto& [name, summary] : samples) {
    const QString model = QStringLiteral("samples:") + name;
    connect(samples_->add(name, summary), &QAbstractButton::clicked, this,
            [this, model] { Q_EMIT modelChosen(model); });
  }
  missing_->setVisible(samples.empty());
}

void WelcomePage::setRecent(const QStringList& paths) {
  recent_->clear();
  for (const QString& path : paths.mid(0, kMostRecent)) {
    const QFileInfo file(path);
    const bool named = file.fileName() == path;  // A sample, or beside the program.
    OpenCard* card = recent_->add(file.fileName(), named ? QString() : file.path());
    connect(card, &QAbstractButton::clicked, this, [this, path] { Q_EMIT modelChosen(path); });
  }
}

void WelcomePage::setLessons(const std::vector<Sample>& lessons) {
  lessons_->clear();
  for (const auto& [name, summary] : lessons) {
    OpenCard* card = lessons_->add(name, summary);
    connect(card, &QAbstractButton::clicked, this,
            [this, name = name] { Q_EMIT lessonChosen(name); });
  }
}

bool WelcomePage::hasCard(const QString& sample) const {
  const OpenCard* card = samples_->find(sample);
  return card != nullptr && card->hasPicture();
}

void WelcomePage::setCard(const QString& name, const SampleCard& card) {
  if (OpenCard* own = samples_->find(name)) own->setSample(card);
}

}  // namespace hw
