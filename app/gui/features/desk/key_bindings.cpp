#include "app/gui/features/desk/key_bindings.h"

#include <QMenu>
#include <algorithm>

#include "app/gui/window/main_window.h"

namespace hw {

namespace {

QString keyOf(const QAction* action) { return QStringLiteral("keys/") + action->objectName(); }

/// A list that settings files can tell from no list at all.
QString toText(const QList<QKeySequence>& keys) {
  return keys.isEmpty() ? QStringLiteral("none")
                        : QKeySequence::listToString(keys, QKeySequence::PortableText);
}

QList<QKeySequence> fromText(const QString& text) {
  return text == QLatin1String("none") ? QList<QKeySequence>() : QKeySequence::listFromString(text);
}

QString plain(QString text) { return text.remove(QLatin1Char('&')).remove(QChar(0x2026)); }

}  // namespace

KeyBindings::KeyBindings(MainWindow* window) : QObject(window), window_(window) {
  setObjectName(QStringLiteral("keyBindings"));
}

const QList<KeyBindings::Command>& KeyBindings::commands() {
  for (const MenuKind kind : {MenuKind::file, MenuKind::edit, MenuKind::view, MenuKind::simulate,
                              MenuKind::compare, MenuKind::report, MenuKind::help}) {
    const QMenu* menu = window_->menu(kind);
    collect(menu, plain(menu->title()));
  }
  return commands_;
}

void KeyBindings::collect(const QMenu* menu, const QString& group) {
  for (QAction* action : menu->actions()) {
    if (action->menu()) collect(action->menu(), group);
    const bool named = !action->objectName().isEmpty() && !action->text().isEmpty();
    const bool known =
        std::ranges::any_of(commands_, [&](const Command& each) { return each.action == action; });
    if (!named || known || action->menu() || action->isSeparator()) continue;
    commands_.append({action, plain(action->text()), group, action->shortcuts()});
    const QString kept = window_->settings()->value(keyOf(action), {}).toString();
    if (!kept.isEmpty()) action->setShortcuts(fromText(kept));
  }
}

const KeyBindings::Command* KeyBindings::holder(const QKeySequence& keys, const QAction* except) {
  if (keys.isEmpty()) return nullptr;
  const auto clash = [&](const Command& command) {
    return command.action != except &&
           std::ranges::any_of(command.action->shortcuts(), [&](const QKeySequence& each) {
             return !each.isEmpty() && (each.matches(keys) != QKeySequence::NoMatch ||
                                        keys.matches(each) != QKeySequence::NoMatch);
           });
  };
  const auto& all = commands();
  const auto found = std::ranges::find_if(all, clash);
  return found == all.end() ? nullptr : &*found;
}

void KeyBindings::bind(QAction* action, const QList<QKeySequence>& keys) {
  action->setShortcuts(keys);
  const auto& all = commands();
  const auto command = std::ranges::find(all, action, &Command::action);
  const bool standard = command != all.end() && command->standard == keys;
  window_->settings()->setValue(keyOf(action), standard ? QVariant() : QVariant(toText(keys)));
  Q_EMIT changed();
}

bool KeyBindings::isChanged(const Command& command) const {
  return command.action->shortcuts() != command.standard;
}

void KeyBindings::reset(const Command& command) {
  const QList<QKeySequence> standard = command.standard;
  bind(command.action, standard);
}

void KeyBindings::resetAll() {
  for (const Command& command : commands()) {
    if (!isChanged(command)) continue;
    command.action->setShortcuts(command.standard);
    window_->settings()->setValue(keyOf(command.action), {});
  }
  Q_EMIT changed();
}

}  // namespace hw
