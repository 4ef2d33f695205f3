#include "widgets/study/study_run_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <cmath>
#include <filesystem>

#include "core/picture/value_axis.h"
#include "core/report/study/study_shards.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// `label` with lines as long as there is room, to be marked and copied.
QLabel* wrapped(QLabel* label) {
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

QLabel* words(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  return wrapped(label);
}

/// The row that differs from `row` only on `axis`, where it has the value at `value`.
std::optional<std::uint32_t> rowBeside(const StudyTable& table, std::uint32_t row, std::size_t axis,
                                       std::uint32_t value) {
  for (std::uint32_t other = 0; other < table.size(); ++other) {
    if (table.axes[axis].codes[other] != value) continue;
    bool same = true;
    for (std::size_t i = 0; i < table.axes.size() && same; ++i) {
      same = i == axis || table.axes[i].codes[other] == table.axes[i].codes[row];
    }
    if (same) return other;
  }
  return std::nullopt;
}

}  // namespace

StudyRunPanel::StudyRunPanel(StudyViewState* state, QWidget* parent)
    : QScrollArea(parent),
      state_(state),
      title_(wrapped(strongLabel(QString(), this))),
      where_(wrapped(mutedLabel(QString(), this))),
      picture_(new QLabel(this)),
      facts_(words(this)),
      open_(new QPushButton(tr("Open the run"), this)),
      below_(new QPushButton(tr("Compare with A"), this)),
      neighbours_(words(this)),
      runHeading_(wrapped(strongLabel(QString(), this))),
      runText_(words(this)),
      progress_(new QProgressBar(this)),
      start_(new QPushButton(tr("Run what is missing"), this)),
      pause_(new QPushButton(tr("Pause"), this)),
      cluster_(new QPushButton(tr("Use the cluster\u2026"), this)),
      collect_(new QPushButton(tr("Collect"), this)),
      reasonHeading_(wrapped(strongLabel(QString(), this))),
      reasons_(new QTableWidget(this)) {
  setObjectName(QStringLiteral("studyRunPanel"));
  setAccessibleName(tr("The run that is chosen"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  build();
  connect(open_, &QPushButton::clicked, this, [this] {
    if (state_->chosen()) Q_EMIT openWanted(*state_->chosen());
  });
  connect(below_, &QPushButton::clicked, this, [this] {
    if (state_->chosen()) Q_EMIT belowWanted(*state_->chosen());
  });
  connect(state_, &StudyViewState::fileChanged, this, &StudyRunPanel::showFile);
  connect(state_, &StudyViewState::viewChanged, this, &StudyRunPanel::showChosen);
  connect(state_, &StudyViewState::chosenChanged, this, &StudyRunPanel::showChosen);
  showFile();
  showChosen();
}

void StudyRunPanel::dress() {
  picture_->setObjectName(QStringLiteral("studyMap"));
  picture_->setAccessibleName(tr("Map of the first memory of the run"));
  picture_->setMinimumWidth(1);
  picture_->hide();
  facts_->setTextFormat(Qt::RichText);
  open_->setObjectName(QStringLiteral("studyOpen"));
  open_->setDefault(true);
  below_->setObjectName(QStringLiteral("studyBelow"));
  start_->setObjectName(QStringLiteral("studyStart"));
  pause_->setObjectName(QStringLiteral("studyPause"));
  cluster_->setObjectName(QStringLiteral("studyCluster"));
  collect_->setObjectName(QStringLiteral("studyCollect"));
  collect_->setToolTip(tr("Takes over what tasks of the cluster have done so far"));
  neighbours_->setObjectName(QStringLiteral("studyNeighbours"));
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Part of the study that is done"));
  reasons_->setObjectName(QStringLiteral("studyReasons"));
  reasons_->setAccessibleName(tr("Why runs have no plan that fits"));
  dressTable(reasons_, 6);
  reasons_->horizontalHeader()->hide();
  reasons_->setSelectionMode(QAbstractItemView::NoSelection);
}

void StudyRunPanel::build() {
  dress();
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kStudyAir, kStudyAir, kStudyAir, kStudyAir);
  column->setSpacing(8);
  const auto row = [&](std::initializer_list<QWidget*> widgets) {
    auto* line = new QHBoxLayout;
    for (QWidget* each : widgets) line->addWidget(each);
    line->addStretch(1);
    column->addLayout(line);
  };
  column->addWidget(title_);
  column->addWidget(where_);
  column->addWidget(picture_);
  column->addWidget(facts_);
  row({open_, below_});
  column->addWidget(neighbours_);
  column->addSpacing(kStudyAir);
  column->addWidget(runHeading_);
  column->addWidget(runText_);
  column->addWidget(progress_);
  row({start_, pause_});
  row({cluster_, collect_});
  column->addSpacing(kStudyAir);
  column->addWidget(reasonHeading_);
  column->addWidget(reasons_);
  column->addStretch(1);
  setWidget(page);
}

void StudyRunPanel::setMap(const std::optional<SampleCard>& map) {
  map_ = map;
  drawMap();
}

void StudyRunPanel::drawMap() {
  picture_->setVisible(map_.has_value());
  if (!map_) return;
  constexpr int kHeight = 112;
  const QSize size(std::max(1, viewport()->width() - 2 * kStudyAir), kHeight);
  QPixmap pixmap =
      QPixmap::fromImage(cardPicture(*map_, size, Theme::current(), devicePixelRatioF()));
  pixmap.setDevicePixelRatio(devicePixelRatioF());
  picture_->setPixmap(pixmap);
}

void StudyRunPanel::changeEvent(QEvent* event) {
  QScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawMap();
}

void StudyRunPanel::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  drawMap();
}

