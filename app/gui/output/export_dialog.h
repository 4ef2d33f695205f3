#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <functional>

#include "app/gui/output/picture.h"
#include "app/gui/request/picture_style.h"
#include "app/gui/request/settings.h"

namespace hw {

/// Chooses what a picture shows and how, with the picture as it will be beside it. What was chosen
/// last is chosen the next time.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  /// Draws what a style asks for; outlives the dialog.
  using MakePicture = std::function<Picture(const PictureStyle&)>;

  /// `kind`: what to begin with; nothing: as the last time. `settings` outlives the dialog.
  ExportDialog(std::optional<PictureKind> kind, MakePicture makePicture, Settings* settings,
               QWidget* parent = nullptr);

  PictureStyle style() const;
  /// "png", "svg", "pdf" or "webp".
  QString format() const { return format_->currentData().toString(); }

 public Q_SLOTS:
  void accept() override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillChoices();
  void layOut();
  void recall(std::optional<PictureKind> kind);
  void update();
  void showPreview();
  bool isPixels() const;
  QString sizeText(const Picture& picture) const;

  MakePicture makePicture_;
  bool drawing_ = false;  ///< The preview.
  Settings* settings_;
  QComboBox* kind_;
  QComboBox* format_;
  QComboBox* preset_;
  QComboBox* colors_;
  QComboBox* scale_;
  QCheckBox* footer_;
  QLabel* preview_;
  QLabel* size_;
  QPushButton* export_;
};

}  // namespace hw
