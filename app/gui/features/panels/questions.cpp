#include <QHBoxLayout>
#include <QObject>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "widgets/explain/inspector.h"
#include "widgets/jobs/work_panel.h"
#include "widgets/text/text.h"
#include "widgets/what_if/what_if_panel.h"

namespace hw {

namespace {

/// A card of the place Improve: the panel that answers the question, and the command that asks it.
struct Question {
  const char* panel;
  const char* command;
  QString text;
  QString before;  ///< In place of an answer, as long as nobody has asked.
};

std::vector<Question> questions() {
  return {{"shrink", "shrink", tr("How small can the memory be?"), tr("plan every way")},
          {"capacity", "sweepCapacity", tr("How much L2 is enough?"), tr("try every size")},
          {"front", "front", tr("How fast within how much?"), tr("search the front")},
          {"whatIf", "whatIf", tr("What if the machine were another?"),
           tr("drag L2, bandwidth, channels, MACs")}};
}

/// Shows what `panel` has found out on a card, which is marked while the panel is in front.
template <class Panel>
void follow(MainWindow* window, Inspector* inspector, const Question& question, FigureCard* card,
            const Panel* panel) {
  const auto show = [question, card, panel, inspector] {
    Figure figure = panel->answer();
    figure.label = question.text;
    figure.isSentence = true;
    figure.value.replace(QLatin1Char('-'), QChar(0x2212));
    inspector->setHelp(QString::fromLatin1(question.command), question.text, figure.value);
    if (figure.value.isEmpty()) figure.value = question.before;
    card->setFigure(figure);
  };
  show();
  QObject::connect(panel, &Panel::answered, card, show);
  const auto mark = [window, card, name = QString::fromLatin1(question.panel)] {
    card->setChecked(window->places()->isShown(name));
  };
  QObject::connect(window->places(), &Places::panelsChanged, card, mark);
  QObject::connect(card, &QAbstractButton::clicked, card,
                   [mark, ask = window->command(QString::fromLatin1(question.command))] {
                     ask->trigger();
                     mark();
                   });
}

}  // namespace

void addQuestions(MainWindow* window, Inspector* inspector) {
  constexpr int kAir = 8;
  auto* cards = new QWidget(window);
  cards->setObjectName(QStringLiteral("questions"));
  cards->setAccessibleName(tr("Questions about less memory and more speed"));
  auto* row = new QHBoxLayout(cards);
  row->setContentsMargins(kAir + 4, kAir, kAir + 4, kAir);
  row->setSpacing(kAir);
  for (const Question& question : questions()) {
    auto* card = new FigureCard(cards);
    card->setObjectName(QStringLiteral("question:") + QString::fromLatin1(question.panel));
    card->setCheckable(true);
    row->addWidget(card);
    const QWidget* panel = window->places()->panel(QString::fromLatin1(question.panel));
    if (const auto* work = qobject_cast<const WorkPanel*>(panel)) {
      follow(window, inspector, question, card, work);
    } else {
      follow(window, inspector, question, card, qobject_cast<const WhatIfPanel*>(panel));
    }
  }
  window->places()->setCards(cards);
  QObject::connect(inspector, &Inspector::commandWanted, window,
                   [window](const QString& name) { window->command(name)->trigger(); });
}

}  // namespace hw
