#pragma once

#include <QWidget>
#include <map>
#include <string>

#include "core/allocators/catalog.h"

class QFormLayout;

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

}  // namespace hw
