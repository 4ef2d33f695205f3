#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTimer>
#include <QWidget>
#include <map>
#include <string>

#include "core/allocators/catalog.h"
#include "core/run/options.h"
#include "core/storage/aliasing.h"

class QFormLayout;
class QToolButton;

namespace hw {

/// The parameters of an allocator as form fields, made from its ParamSpecs: a choice is a combo
/// box, a flag a check box, everything else a line checked by the same code as the command line.
class ParamForm : public QWidget {
  Q_OBJECT

 public:
  explicit ParamForm(QWidget* parent = nullptr);

  /// Fields for `choice`'s allocator, filled with its values.
  void setChoice(const AllocatorChoice& choice);
  /// The allocator with the values in the fields, or what is wrong with one of them.
  Result<AllocatorChoice> choice() const;

 Q_SIGNALS:
  void changed();

 private:
  QWidget* makeField(const ParamSpec& spec, const std::string& value);
  std::string textOf(const ParamSpec& spec) const;

  const AllocatorInfo* info_ = nullptr;
  std::map<std::string, QWidget*, std::less<>> fields_;
};

/// A view of a request: what a user chooses most often, as a form. A change is announced a moment
/// later, once, unless a field holds something that cannot be: then the form says what, and stays
/// quiet.
class RunForm : public QScrollArea {
  Q_OBJECT

 public:
  explicit RunForm(QWidget* parent = nullptr);

  void setRequest(const RunRequest& request);
  /// True if what is open is a planning problem: it has no limits unless somebody asks for a size
  /// or a machine.
  void setBare(bool bare);
  /// The request on show with what the fields say, or what is wrong with one of them.
  Result<RunRequest> request() const;
  /// Offers a platform that came from a file, and chooses it.
  void addPlatform(const Platform& platform);

 Q_SIGNALS:
  void changed();
  void platformFileWanted();

 private:
  void addAllocatorRows(QFormLayout* form);
  void addMachineRows(QFormLayout* form);
  void addStorageRows(QFormLayout* form);
  /// A row in which the words of an option can be typed or chosen.
  void addWords(QFormLayout* form, const char* option, const QString& title);
  QCheckBox* makeBox(const QString& text, const QString& toolTip);
  QComboBox* makeChoice(const QString& name, const QString& accessibleName);
  void chooseAllocator();
  void choosePlatform();
  void takePlatformSizes();
  void showParams(bool shown);
  void offerGraphRows();
  void showPlatform();
  void announceSoon();
  /// The fields as a request, apart from allocator and platform, which are known already.
  OptionTexts texts() const;

  RunRequest base_;  ///< Settings without a field stay as they were.
  QTimer delay_{this};
  QComboBox* allocator_ = nullptr;
  ParamForm* params_ = nullptr;
  QToolButton* unfold_ = nullptr;  ///< Shows the parameters, which are folded away until then.
  QComboBox* platform_ = nullptr;
  std::vector<Platform> platforms_;
  QComboBox* l2_ = nullptr;
  QLineEdit* l2Size_ = nullptr;
  std::vector<std::pair<const RunOption*, QComboBox*>> words_;
  std::vector<std::pair<const AliasRule*, QCheckBox*>> share_;
  QLabel* error_ = nullptr;
  QLabel* note_ = nullptr;  ///< The changes that the form made by itself; hidden without any.
  bool filling_ = false;
  bool bare_ = false;
};

}  // namespace hw
