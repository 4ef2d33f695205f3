#include "widgets/explain/genealogy_panel.h"

#include <QHBoxLayout>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "widgets/text/run_text.h"

namespace hw {

std::optional<ByteAddress> byteAt(const Run& run, PoolId pool, Bytes flat) {
  if (!run.plan.regions.contains(pool) || flat < Bytes()) return std::nullopt;
  const auto& sizes = run.plan.regions[pool];
  const std::vector<Bytes> starts = run.plan.regionStarts(pool);
  for (const RegionId region : sizes.keys()) {
    const Bytes offset = flat - starts[region.index()];
    if (offset >= Bytes() && offset < sizes[region]) return ByteAddress{pool, region, offset};
  }
  return std::nullopt;
}

std::optional<Bytes> parseAddress(const QString& text) {
  static const QRegularExpression hex(QStringLiteral("^0x([0-9a-f_]+)$"),
                                      QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression decimal(
      QStringLiteral("^([0-9][0-9,_]*(?:\\.[0-9]+)?)\\s*(B|KiB|MiB|GiB)?$"),
      QRegularExpression::CaseInsensitiveOption);
  const auto digits = [](QString number) {
    return number.remove(QLatin1Char('_')).remove(QLatin1Char(','));
  };
  bool known = false;
  if (const auto match = hex.match(text.trimmed()); match.hasMatch()) {
    const qlonglong value = digits(match.captured(1)).toLongLong(&known, 16);
    return known ? std::optional(Bytes(value)) : std::nullopt;
  }
  const auto match = decimal.match(text.trimmed());
  if (!match.hasMatch()) return std::nullopt;
  const double value = digits(match.captured(1)).toDouble(&known);
  const QString unit = match.captured(2).toLower();
  const double scale = unit.startsWith(QLatin1Char('k'))   ? 1024.0
                       : unit.startsWith(QLatin1Char('m')) ? 1024.0 * 1024
                       : unit.startsWith(QLatin1Char('g')) ? 1024.0 * 1024 * 1024
                                                           : 1.0;
  const double bytes = value * scale;
  if (!known || bytes >= 9e18 || bytes != std::floor(bytes)) return std::nullopt;
  return Bytes(static_cast<std::int64_t>(bytes));
}

GenealogyPanel::GenealogyPanel(ViewState* state, QWidget* parent)
    : PoolTablePanel(state, new QLineEdit, parent),
      address_(qobject_cast<QLineEdit*>(head_->itemAt(1)->widget())) {
  address_->setAccessibleName(tr("Address"));
  address_->setPlaceholderText(tr("address: 0x1f00, 7,936 or 7.75 KiB"));
  address_->setMinimumWidth(fontMetrics().averageCharWidth() * 34);
  address_->setClearButtonEnabled(true);
  view()->setObjectName(QStringLiteral("genealogyTable"));
  view()->setAccessibleName(tr("What became of the byte"));
  connect(state, &ViewState::runChanged, this, &GenealogyPanel::showRun);
  connect(address_, &QLineEdit::returnPressed, this, &GenealogyPanel::look);
  connect(pool_, &QComboBox::currentIndexChanged, this, [this] {
    if (!address_->text().trimmed().isEmpty()) look();
  });
  connect(view(), &QTableView::clicked, this, &GenealogyPanel::goTo);
  connect(view(), &QTableView::activated, this, &GenealogyPanel::goTo);
  showRun();
}

void GenealogyPanel::showRun() {
  const auto run = state_->run();
  offerPools();
  address_->setEnabled(run != nullptr);
  eras_.clear();
  sayOnly(run ? tr("Give an address, or right-click a byte of a map.")
              : tr("Open a model to see who lived at an address."));
  if (run && !address_->text().trimmed().isEmpty()) look();
}

void GenealogyPanel::ask(PoolId pool, Bytes address) {
  {
    const QSignalBlocker quiet(pool_);
    pool_->setCurrentIndex(static_cast<int>(pool.index()));
  }
  address_->setText(addressText(address));
  look();
}

void GenealogyPanel::focusAddress() {
  address_->setFocus(Qt::ShortcutFocusReason);
  address_->selectAll();
}

/// Every event of the pool is looked at: not in this thread.
void GenealogyPanel::look() {
  looking_.drop();
  run_ = state_->run();
  if (!run_ || !pool()) return;
  eras_.clear();
  const auto address = parseAddress(address_->text());
  if (!address) {
    return sayOnly(tr("\u201c%1\u201d is not an address: give 0x1f00, 7,936 or 7.75 KiB.")
                       .arg(address_->text().trimmed()));
  }
  askedPool_ = pool();
  asked_ = *address;
  const auto byte = byteAt(*run_, askedPool_, asked_);
  if (!byte) {
    return sayOnly(tr("%1 lies beyond the %2 that are used of %3.")
                       .arg(addressText(asked_), sizeText(run_->plan.footprint(askedPool_)),
                            poolText(*run_, askedPool_)));
  }
  sayOnly(tr("Looking\u2026"));
  looking_.start(
      false, [run = run_, byte = *byte] { return genealogy(run->trace, run->timeline, byte); },
      [this](std::vector<ByteEra> eras) {
        if (run_ != state_->run()) return;
        eras_ = std::move(eras);
        showEras();
      });
}

QString GenealogyPanel::eraText(const ByteEra& era) const {
  const QString cause = era.cause ? stayText(*run_, era.cause) : QString();
  switch (era.happening) {
    case Happening::fresh:
      return era.chunk.owner ? tr("fresh memory") : tr("hole below %1").arg(cause);
    case Happening::reuse:
      return tr("takes over the hole");
    case Happening::split:
      return era.chunk.owner ? tr("takes part of the hole") : tr("hole cut by %1").arg(cause);
    case Happening::extend:
      return era.chunk.owner ? tr("takes the hole at the frontier and more")
                             : tr("frontier moved by %1").arg(cause);
    case Happening::release:
      return tr("%1 is released").arg(cause);
    case Happening::merge:
      return tr("hole joined with that of %1").arg(cause);
  }
  return {};
}

QString GenealogyPanel::sumText() const {
  std::set<StayId> tenants;
  std::int64_t held = 0;
  for (const ByteEra& era : eras_) {
    if (!era.chunk.owner) continue;
    tenants.insert(era.chunk.owner);
    held += (era.lastStep - era.firstStep).count() + 1;
  }
  return tr("%1 of %2: %3 tenants, held in %4 of %5 steps")
      .arg(addressText(asked_), poolText(*run_, askedPool_), grouped(tenants.size()),
           grouped(std::min(held, state_->steps().count())), grouped(state_->steps().count()));
}

void GenealogyPanel::showEras() {
  const auto title = [](const QString& text) { return text.toStdString(); };
  MethodTable table{.columns = {title(tr("from step")), title(tr("to step")), title(tr("tenant")),
                                title(tr("first byte")), title(tr("last byte")),
                                title(tr("chunk size")), title(tr("what happens"))}};
  const auto starts = run_->plan.regionStarts(askedPool_);
  const auto byte = byteAt(*run_, askedPool_, asked_);
  const Bytes start = byte ? starts[byte->region.index()] : Bytes();
  for (const ByteEra& era : eras_) {
    const MethodCell tenant =
        era.chunk.owner ? MethodCell(era.chunk.owner) : MethodCell(title(tr("\u2013 free \u2013")));
    addRow(table, {era.firstStep.count(), era.lastStep.count(), tenant,
                   title(addressText(start + era.chunk.offset)),
                   title(addressText(start + era.chunk.end() - Bytes(1))), era.chunk.size,
                   title(eraText(era))});
  }
  view()->setTable(run_, std::move(table));
  say(eras_.empty() ? tr("%1 of %2: never part of any chunk")
                          .arg(addressText(asked_), poolText(*run_, askedPool_))
                    : sumText());
}

void GenealogyPanel::goTo(const QModelIndex& index) {
  const std::size_t row = view()->table()->sourceRow(index.row());
  if (row >= eras_.size() || run_ != state_->run()) return;
  const ByteEra era = eras_[row];
  if (era.chunk.owner) state_->select(era.chunk.owner);
  state_->setMoment(era.firstMoment);
}

}  // namespace hw