void StudyRunPanel::showChosen() {
  const auto chosen = state_->isEmpty() ? std::nullopt : state_->chosen();
  open_->setVisible(chosen.has_value());
  below_->setVisible(chosen.has_value());
  if (!chosen) {
    title_->setText(state_->file() ? tr("No run is chosen") : QString());
    where_->setText(state_->file() ? tr("Click a dot, a cell or a row.") : QString());
    facts_->clear();
    neighbours_->clear();
    return;
  }
  const StudyTable& table = state_->table();
  title_->setText(QString::fromStdString(runName(table, *chosen)));
  where_->setText(
      QString::fromStdString(printable(table.valueOf(table.axis("model"), *chosen), 200)));
  QString facts = QStringLiteral("<table>");
  for (const StudyTable::Figure& figure : table.figures) {
    const double number = figure.numbers[*chosen];
    if (std::isnan(number)) continue;
    facts += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td><b>%2</b></td></tr>")
                 .arg(titleText(figureTitle(figure.key)).toHtmlEscaped(),
                      viewText(valueText(number, kindOf(figure.key))).toHtmlEscaped());
  }
  facts_->setText(facts + QStringLiteral("</table>"));
  neighbours_->setText(neighbourText(*chosen));
}

/// The runs that differ from one only by the next lower or higher value of the axis of the
/// pictures.
QString StudyRunPanel::neighbourText(std::uint32_t row) const {
  const auto pair = state_->pair();
  if (!pair) return {};
  const StudyTable& table = state_->table();
  const StudyTable::Axis& axis = table.axes[pair->over];
  const StudyTable::Figure& figure = table.figures[state_->figure()];
  const double own = figure.numbers[row];
  QStringList lines;
  for (const int step : {-1, 1}) {
    const auto value = static_cast<std::int64_t>(axis.codes[row]) + step;
    if (value < 0 || value >= static_cast<std::int64_t>(axis.values.size())) continue;
    const auto other = rowBeside(table, row, pair->over, static_cast<std::uint32_t>(value));
    if (!other || !(own > 0)) continue;
    const double change = figure.numbers[*other] / own - 1;
    const QString name = QString::fromStdString(
        axisWord(axis.name) + " " + valueName(axis.values[static_cast<std::size_t>(value)]));
    const QString what = viewText(figureTitle(figure.key));
    constexpr double kSame = 0.0005;
    lines.append(std::abs(change) < kSame
                     ? tr("%1: the same %2").arg(name, what)
                     : (change < 0 ? tr("%1: %2 %3 % lower") : tr("%1: %2 %3 % higher"))
                           .arg(name, what, QString::number(100 * std::abs(change), 'f', 1)));
  }
  return lines.join(QLatin1Char('\n'));
}

void StudyRunPanel::showFile() {
  const auto file = state_->file();
  reasonHeading_->setVisible(file && !file->reasons.empty());
  reasons_->setVisible(file && !file->reasons.empty());
  showState();
  if (!file) return;
  std::vector<QStringList> rows;
  rows.reserve(file->reasons.size());
  for (const auto& [reason, count] : file->reasons) {
    rows.push_back({QString::fromStdString(printable(reason, 200)), grouped(count)});
  }
  const std::size_t without = file->rows() - file->fitting;
  reasonHeading_->setText(tr("Without a plan that fits: %1 runs").arg(grouped(without)));
  fillRows(reasons_, {QString(), QString()}, rows);
  const int rowHeight = reasons_->verticalHeader()->defaultSectionSize();
  reasons_->setFixedHeight(rowHeight * static_cast<int>(std::min<std::size_t>(rows.size(), 8)) + 2);
}

void StudyRunPanel::setRunning(const std::optional<Running>& running) {
  running_ = running;
  showState();
}

void StudyRunPanel::showState() {
  const auto file = state_->file();
  const std::size_t done = running_ ? running_->done : file ? file->rows() : 0;
  const std::size_t of = running_ ? running_->of : file && file->runs ? file->runs->size() : done;
  const bool other = running_ && file && running_->results != file->path;
  runHeading_->setText(other      ? tr("Another study runs")
                       : running_ ? tr("Running")
                       : file     ? tr("The study")
                                  : QString());
  QString text = file || running_ ? tr("%1 of %2 runs").arg(grouped(done), grouped(of)) : QString();
  if (running_ && running_->perSecond > 0) {
    const double left = static_cast<double>(of - std::min(of, done)) / running_->perSecond;
    text += left < 90 ? tr(", %1 s left").arg(qRound(left))
                      : tr(", %1 min left").arg(qRound(left / 60));
    text += tr("; %1 runs/s").arg(running_->perSecond, 0, 'f', running_->perSecond < 10 ? 1 : 0);
  }
  if (file && !file->runs)
    text += tr("\nIts study cannot be read any more: %1")
                .arg(QString::fromStdString(printable(file->why, 200)));
  runText_->setText(text);
  progress_->setVisible((file || running_) && of > 0);
  progress_->setRange(0, 1000);
  progress_->setValue(of > 0 ? static_cast<int>(1000 * std::min(done, of) / of) : 0);
  const bool known = file && file->runs;
  start_->setVisible(!running_ && known);
  start_->setToolTip(tr("Runs what is missing, crashed or is out of date, in the background"));
  cluster_->setVisible(!running_ && known);
  collect_->setVisible(!running_ && known &&
                       std::filesystem::is_directory(ShardFolder(file->path).path()));
  pause_->setVisible(running_.has_value());
}

}  // namespace hw
