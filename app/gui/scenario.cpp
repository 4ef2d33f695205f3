#include "app/gui/scenario.h"

#include <QCoreApplication>
#include <QStringList>

#include "core/base/text.h"
#include "core/report/plan_document.h"

namespace hw {

namespace {

QString poolText(const PoolSize& size) {
  switch (size.kind) {
    case PoolSize::Kind::platform:
      return {};
    case PoolSize::Kind::unbounded:
      return QStringLiteral("unlimited");
    case PoolSize::Kind::bytes:
      break;
  }
  return QString::number(size.bytes.count());
}

PoolSize poolOf(const QString& text) {
  if (text == QLatin1String("unlimited")) return {.kind = PoolSize::Kind::unbounded};
  const auto bytes = parseSize(text.toStdString());
  return bytes ? PoolSize{.kind = PoolSize::Kind::bytes, .bytes = *bytes} : PoolSize{};
}

QString whereText(bool arena) {
  return arena ? QStringLiteral("arena") : QStringLiteral("external");
}

QString movesText(const RunConfig& config) {
  QStringList texts;
  for (const OpMove& move : config.moves) texts.append(QString::fromStdString(moveText(move)));
  return texts.join(QLatin1Char(' '));
}

QString dimensionsText(const ImportOptions& import) {
  QStringList texts;
  for (const auto& [name, value] : import.dimensions) {
    texts.append(QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value));
  }
  return texts.join(QLatin1Char('\n'));
}

AliasRules aliasOf(const QString& text) {
  if (text == QLatin1String("views")) return {};
  if (text == QLatin1String("all")) return AliasRules::all();
  AliasRules rules = AliasRules::none();
  const QStringList words = text.split(QLatin1Char(','));
  rules.reshape = words.contains(QLatin1String("reshape"));
  rules.concat = words.contains(QLatin1String("concat"));
  rules.split = words.contains(QLatin1String("split"));
  rules.inPlace = words.contains(QLatin1String("in-place"));
  return rules;
}

void readMachine(const ScenarioFacts& facts, RunConfig& config) {
  const auto value = [&](const char* key) { return facts.value(QLatin1String(key)); };
  if (auto choice = AllocatorChoice::parse(value("allocator").toStdString())) {
    config.allocator = *std::move(choice);
  }
  if (auto platform = openPlatform(value("platform").toStdString())) {
    config.platform = *std::move(platform);
  }
  config.l2 = poolOf(value("l2"));
  config.l3 = poolOf(value("l3"));
  const qlonglong align = value("align").toLongLong();
  if (align >= 1 && align <= (1 << 30) && (align & (align - 1)) == 0) {
    config.alignment = Bytes(align);
  }
}

/// What people call the facts.
QString factName(const QString& key) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("Scenario", text); };
  const QMap<QString, QString> names = {{QStringLiteral("allocator"), tr("allocator")},
                                        {QStringLiteral("platform"), tr("platform")},
                                        {QStringLiteral("l2"), tr("L2 size")},
                                        {QStringLiteral("l3"), tr("L3 size")},
                                        {QStringLiteral("align"), tr("alignment")},
                                        {QStringLiteral("alias"), tr("sharing")},
                                        {QStringLiteral("inputs"), tr("inputs")},
                                        {QStringLiteral("outputs"), tr("outputs")},
                                        {QStringLiteral("weights"), tr("weights")},
                                        {QStringLiteral("moves"), tr("order")},
                                        {QStringLiteral("dimensions"), tr("dimensions")},
                                        {QStringLiteral("subgraph"), tr("subgraph")},
                                        {QStringLiteral("seed"), tr("seed")},
                                        {QStringLiteral("timeLimit"), tr("time limit")}};
  return names.value(key, key);
}

}  // namespace

ScenarioFacts factsOf(const RunRequest& request) {
  const RunConfig& config = request.config;
  const auto text = [](const std::string& value) { return QString::fromStdString(value); };
  ScenarioFacts facts;
  facts.insert(QStringLiteral("model"), text(request.model));
  facts.insert(QStringLiteral("dimensions"), dimensionsText(request.import));
  facts.insert(QStringLiteral("subgraph"), text(request.import.subgraph));
  facts.insert(QStringLiteral("bodies"),
               request.import.closedBodies ? QStringLiteral("closed") : QStringLiteral("steps"));
  facts.insert(QStringLiteral("allocator"),
               config.allocator.info ? text(config.allocator.text()) : QString());
  facts.insert(QStringLiteral("platform"), text(config.platform.name));
  facts.insert(QStringLiteral("l2"), poolText(config.l2));
  facts.insert(QStringLiteral("l3"), poolText(config.l3));
  facts.insert(QStringLiteral("align"),
               config.alignment ? QString::number(config.alignment->count()) : QString());
  facts.insert(QStringLiteral("alias"), text(aliasText(config.alias)));
  facts.insert(QStringLiteral("inputs"), whereText(config.planInputs));
  facts.insert(QStringLiteral("outputs"), whereText(config.planOutputs));
  facts.insert(QStringLiteral("weights"),
               config.streamWeights ? QStringLiteral("streamed") : QStringLiteral("resident"));
  facts.insert(QStringLiteral("moves"), movesText(config));
  facts.insert(QStringLiteral("seed"), QString::number(config.seed));
  facts.insert(QStringLiteral("timeLimit"), QString::number(config.timeLimit));
  return facts;
}

RunRequest requestOf(const ScenarioFacts& facts) {
  const auto value = [&](const char* key) { return facts.value(QLatin1String(key)); };
  RunRequest request{
      .model = value("model").toStdString(), .import = {}, .config = defaultConfig()};
  for (const QString& line : value("dimensions").split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
    const auto equals = line.lastIndexOf(QLatin1Char('='));
    bool good = false;
    const qlonglong size = line.mid(equals + 1).toLongLong(&good);
    if (equals > 0 && good) request.import.dimensions[line.left(equals).toStdString()] = size;
  }
  request.import.subgraph = value("subgraph").toStdString();
  request.import.closedBodies = value("bodies") == QLatin1String("closed");
  RunConfig& config = request.config;
  readMachine(facts, config);
  if (facts.contains(QStringLiteral("alias"))) config.alias = aliasOf(value("alias"));
  config.planInputs = value("inputs") != QLatin1String("external");
  config.planOutputs = value("outputs") != QLatin1String("external");
  config.streamWeights = value("weights") != QLatin1String("resident");
  for (const QString& text : value("moves").split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    if (const auto move = parseMove(text.toStdString())) config.moves.push_back(*move);
  }
  if (facts.contains(QStringLiteral("seed"))) config.seed = value("seed").toULongLong();
  config.timeLimit = std::max(0.0, value("timeLimit").toDouble());
  return request;
}

QString changeText(const RunRequest& before, const RunRequest& after) {
  const ScenarioFacts old = factsOf(before);
  const ScenarioFacts fresh = factsOf(after);
  const QString standard = QCoreApplication::translate("Scenario", "default");
  QStringList parts;
  for (auto fact = fresh.begin(); fact != fresh.end(); ++fact) {
    const QString was = old.value(fact.key());
    if (was == fact.value()) continue;
    const auto shown = [&](const QString& text) {
      return text.isEmpty() ? standard : QString::fromStdString(printable(text.toStdString(), 60));
    };
    parts.append(QStringLiteral("%1 %2 \u2192 %3")
                     .arg(factName(fact.key()), shown(was), shown(fact.value())));
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace hw
