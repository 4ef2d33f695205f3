#include "widgets/form/param_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include "widgets/text/text.h"

namespace hw {

ParamForm::ParamForm(QWidget* parent) : QWidget(parent) {
  auto* layout = new QFormLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setRowWrapPolicy(QFormLayout::WrapLongRows);
}

void ParamForm::setChoice(const AllocatorChoice& choice) {
  auto* form = static_cast<QFormLayout*>(layout());
  while (form->rowCount() > 0) form->removeRow(0);
  fields_.clear();
  info_ = choice.info;
  if (!info_) return;
  for (const ParamSpec& spec : info_->params) {
    QWidget* field = makeField(spec, paramText(choice.params.value(spec)));
    const QString words = titleText(spec.label.empty() ? spec.name : spec.label);
    field->setObjectName(viewText(spec.name));
    field->setToolTip(
        tr("%1 (%2; by default %3)")
            .arg(titleText(spec.summary), viewText(spec.name), viewText(spec.fallback)));
    field->setAccessibleName(words);
    fields_[std::string(spec.name)] = field;
    auto* label = new QLabel(words, this);
    label->setToolTip(field->toolTip());
    label->setBuddy(field);
    if (spec.unit.empty()) {
      form->addRow(label, field);
      continue;
    }
    auto* row = new QHBoxLayout;
    row->addWidget(field, 1);
    row->addWidget(new QLabel(viewText(spec.unit), this));
    form->addRow(label, row);
  }
}

QWidget* ParamForm::makeField(const ParamSpec& spec, const std::string& value) {
  if (spec.type == ParamType::choice) {
    auto* box = new QComboBox(this);
    for (const std::string_view choice : spec.choices) box->addItem(viewText(choice));
    box->setCurrentText(QString::fromStdString(value));
    connect(box, &QComboBox::currentIndexChanged, this, &ParamForm::changed);
    return box;
  }
  if (spec.type == ParamType::flag) {
    auto* box = new QCheckBox(this);
    box->setChecked(value == "true");
    connect(box, &QCheckBox::toggled, this, &ParamForm::changed);
    return box;
  }
  auto* line = new QLineEdit(QString::fromStdString(value), this);
  line->setPlaceholderText(viewText(spec.fallback));
  connect(line, &QLineEdit::editingFinished, this, [this, line] {
    if (!line->isModified()) return;
    line->setModified(false);
    Q_EMIT changed();
  });
  return line;
}

std::string ParamForm::textOf(const ParamSpec& spec) const {
  const QWidget* field = fields_.at(std::string(spec.name));
  if (const auto* box = qobject_cast<const QComboBox*>(field)) {
    return box->currentText().toStdString();
  }
  if (const auto* box = qobject_cast<const QCheckBox*>(field)) {
    return box->isChecked() ? "true" : "false";
  }
  const QString text = static_cast<const QLineEdit*>(field)->text().trimmed();
  return text.isEmpty() ? std::string(spec.fallback) : text.toStdString();
}

Result<AllocatorChoice> ParamForm::choice() const {
  AllocatorChoice choice{.info = info_};
  if (!info_) return fail(ErrorCode::invalidArgument, "no allocator was chosen");
  for (const ParamSpec& spec : info_->params) {
    const std::string text = textOf(spec);
    if (const auto value = parseParam(spec, text); value == Params().value(spec)) continue;
    HW_DO(choice.params.set(spec, text));
  }
  return choice;
}

}  // namespace hw
