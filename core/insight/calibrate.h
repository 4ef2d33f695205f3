#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/import/importer.h"
#include "core/import/measured/operator_times.h"
#include "core/machine/memory_model.h"

namespace hw {

/// A network, and what was measured of it on a machine.
struct MeasuredNetwork {
  std::string name{};
  std::shared_ptr<const Model> model{};
  OperatorTimes times{};
};

/// One operator or network: predicted beside measured, in microseconds.
struct FittedTime {
  std::string name{};
  double measured = 0;
  double predicted = 0;

  /// Of what was measured: 0.04 is 4 % more.
  double excess() const { return predicted / measured - 1; }
};

/// Operators of a class on a unit of the first device, and the law fitted to them.
struct FittedClass {
  std::size_t unit = 0;
  CostClass kind{};
  CostLaw law{};
  std::size_t operators = 0;        ///< Of the networks, measured or not.
  std::vector<FittedTime> times{};  ///< Of those measured by themselves.

  double meanError() const;
  /// The one furthest off; null: none was measured by itself.
  const FittedTime* worst() const;
};

struct Calibration {
  Platform platform{};  ///< With the laws.
  std::vector<FittedClass> classes{};
  /// Of each network all that was measured: its operators together, or the whole.
  std::vector<FittedTime> networks{};
  std::vector<std::string> notes{};  ///< What was left out, and what was used instead.
};

/// The platform with `cycles = "table"` on the units whose operators were measured. The laws leave
/// the least sum of squares of relative errors that constants from 0 can. Operators that were
/// measured one by one give a class two constants, or one where they do not differ in size.
/// Networks that were measured as a whole give each class that multiplies cycles a MAC, if there
/// are at least as many networks, and else all of the machine one part of its rates that it
/// reaches. Fails where nothing can be fitted.
Result<Calibration> calibrate(const Platform& platform, std::span<const MeasuredNetwork> networks);

/// The constants from 0, at most 16, with the least sum of squares of columns x constants - 1,
/// where each row is one equation. Of several as good the fewest constants, of the last columns.
std::vector<double> leastSquares(const std::vector<std::vector<double>>& rows);

}  // namespace hw
