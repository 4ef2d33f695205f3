#pragma once

#include "core/run/run_request.h"
#include "tests/support/graphs.h"
#include "tests/support/problems.h"

namespace hw::test {

/// Draws small networks, small machines and options, in which nearly everything happens: near
/// memories that are slower than far ones, loads that are not worth their while, plans that exceed
/// their memory until less is near, one device or two, two memories or three.
class MachineDraw {
 public:
  explicit MachineDraw(std::uint64_t seed) : dice_(seed) {}

  Graph graph();
  /// What plans on that machine is `best`.
  RunRequest request();

 private:
  std::size_t roll(std::size_t count);
  std::string recent();
  std::string any(const std::vector<std::string>& words);
  std::string tensor(DrawnGraph& drawn, const std::string& prefix);
  std::string pool(const std::string& name, const std::string& capacity);
  std::string device(const std::string& name, const std::string& ops);
  Platform platform();
  void place(RunRequest& request);

  Dice dice_;
  std::vector<std::string> names_;
};

}  // namespace hw::test
