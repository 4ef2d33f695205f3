#include "widgets/frame/sample_card.h"

#include <QPainter>
#include <algorithm>

#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// More cannot be told apart in so small a picture.
constexpr std::size_t kMostBlocks = 600;

TensorClass kindOf(const Run& run, StayId stay) {
  const Tensor& tensor = run.graph().tensors[run.stayTensor(stay)];
  if (tensor.graphInput) return TensorClass::input;
  return tensor.graphOutput ? TensorClass::output : TensorClass::intermediate;
}

}  // namespace

SampleCard sampleCard(const Run& run) {
  SampleCard card;
  const std::size_t ops = run.graph().ops.size();
  const Bytes peak = run.plan.footprint(PoolId(0));
  const auto& capacity = run.problem.pools[PoolId(0)].capacity;
  const QString pool = poolText(run, PoolId(0));
  card.figures = tr("%1, %2 in %3")
                     .arg(ops > 0 ? tr("%1 operators").arg(grouped(ops))
                                  : tr("%1 buffers").arg(grouped(run.problem.stays.size())),
                          sizeText(peak),
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
         kindOf(run, id)});
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

}  // namespace hw
