#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTimer>

#include "core/run/run.h"
#include "widgets/panels/param_form.h"

class QFormLayout;

namespace hw {

/// Everything a user can choose about a run, as a form. A change is announced a moment later, once,
/// unless a field holds something that cannot be: then the form says what, and stays quiet.
class RunForm : public QScrollArea {
  Q_OBJECT

 public:
  explicit RunForm(QWidget* parent = nullptr);

  void setConfig(const RunConfig& config);
  /// What the fields say, or what is wrong with one of them.
  Result<RunConfig> config() const;
  /// Offers a platform that came from a file, and chooses it.
  void addPlatform(const Platform& platform);

  QComboBox* allocatorBox() const { return allocator_; }
  QComboBox* platformBox() const { return platform_; }
  QComboBox* l2Box() const { return l2_; }
  QLineEdit* l2Size() const { return l2Size_; }
  QLabel* errorLabel() const { return error_; }

 Q_SIGNALS:
  void changed();
  void platformFileWanted();

 private:
  void addAllocatorRows(QFormLayout* form);
  void addMachineRows(QFormLayout* form);
  void addStorageRows(QFormLayout* form);
  QCheckBox* makeBox(const QString& text, const QString& toolTip);
  void chooseAllocator();
  void showPlatform();
  void announceSoon();
  Result<PoolSize> l2Choice() const;
  Result<std::optional<Bytes>> alignmentChoice() const;
  Result<void> readMachine(RunConfig& config) const;

  RunConfig base_;  ///< What the form has no fields for stays as it was.
  QTimer delay_;
  QComboBox* allocator_ = nullptr;
  ParamForm* params_ = nullptr;
  QComboBox* platform_ = nullptr;
  std::vector<Platform> platforms_;
  QComboBox* l2_ = nullptr;
  QLineEdit* l2Size_ = nullptr;
  QComboBox* alignment_ = nullptr;
  QCheckBox* reshape_ = nullptr;
  QCheckBox* concat_ = nullptr;
  QCheckBox* split_ = nullptr;
  QCheckBox* inPlace_ = nullptr;
  QCheckBox* inputs_ = nullptr;
  QCheckBox* outputs_ = nullptr;
  QCheckBox* weights_ = nullptr;
  QLabel* error_ = nullptr;
  bool filling_ = false;
};

}  // namespace hw
