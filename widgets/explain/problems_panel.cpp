#include "widgets/explain/problems_panel.h"

#include <QHeaderView>
#include <algorithm>

#include "core/base/text.h"
#include "core/insight/moment.h"
#include "widgets/text/import_notes.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

ProblemsPanel::ProblemsPanel(ViewState* state, QWidget* parent)
    : QTreeWidget(parent), state_(state) {
  setAccessibleName(tr("Problems and notes"));
  setFrameShape(QFrame::NoFrame);
  setColumnCount(3);
  setHeaderLabels({tr("Kind"), tr("About"), tr("What and why")});
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setTextElideMode(Qt::ElideRight);
  const int character = fontMetrics().averageCharWidth();
  setColumnWidth(0, 18 * character);
  setColumnWidth(1, 28 * character);
  connect(state, &ViewState::runChanged, this, [this] {
    violations_.clear();
    refresh();
  });
  connect(this, &QTreeWidget::itemClicked, this, &ProblemsPanel::follow);
  connect(this, &QTreeWidget::itemActivated, this, &ProblemsPanel::follow);
  refresh();
}

void ProblemsPanel::setViolations(const std::vector<Violation>& violations) {
  violations_ = violations;
  refresh();
}

/// In the background for a large run: why it does not fit is looked for in every step.
void ProblemsPanel::refresh() {
  const auto run = state_->run();
  const auto find = [run, violations = violations_] {
    return run ? findingsOf(*run, violations) : std::vector<ProblemLine>();
  };
  finding_.start(!run || isSmallRun(*run), find,
                 [this](std::vector<ProblemLine> found) { accept(std::move(found)); });
}

void ProblemsPanel::accept(std::vector<ProblemLine> found) {
  clear();
  findings_ = std::move(found);
  QList<QTreeWidgetItem*> items;
  for (const ProblemLine& finding : findings_) {
    auto* item = new QTreeWidgetItem({finding.kind, finding.subject, finding.message});
    item->setIcon(0, glyphIcon(finding.severity));
    item->setToolTip(2, finding.message);
    items.append(item);
  }
  if (findings_.empty()) {
    const QString text = state_->run() ? tr("nothing to report") : tr("no model is open");
    items.append(new QTreeWidgetItem({QString(), QString(), text}));
    items.back()->setDisabled(true);
  }
  addTopLevelItems(items);
  serious_ = static_cast<int>(std::ranges::count_if(findings_, [](const ProblemLine& finding) {
    return finding.severity != Glyph::information;
  }));
  Q_EMIT countChanged();
}

void ProblemsPanel::follow(QTreeWidgetItem* item) {
  const auto row = static_cast<std::size_t>(indexOfTopLevelItem(item));
  if (row >= findings_.size() || !state_->run()) return;
  const ProblemLine finding = findings_[row];
  if (finding.stay) {
    state_->setStep(state_->run()->problem.stays[finding.stay].steps.begin);
    state_->select(finding.stay);
  }
  if (finding.op) {
    state_->selectOp(finding.op);
    state_->setStep(state_->run()->schedule.stepOf[finding.op]);
  }
}

