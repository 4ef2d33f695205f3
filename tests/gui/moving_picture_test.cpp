// Moving pictures, read back by the decoder of the format's own library.

#include "app/gui/output/moving_picture.h"

#include <webp/demux.h>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/gui/native_support.h"

using namespace hw;

namespace {

struct DecodedFrame {
  QImage image{};
  int until = 0;  ///< Milliseconds from the start.
};

std::vector<DecodedFrame> decoded(const QByteArray& bytes) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.constData()),
                      static_cast<std::size_t>(bytes.size())};
  WebPAnimDecoderOptions options;
  REQUIRE(WebPAnimDecoderOptionsInit(&options));
  options.color_mode = MODE_BGRA;
  const std::unique_ptr<WebPAnimDecoder, decltype(&WebPAnimDecoderDelete)> decoder(
      WebPAnimDecoderNew(&data, &options), &WebPAnimDecoderDelete);
  REQUIRE(decoder);
  WebPAnimInfo info;
  REQUIRE(WebPAnimDecoderGetInfo(decoder.get(), &info));
  CHECK(info.loop_count == 0);  // For ever.
  const QSize size(static_cast<int>(info.canvas_width), static_cast<int>(info.canvas_height));
  std::vector<DecodedFrame> frames;
  while (WebPAnimDecoderHasMoreFrames(decoder.get()) != 0) {
    std::uint8_t* pixels = nullptr;
    DecodedFrame frame;
    REQUIRE(WebPAnimDecoderGetNext(decoder.get(), &pixels, &frame.until));
    frame.image = QImage(pixels, size.width(), size.height(), QImage::Format_RGB32).copy();
    frames.push_back(frame);
  }
  return frames;
}

QImage drawnStep(Step step) {
  QImage image(37, 23, QImage::Format_RGB32);
  image.fill(Qt::white);
  image.setPixel(static_cast<int>(step.count()) % 37, 5, 0xff102030);
  return image;
}

bool always(double) { return true; }

}  // namespace

TEST_CASE("a moving picture has every step, without losses", "[export]") {
  const auto bytes = movingPicture({Step(3), Step(9)}, drawnStep, always);
  REQUIRE(bytes);
  const auto frames = decoded(*bytes);
  REQUIRE(frames.size() == 6);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Step step(static_cast<std::int64_t>(i) + 3);
    CHECK(frames[i].image == drawnStep(step).convertToFormat(QImage::Format_RGB32));
  }
  // It rests before it begins anew.
  CHECK(frames[5].until - frames[4].until > 2 * (frames[1].until - frames[0].until));
}

TEST_CASE("long runs are shown in as many frames as one can follow", "[export]") {
  for (const std::int64_t count : {1, 2, 239, 240, 241, 1000, 123'457}) {
    CAPTURE(count);
    const FrameSteps shown = frameSteps({Step(10), Step(10 + count)});
    CHECK(shown.steps.size() == static_cast<std::size_t>(std::min(count, kMostFrames)));
    CHECK(shown.steps.back() == Step(10 + count - 1));
    CHECK(shown.steps.front() >= Step(10));
    CHECK(std::ranges::is_sorted(shown.steps, std::less_equal()));
    CHECK(shown.milliseconds >= 40);
    CHECK(shown.milliseconds <= 500);
  }
}

TEST_CASE("a moving picture can be stopped, and the moment is as it was", "[export]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {900, 600});
  window.state()->setStep(Step(7));
  const auto moment = window.state()->moment();
  double last = 0;
  const auto some = [&](double done) {
    last = done;
    return done < 0.3;
  };
  const PictureStyle style{.kind = PictureKind::map, .footer = false};
  const auto bytes = window.movingPicture(style, {300, 200}, some);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().code == ErrorCode::stopped);
  CHECK(last < 1);
  CHECK(window.state()->moment() == moment);
}

TEST_CASE("the command line writes a range as a moving picture", "[export]") {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("run.webp"));
  const auto export_ = [&](const QString& kind, const QString& range) {
    QProcess studio;
    studio.start(QStringLiteral(HIGHWATER_STUDIO),
                 {QStringLiteral("--export"), file, QStringLiteral("--view"), kind,
                  QStringLiteral("--size"), QStringLiteral("400x240"), QStringLiteral("--range"),
                  range, QStringLiteral("samples:resnet8")});
    REQUIRE(studio.waitForFinished(60'000));
    CHECK(studio.readAllStandardError().toStdString().empty());
    CHECK(studio.exitCode() == 0);
    QFile written(file);
    REQUIRE(written.open(QIODevice::ReadOnly));
    return decoded(written.readAll());
  };
  const auto frames = export_(QStringLiteral("map"), QStringLiteral("2:6"));
  REQUIRE(frames.size() == 5);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    CHECK(frames[i].image.size() == QSize(400, 240));
    CHECK(frames[i].image != frames[i - 1].image);  // The playhead has moved.
  }
}
