#include "widgets/explain/decision_text.h"

#include <algorithm>

#include "core/base/text.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

/// More candidates than this are summed up as a number.
constexpr std::size_t kMostCandidates = 12;

QString html(const std::string& text) {
  return QString::fromStdString(printable(text, 600)).toHtmlEscaped();
}

QString line(const QString& key, const std::string& text) {
  if (text.empty()) return {};
  return QStringLiteral("<tr><td class='key'>%1</td><td>%2</td></tr>")
      .arg(key.toHtmlEscaped(), html(text));
}

QString wallsHtml(const Run& run, const std::vector<StayId>& walls) {
  QStringList links;
  for (const StayId wall : walls) {
    links.append(QStringLiteral("<a href='stay:%1'>%2</a>")
                     .arg(wall.index())
                     .arg(stayText(run, wall).toHtmlEscaped()));
  }
  return links.join(QStringLiteral(" \u00b7 "));
}

/// The flat address, or the offset inside a block.
QString whereText(const Run& run, const Candidate& candidate, bool inside) {
  if (!candidate.address) return {};
  const auto [pool, region, offset] = *candidate.address;
  if (inside) return QStringLiteral("+") + exactText(offset);
  return addressText(run.plan.regionStart(pool, region) + offset);
}

/// Two lines a candidate: what it is and the verdict; why, and who bounds it.
QString candidateHtml(const Run& run, const Candidate& candidate, bool inside) {
  const bool chosen = candidate.verdict == Verdict::chosen;
  QString head = html(candidate.kind);
  const QString where = whereText(run, candidate, inside);
  if (!where.isEmpty()) head += QStringLiteral(" <tt>%1</tt>").arg(where);
  if (candidate.room) head += QStringLiteral(", ") + sizeText(*candidate.room).toHtmlEscaped();
  const QString verdict = verdictText(candidate.verdict).toHtmlEscaped();
  const QString walls = wallsHtml(run, candidate.because);
  QString body = html(candidate.reason);
  if (!walls.isEmpty()) body += QStringLiteral("<br>") + walls;
  const QString mark = chosen ? QStringLiteral("\u2714") : QStringLiteral("\u2013");
  return QStringLiteral(
             "<tr><td>%1&nbsp;</td><td><b>%2</b>: %3<br><span class='why'>%4</span></td></tr>")
      .arg(mark, verdict, head, body);
}

QString candidatesHtml(const Run& run, const Decision& decision, bool inside) {
  QString rows;
  std::size_t shown = 0;
  std::size_t hidden = decision.leftOut;
  for (const Candidate& candidate : decision.candidates) {
    if (shown < kMostCandidates || candidate.verdict == Verdict::chosen) {
      rows += candidateHtml(run, candidate, inside);
      ++shown;
    } else {
      ++hidden;
    }
  }
  if (rows.isEmpty()) return {};
  if (hidden > 0) {
    rows += QStringLiteral("<tr><td></td><td><span class='why'>%1</span></td></tr>")
                .arg(tr("and %1 more").arg(hidden));
  }
  return QStringLiteral("<table>%1</table>").arg(rows);
}

QString explanationHtml(const Run& run, const PlaceExplanation& found) {
  const Decision& decision = found.decision;
  QString page = QStringLiteral("<table>");
  page += line(tr("Decided"), decision.decided);
  page += line(tr("Turn"), decision.when);
  page += line(tr("Pool"), found.residency);
  page += line(tr("Block"), found.block);
  if (decision.fromPlan) {
    page += line(tr("Account"),
                 tr("judged from the finished plan: the method keeps none").toStdString());
  }
  page += QStringLiteral("</table>") + candidatesHtml(run, decision, false);
  if (!found.inside) return page;
  page += QStringLiteral("<h4>%1</h4><table>").arg(tr("Inside the block").toHtmlEscaped());
  page += line(tr("Decided"), found.inside->decided);
  return page + QStringLiteral("</table>") + candidatesHtml(run, *found.inside, true);
}

std::vector<Ghost> ghostsOf(const Stay& stay, const Decision& decision) {
  constexpr std::size_t kMost = 32;
  std::vector<Ghost> ghosts;
  for (const Candidate& candidate : decision.candidates) {
    const bool free = candidate.verdict != Verdict::chosen && candidate.verdict != Verdict::taken;
    // Ghosts are drawn at flat addresses, and only in the first region are offsets such.
    if (!free || !candidate.address || candidate.address->region != RegionId(0)) continue;
    const Bytes begin = candidate.address->offset;
    const Bytes room = std::min(candidate.room.value_or(stay.size), stay.size);
    if (room <= Bytes()) continue;
    ghosts.push_back({.pool = candidate.address->pool,
                      .bytes = {begin, begin + room},
                      .steps = stay.steps,
                      .verdict = candidate.verdict});
    if (ghosts.size() == kMost) break;
  }
  return ghosts;
}

}  // namespace

QString verdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::chosen:
      return tr("Chosen");
    case Verdict::tooSmall:
      return tr("Too small");
    case Verdict::taken:
      return tr("Taken");
    case Verdict::overCapacity:
      return tr("Over capacity");
    case Verdict::lessGood:
      return tr("Less good");
    case Verdict::notAllowed:
      break;
  }
  return tr("Not allowed");
}

WhyHere whyHere(const Run& run, StayId stay) {
  const PlaceExplanation found = explainPlace(run, stay);
  // A stay inside a block shares the decision of the block: the candidates are places of that, and
  // would be wrong as outlines of the stay.
  WhyHere why{.html = explanationHtml(run, found)};
  if (!found.inside) why.ghosts = ghostsOf(run.problem.stays[stay], found.decision);
  return why;
}

}  // namespace hw