namespace {

/// More of one kind than this are summed up.
constexpr std::size_t kMostOfAKind = 2'000;
/// Buffers named in the autopsy of a memory that ran out.
constexpr std::size_t kMostHolders = 6;
/// Holes named in the same autopsy.
constexpr std::size_t kMostHoles = 3;

/// The largest tenants of a moment, for "who holds it".
QString holdersOf(const Run& run, const Moment& moment) {
  std::vector<Moment::Tenant> tenants = moment.tenants;
  std::ranges::stable_sort(tenants, std::greater{},
                           [](const Moment::Tenant& tenant) { return tenant.bytes.length(); });
  QStringList names;
  for (const Moment::Tenant& tenant : tenants) {
    if (static_cast<std::size_t>(names.size()) == kMostHolders) break;
    names.append(
        QStringLiteral("%1 %2").arg(stayText(run, tenant.stay), sizeText(tenant.bytes.length())));
  }
  return names.join(QStringLiteral(", "));
}

QString causeText(Autopsy::Cause cause) {
  switch (cause) {
    case Autopsy::Cause::fragmentation:
      return tr("fragmentation: enough is free, but not in one piece");
    case Autopsy::Cause::exhaustion:
      return tr("exhaustion: less is free than is wanted");
    case Autopsy::Cause::impossible:
      break;
  }
  return tr("no planner can: the lower bound is above the capacity");
}

/// The largest holes, each with the stay above it to select.
void addHoles(const Run& run, const Autopsy::Pool& pool, const QString& kind,
              std::vector<ProblemLine>& findings) {
  std::vector<Moment::Hole> holes = pool.moment.holes;
  std::ranges::stable_sort(holes, std::greater{},
                           [](const Moment::Hole& hole) { return hole.bytes.length(); });
  holes.resize(std::min(holes.size(), kMostHoles));
  for (const Moment::Hole& hole : holes) {
    const QString size = fullSizeText(hole.bytes.length());
    const QString above = stayText(run, hole.above);
    const QString until = grouped(hole.until.count() - 1);
    findings.push_back(
        {.severity = Glyph::information,
         .kind = kind,
         .subject = above,
         .message = hole.below ? tr("a hole of %1 between %2 and %3, until step %4")
                                     .arg(size, stayText(run, hole.below), above, until)
                               : tr("a hole of %1 below %2, until step %3").arg(size, above, until),
         .stay = hole.above});
  }
}

void addAutopsy(const Run& run, std::vector<ProblemLine>& findings) {
  const auto found = autopsy(run);
  if (!found && !fits(run)) {
    findings.push_back({.severity = Glyph::warning,
                        .kind = tr("does not fit"),
                        .message = tr("the plan needs more than the memory has")});
  }
  if (!found) return;
  const bool stopped = run.plan.outOfMemory.has_value();
  const QString kind = stopped ? tr("out of memory") : tr("does not fit");
  const QString what = stopped ? tr("step %1: no place for %2 in any pool; %3")
                               : tr("step %1: the first to end above the capacity, %2; %3");
  findings.push_back({.severity = stopped ? Glyph::error : Glyph::warning,
                      .kind = kind,
                      .subject = stayText(run, found->stay),
                      .message = what.arg(grouped(found->step.count()), fullSizeText(found->wanted),
                                          causeText(found->cause)),
                      .stay = found->stay});
  for (const Autopsy::Pool& pool : found->pools) {
    const QString holders = holdersOf(run, pool.moment);
    findings.push_back(
        {.severity = stopped ? Glyph::error : Glyph::warning,
         .kind = kind,
         .subject = poolText(run, pool.pool),
         .message = tr("%1 of %2 free, largest piece %3; %4 would have sufficed.%5")
                        .arg(sizeText(pool.freeBytes), sizeText(pool.capacity),
                             sizeText(pool.largestFree), fullSizeText(pool.sufficient),
                             holders.isEmpty() ? QString() : tr(" Held by %1").arg(holders)),
         .stay = found->stay});
    if (found->cause == Autopsy::Cause::fragmentation) addHoles(run, pool, kind, findings);
  }
}

void addUnsized(const Run& run, std::vector<ProblemLine>& findings) {
  std::size_t count = 0;
  for (const TensorId id : run.storage.unsized) {
    if (++count > kMostOfAKind) break;
    const Tensor& tensor = run.graph().tensors[id];
    findings.push_back(
        {.severity = Glyph::warning,
         .kind = tr("size unknown"),
         .subject = tensorText(run, id),
         .message = tr("left out of every total: %1")
                        .arg(QString::fromStdString(printable(tensor.unknownReason))),
         .op = tensor.producer});
  }
  if (count <= kMostOfAKind) return;
  findings.push_back(
      {.severity = Glyph::warning,
       .kind = tr("size unknown"),
       .message = tr("and %1 more").arg(grouped(run.storage.unsized.size() - kMostOfAKind))});
}

void addCopies(const Run& run, std::vector<ProblemLine>& findings) {
  for (const CopyNote& copy : run.storage.copies) {
    findings.push_back({.severity = Glyph::information,
                        .kind = tr("copy"),
                        .subject = opNameText(run, copy.op),
                        .message = tr("moves %1 of %2: %3")
                                       .arg(sizeText(copy.bytes), tensorText(run, copy.tensor),
                                            QString::fromStdString(printable(copy.reason))),
                        .op = copy.op});
  }
}

void addNotes(const std::vector<std::string>& notes, std::vector<ProblemLine>& findings) {
  for (const std::string& written : notes) {
    const ImportNote note = importNote(written);
    if (note.dimension) {
      findings.push_back({.severity = Glyph::warning,
                          .kind = tr("left open"),
                          .subject = QString::fromStdString(printable(*note.dimension)),
                          .message = note.said});
      continue;
    }
    const QString& text = note.said;
    const bool known = std::ranges::any_of(
        findings, [&](const ProblemLine& finding) { return finding.message == text; });
    if (known) continue;
    findings.push_back({.severity = Glyph::information, .kind = tr("note"), .message = text});
  }
}

}  // namespace

std::vector<ProblemLine> findingsOf(const Run& run, const std::vector<Violation>& violations) {
  std::vector<ProblemLine> findings;
  for (const Violation& violation : violations) {
    findings.push_back({.severity = Glyph::error,
                        .kind = tr("invalid plan"),
                        .subject = violation.a ? stayText(run, violation.a) : QString(),
                        .message = QString::fromStdString(printable(violation.message, 1'000)),
                        .stay = violation.a});
  }
  addAutopsy(run, findings);
  addUnsized(run, findings);
  addCopies(run, findings);
  addNotes(run.notes, findings);
  addNotes(run.plan.notes, findings);
  addNotes(run.graph().notes, findings);
  addNotes(run.timing.notes, findings);
  std::ranges::stable_sort(findings, {}, [](const ProblemLine& finding) {
    return finding.severity == Glyph::error ? 0 : finding.severity == Glyph::warning ? 1 : 2;
  });
  return findings;
}

}  // namespace hw
