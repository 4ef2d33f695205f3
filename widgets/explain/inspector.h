#pragma once

#include <QSet>
#include <QTextBrowser>
#include <QTimer>
#include <cstdint>

#include "core/picture/charts/roofline_scene.h"
#include "widgets/explain/inspector_text.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Everything about the selected stay: its tensors, size, address, lifetime, who makes and reads
/// it, who was there before, and why it lies where it lies. Without one, the op under way. Names of
/// stays are links that select them. What is said of a stay comes in sections that can be closed,
/// most wanted first; which are closed is remembered for the next stay.
class Inspector : public QTextBrowser {
  Q_OBJECT

 public:
  explicit Inspector(ViewState* state, QWidget* parent = nullptr);

  /// Offers a command under "What would help": its words, and what it has found out, if anything.
  void setHelp(const QString& command, const QString& text, const QString& found);

 Q_SIGNALS:
  /// Somebody has followed one of those.
  void commandWanted(const QString& command);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void showPage(const QString& body);
  void explain(const std::shared_ptr<const Run>& run, StayId stay);
  void showStay(const Run& run, StayId stay, const WhyHere& why);
  QString section(const QString& id, const QString& title, const QString& body) const;
  void follow(const QUrl& link);
  void showMoment();
  QString fillingSection(const Run& run, PoolId pool, Step step) const;
  QString helpSection() const;
  QString rooflineSection(const std::shared_ptr<const Run>& run, Step step);
  QImage rooflineImage() const;

  struct Help {
    QString command{};
    QString text{};
    QString found{};
  };

  ViewState* state_;
  std::vector<Help> help_;
  QSet<QString> closed_;                           ///< Ids of sections.
  std::optional<std::pair<StayId, WhyHere>> why_;  ///< Of the selected stay, once it is known.
  StayId shown_;  ///< The subject of the page: while it stays, so does the scroll position.
  QTimer later_;  ///< Ends when the page is to follow the moment.
  Background<WhyHere> explaining_;
  RooflineScene roofs_;  ///< Of the run on show, once an operator of it was.
};

}  // namespace hw
