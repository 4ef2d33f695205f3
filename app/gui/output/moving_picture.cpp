#include "app/gui/output/moving_picture.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <algorithm>
#include <memory>

namespace hw {

namespace {

constexpr int kWholeMilliseconds = 12'000;
constexpr int kFastest = 40;
constexpr int kSlowest = 500;
constexpr int kRestMilliseconds = 1'500;
// Settings of the encoder, 0 to 100 and 0 to 6: low ones, because flat colours compress well.
constexpr float kEffort = 20;
constexpr int kMethod = 1;

tl::unexpected<Error> failed(const std::string& what) {
  return fail(ErrorCode::unsupported, "the moving picture cannot be made: " + what);
}

/// The encoder of one animation.
class Animation {
 public:
  Result<void> begin(const QSize& size) {
    WebPAnimEncoderOptions options;
    const bool known = WebPAnimEncoderOptionsInit(&options) != 0 && WebPConfigInit(&config_) != 0 &&
                       WebPConfigLosslessPreset(&config_, kMethod) != 0;
    if (!known) return failed("the WebP library is another one than it was built with");
    config_.quality = kEffort;
    encoder_.reset(WebPAnimEncoderNew(size.width(), size.height(), &options));
    if (!encoder_) return failed("it is too large");
    return {};
  }

  /// Adds a frame that is shown from `milliseconds` after the start.
  Result<void> add(const QImage& image, int milliseconds) {
    const QImage pixels = image.convertToFormat(QImage::Format_RGB32);
    WebPPicture picture;
    if (WebPPictureInit(&picture) == 0) return failed("there is no memory left");
    const std::unique_ptr<WebPPicture, decltype(&WebPPictureFree)> release(&picture,
                                                                           &WebPPictureFree);
    picture.use_argb = 1;
    picture.width = pixels.width();
    picture.height = pixels.height();
    const bool added = WebPPictureImportBGRX(&picture, pixels.constBits(),
                                             static_cast<int>(pixels.bytesPerLine())) != 0 &&
                       WebPAnimEncoderAdd(encoder_.get(), &picture, milliseconds, &config_) != 0;
    return added ? Result<void>() : failed(WebPAnimEncoderGetError(encoder_.get()));
  }

  Result<QByteArray> end(int milliseconds) {
    WebPData data;
    WebPDataInit(&data);
    const std::unique_ptr<WebPData, decltype(&WebPDataClear)> release(&data, &WebPDataClear);
    const bool made = WebPAnimEncoderAdd(encoder_.get(), nullptr, milliseconds, nullptr) != 0 &&
                      WebPAnimEncoderAssemble(encoder_.get(), &data) != 0;
    if (!made) return failed(WebPAnimEncoderGetError(encoder_.get()));
    return QByteArray(reinterpret_cast<const char*>(data.bytes), static_cast<qsizetype>(data.size));
  }

 private:
  WebPConfig config_{};
  std::unique_ptr<WebPAnimEncoder, decltype(&WebPAnimEncoderDelete)> encoder_{
      nullptr, &WebPAnimEncoderDelete};
};

}  // namespace

FrameSteps frameSteps(const Interval<Step>& range) {
  const std::int64_t count = (range.end - range.begin).count();
  const std::int64_t frames = std::min(count, kMostFrames);
  FrameSteps shown;
  for (std::int64_t i = 1; i <= frames; ++i) {
    shown.steps.push_back(range.begin + Step(i * count / frames - 1));
  }
  shown.milliseconds = std::clamp(
      kWholeMilliseconds / static_cast<int>(std::max<std::int64_t>(1, frames)), kFastest, kSlowest);
  return shown;
}

Result<QByteArray> movingPicture(const Interval<Step>& range,
                                 const std::function<QImage(Step)>& frame,
                                 const std::function<bool(double)>& progress) {
  const FrameSteps shown = frameSteps(range);
  Animation animation;
  int now = 0;
  for (std::size_t i = 0; i < shown.steps.size(); ++i) {
    const QImage image = frame(shown.steps[i]);
    if (i == 0) HW_DO(animation.begin(image.size()));
    HW_DO(animation.add(image, now));
    now += shown.milliseconds;
    const double done = static_cast<double>(i + 1) / static_cast<double>(shown.steps.size());
    if (!progress(done)) return fail(ErrorCode::stopped, "stopped");
  }
  return animation.end(now + kRestMilliseconds);
}

}  // namespace hw
