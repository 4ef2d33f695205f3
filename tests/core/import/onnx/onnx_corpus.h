#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <tuple>

#include "core/import/importer.h"
#include "tests/support/corpus.h"

namespace hw {

/// What the free dimensions of a model of the corpus were when it was measured, control flow
/// as the corpus has it: `flat` answers are about models whose branches were opened.
ImportOptions corpusOptions(const std::string& model, bool flat);

/// A tensor of a lifetime problem: name, lower, upper, size.
using LifetimeRow = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

/// The lifetime problem of a graph as the corpus defines it, worked out here from producers and
/// consumers alone.
std::set<LifetimeRow> problemRows(const Graph& graph);

/// The rows of `NAME.csv`, named by `NAME.tensors.tsv` beside it; empty when either is missing.
std::set<LifetimeRow> problemRows(const std::filesystem::path& csv);

/// A name inside a call or a branch as both sides agree on it: ours is "function#7/name" or
/// "If_node/name", the corpus writes "f7/name" and "If_node_if5/name".
std::string commonName(const std::string& name);

/// Most bytes live at any step.
std::int64_t lowerBoundOf(const std::set<LifetimeRow>& rows);

}  // namespace hw
