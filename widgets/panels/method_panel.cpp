#include "widgets/panels/method_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/base/text.h"

namespace hw {

MethodPanel::MethodPanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      chooser_(new QComboBox(this)),
      summary_(new QLabel(this)),
      view_(new MethodTableView(state, this)) {
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(12);
  chooser_->setAccessibleName(tr("Table of the method"));
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  view_->setObjectName(QStringLiteral("methodTable"));
  view_->setAccessibleName(tr("The method's own table"));

  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 3, 8, 3);
  head->setSpacing(8);
  head->addWidget(chooser_);
  head->addWidget(summary_, 1);
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(view_, 1);
  stack_->addWidget(empty_);
  stack_->addWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);

  connect(state, &ViewState::runChanged, this, &MethodPanel::showRun);
  connect(chooser_, &QComboBox::currentIndexChanged, this, &MethodPanel::showTable);
  showRun();
}

QString MethodPanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

void MethodPanel::showRun() {
  const auto run = state_->run();
  const QString before = chooser_->currentText();
  const QSignalBlocker quiet(chooser_);
  chooser_->clear();
  if (run) {
    for (const MethodTable& table : run->plan.tables) {
      chooser_->addItem(QString::fromStdString(printable(table.name)));
    }
  }
  const bool any = chooser_->count() > 0;
  stack_->setCurrentIndex(any ? 1 : 0);
  empty_->setText(run ? tr("This method keeps no tables.\nblock-id, two-sided, partition, "
                           "placement-search and the searches do.")
                      : tr("Open a model: what its method writes down while it works is shown "
                           "here."));
  chooser_->setCurrentIndex(any ? std::max(0, chooser_->findText(before)) : -1);
  showTable();
}

void MethodPanel::showTable() {
  const auto run = state_->run();
  const int index = chooser_->currentIndex();
  if (!run || index < 0) {
    view_->setTable(nullptr, {});
    return;
  }
  const MethodTable& table = run->plan.tables[static_cast<std::size_t>(index)];
  QString text = QString::fromStdString(printable(table.summary, 400));
  const QString rows = QString::fromStdString(groupDigits(std::ssize(table.rows)));
  text += table.truncated ? tr("; the first %1 rows").arg(rows) : tr("; %1 rows").arg(rows);
  summary_->setText(text);
  summary_->setToolTip(text);
  view_->setTable(run, table);
}

}  // namespace hw
