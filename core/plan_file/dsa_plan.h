#pragma once

#include <string>

#include "core/base/json.h"
#include "core/import/importer.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// The fingerprint that dsa-solver has of a problem (docs/formats/dsa.md): 16 hexadecimal digits.
std::string dsaFingerprint(const DsaProblem& problem);

/// True if a document is a plan of dsa-solver (dsa-solution-v1), not ours.
bool isDsaSolution(const JsonNode& document);

/// Statements of such a document beside its placements. Refuses other schemas.
StatedDsa readDsaClaims(const JsonNode& document);

/// A placement of such a document, by numbers: to be named by `namedDsaPlan`.
Placement readDsaPlacement(const JsonNode& node);

/// A plan by the numbers of a file of dsa-solver, by the names of `model`, which is of that file:
/// one placement for each stretch of steps in which a buffer is live, and all pools that there are.
/// Numbers that the file does not have stay, as "buffer 7" and "pool 7". Fails for other models.
Result<PlanDocument> namedDsaPlan(const PlanDocument& plan, const Model& model);

}  // namespace hw
