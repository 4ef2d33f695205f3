#include "app/gui/window/top_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>

#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "widgets/base/style.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kBarHeight = 48;
constexpr QSize kLogo(22, 22);

/// Blocks of memory on a rounded square.
QIcon logo(double ratio) {
  QPixmap pixmap(kLogo * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Theme::current().selection);
  painter.drawRoundedRect(QRectF(QPointF(), QSizeF(kLogo)), 6, 6);
  painter.setBrush(Theme::current().onSelection);
  painter.drawRect(QRectF(5, 6, 12, 3));
  painter.drawRect(QRectF(5, 10.5, 4, 6.5));
  painter.drawRect(QRectF(10.5, 10.5, 2.5, 6.5));
  painter.drawRect(QRectF(14.5, 10.5, 2.5, 6.5));
  return QIcon(pixmap);
}

}  // namespace

TopBar::TopBar(QWidget* parent)
    : QWidget(parent),
      menu_(new QToolButton(this)),
      file_(new QToolButton(this)),
      counts_(new QLabel(this)),
      places_(new Segment(this)),
      row_(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("topBar"));
  setFixedHeight(kBarHeight);
  menu_->setAutoRaise(true);
  menu_->setIconSize(kLogo);
  menu_->setPopupMode(QToolButton::InstantPopup);
  menu_->setAccessibleName(tr("Menu"));
  menu_->setToolTip(tr("All commands (F10)"));
  file_->setAutoRaise(true);
  file_->setPopupMode(QToolButton::InstantPopup);
  file_->setObjectName(QStringLiteral("fileButton"));
  QFont strong = file_->font();
  strong.setWeight(QFont::DemiBold);
  file_->setFont(strong);
  counts_->setTextFormat(Qt::PlainText);
  counts_->setForegroundRole(QPalette::PlaceholderText);
  counts_->setMinimumWidth(1);
  row_->setContentsMargins(12, 0, 12, 0);
  row_->setSpacing(8);
  row_->addWidget(menu_);
  row_->addWidget(file_);
  row_->addWidget(counts_);
  row_->addSpacing(8);
  row_->addWidget(places_);
  row_->addStretch(1);
  drawLogo();
}

void TopBar::drawLogo() { menu_->setIcon(logo(devicePixelRatioF())); }

QToolButton* TopBar::button(QAction* action) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  return button;
}

void TopBar::fill(const MainWindow& window) {
  auto* menu = new QMenu(menu_);
  for (const MenuKind kind : {MenuKind::file, MenuKind::edit, MenuKind::view, MenuKind::simulate,
                              MenuKind::compare, MenuKind::report, MenuKind::help}) {
    menu->addMenu(window.menu(kind));
  }
  menu_->setMenu(menu);
  for (const QAction* each : menu->actions()) {
    auto* key = new QShortcut(QKeySequence::mnemonic(each->text()), this);
    connect(key, &QShortcut::activated, this, [this, own = each->menu()] {
      own->popup(menu_->mapToGlobal(menu_->rect().bottomLeft()));
    });
  }
  file_->setMenu(window.menu(MenuKind::file));
  for (const PlaceInfo& place : placeTable()) {
    places_->add(button(window.command(QStringLiteral("place:") + place.id)));
  }
  if (finder_ != nullptr) row_->addWidget(finder_);
  if (auto* undo = window.findChild<QAction*>(QStringLiteral("undo"))) {
    QToolButton* back = button(undo);
    // The action's own text says what would be taken back.
    back->setText(tr("Undo"));
    connect(undo, &QAction::changed, back, [back] { back->setText(tr("Undo")); });
    row_->addWidget(back);
    roomy_.append(back);
  }
  QAction* exportIt = window.command(QStringLiteral("exportPicture"));
  auto* save = new QPushButton(tr("Export"), this);
  save->setDefault(true);
  connect(save, &QPushButton::clicked, exportIt, &QAction::trigger);
  const auto follow = [save, exportIt] {
    save->setEnabled(exportIt->isEnabled());
    save->setToolTip(exportIt->toolTip());
  };
  connect(exportIt, &QAction::changed, save, follow);
  follow();
  row_->addWidget(save);
  roomy_.append(save);
}

void TopBar::showRun(const Run& run) {
  run_.name = QString::fromStdString(printable(run.model->name, 40));
  run_.toolTip = QString::fromStdString(printable(run.request.model, 400));
  const std::size_t ops = run.graph().ops.size();
  const QString buffers = tr("%1 buffers").arg(grouped(run.problem.stays.size()));
  run_.counts = ops > 0 ? tr("%1 operators \u00b7 %2").arg(grouped(ops), buffers) : buffers;
  showCaption();
}

void TopBar::showOther(const QString& name, const QString& from, const QString& counts) {
  other_ = {name, from, counts};
  showCaption();
}

void TopBar::setHome(bool home, bool any, bool other) {
  isOther_ = other;
  showCaption();
  counts_->setVisible(!home && width() >= kRoomForCounts);
  places_->setVisible(any);
}

void TopBar::showCaption() {
  const Caption& caption = isOther_ && !other_.name.isEmpty() ? other_ : run_;
  file_->setText(caption.name.isEmpty() ? tr("Open a file")
                                        : caption.name + QStringLiteral(" \u25be"));
  file_->setToolTip(caption.toolTip);
  counts_->setText(caption.counts);
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  counts_->setVisible(places_->isVisibleTo(this) && width() >= kRoomForCounts);
  if (finder_ != nullptr) finder_->setMinimumWidth(width() >= kRoomForFinder ? 280 : 100);
  for (QWidget* each : std::as_const(roomy_)) each->setVisible(width() >= kRoomForButtons);
}

void TopBar::openMenu() {
  menu_->menu()->popup(menu_->mapToGlobal(menu_->rect().bottomLeft()));
  menu_->menu()->setActiveAction(menu_->menu()->actions().value(0));
}

void TopBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawLogo();
}

/// A surface of its own, with a line below.
void TopBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Theme::current().plot);
  painter.fillRect(0, height() - 1, width(), 1, Theme::current().line);
}

}  // namespace hw
