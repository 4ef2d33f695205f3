#pragma once

#include <QStringList>
#include <QTextBrowser>
#include <vector>

namespace hw {

/// What the window shows while no model is open: how to open one, the last ones, the samples.
class WelcomePage : public QTextBrowser {
  Q_OBJECT

 public:
  struct Sample {
    QString name{};
    QString summary{};
  };

  explicit WelcomePage(QWidget* parent = nullptr);

  void setSamples(std::vector<Sample> samples);
  void setRecent(const QStringList& paths);

 Q_SIGNALS:
  void openWanted();
  /// `samples:NAME` or a path.
  void modelChosen(const QString& name);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  QString recentList() const;
  QString sampleList() const;

  std::vector<Sample> samples_;
  QStringList recent_;
};

}  // namespace hw
