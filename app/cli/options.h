#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/outcome.h"
#include "core/run/run.h"

namespace hw::cli {

/// --dim: how models with free dimensions are opened.
class DimensionOptions {
 public:
  explicit DimensionOptions(Arguments& arguments);

  /// What the options say, or what is wrong with them.
  Outcome<ImportOptions> importOptions() const;

 private:
  std::vector<std::string> dimensions_;
  std::string bodies_;
  std::string subgraph_;
};

/// Opens a model file, or samples:NAME; errors are about `name`.
Outcome<std::shared_ptr<const Model>> openNamed(const std::string& name,
                                                const ImportOptions& options);

/// MODEL and --dim.
class ModelOptions {
 public:
  explicit ModelOptions(Arguments& arguments);

  Outcome<std::shared_ptr<const Model>> open() const;
  /// The same for somebody who wants it for himself.
  Outcome<Model> read() const;
  const std::string& name() const { return name_; }

 private:
  DimensionOptions dimensions_;
  std::string name_;
};

/// MODEL [MODEL...] and --dim.
class ModelsOptions {
 public:
  explicit ModelsOptions(Arguments& arguments);

  Outcome<ImportOptions> importOptions() const { return dimensions_.importOptions(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  DimensionOptions dimensions_;
  std::vector<std::string> names_;
};

/// Where a memory without --platform, --l2 or --l3 gets its size.
enum class DefaultMachine {
  unlimited,  ///< Planning: as much as it takes.
  platform,   ///< Simulating: what the default platform has.
};

/// Free dimensions as NAME=VALUE, a preset or file (whose name ends in .toml or has a slash),
/// sharing rules, an alignment, the size of a memory, as `option` takes them; empty texts are
/// defaults.
Outcome<ImportOptions> parseDimensions(const std::string& option,
                                       const std::vector<std::string>& texts);
Outcome<Platform> parsePlatformName(const std::string& option, const std::string& text);
Outcome<AliasRules> parseAlias(const std::string& option, const std::string& text);
Outcome<std::optional<Bytes>> parseAlignment(const std::string& option, const std::string& text);
Outcome<PoolSize> parsePoolSize(const std::string& option, const std::string& text,
                                PoolSize fallback);

/// The options that decide how tensors become buffers.
class StorageArguments {
 public:
  explicit StorageArguments(Arguments& arguments);

  bool aliasGiven() const { return !alias_.empty(); }
  bool inputsGiven() const { return !inputs_.empty(); }
  bool outputsGiven() const { return !outputs_.empty(); }
  Outcome<AliasRules> alias() const;
  Outcome<std::optional<Bytes>> alignment() const;
  bool planInputs() const { return inputs_ != "external"; }
  bool planOutputs() const { return outputs_ != "external"; }

 private:
  std::string alias_;
  std::string alignment_;
  std::string inputs_;
  std::string outputs_;
};

/// Moves of operators, such as 41:before:38.
Outcome<std::vector<OpMove>> parseMoves(const std::string& option,
                                        const std::vector<std::string>& texts);

/// The options that decide on what machine a run happens.
class MachineArguments {
 public:
  MachineArguments(Arguments& arguments, DefaultMachine machine);

  Outcome<void> apply(RunConfig& config) const;

 private:
  Outcome<PoolSize> poolSize(const std::string& option, const std::string& text) const;

  DefaultMachine machine_;
  std::string platform_;
  std::string l2_;
  std::string l3_;
  std::string weights_;
};

/// The default platform with both memories unlimited.
void unlimitedMachine(RunConfig& config);

/// Everything a run needs besides its model and allocator.
class RunArguments {
 public:
  RunArguments(Arguments& arguments, DefaultMachine machine);

  /// The allocator is left to the caller.
  Outcome<RunConfig> config() const;

 private:
  StorageArguments storage_;
  MachineArguments machine_;
  std::vector<std::string> moves_;
  std::uint64_t seed_ = 1;
  int threads_ = 1;
  double timeLimit_ = 0;
};

/// --allocator NAME[:key=value,...], with its default.
class AllocatorOption {
 public:
  explicit AllocatorOption(Arguments& arguments);

  Outcome<AllocatorChoice> choice() const;
  bool given() const { return !text_.empty(); }

 private:
  std::string text_;
};

/// An allocator as `option` names it.
Outcome<AllocatorChoice> parseAllocator(const std::string& option, const std::string& text);

/// "free-list:pick=best,threshold=4KiB,none", or "all" (also when empty): what follows a comma is a
/// parameter of the allocator before it if it has a "=" and no ":" before that.
Outcome<std::vector<AllocatorChoice>> parseAllocators(const std::string& option,
                                                      const std::string& list);

}  // namespace hw::cli
