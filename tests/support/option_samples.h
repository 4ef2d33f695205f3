#pragma once

#include "core/run/options.h"

namespace hw::test {

/// For every option of the table something to say that is not the default, as its own `print`
/// writes it. An option that is new fails the tests until it has its line here.
inline const OptionTexts& optionSamples() {
  static const OptionTexts samples = {
      {"model", {"samples:inception"}},
      {"dim", {"a=b=7", "batch=4"}},
      {"bodies", {"closed"}},
      {"fuse", {"quantized,pads"}},
      {"weight-bytes", {"stored.csv"}},
      {"subgraph", {"main part"}},
      {"allocator", {"free-list:pick=best,threshold=4KiB"}},
      {"platform", {"two-devices"}},
      {"l2", {"1536"}},
      {"l3", {"unlimited"}},
      {"align", {"4KiB"}},
      {"alias", {"reshape,concat"}},
      {"overlap", {"kernels"}},
      {"inputs", {"external"}},
      {"outputs", {"external"}},
      {"weights", {"prefetch=3"}},
      {"order", {"depth-first"}},
      {"layout", {"nhwc"}},
      {"recompute", {"cheap"}},
      {"tile", {"any"}},
      {"tile-to", {"12KiB"}},
      {"extra-work", {"2.5%"}},
      {"move", {"2:before:1", "4:before:3"}},
      {"batches", {"3"}},
      {"residency", {"lru"}},
      {"seed", {"12345678901234567890"}},
      {"threads", {"3"}},
      {"time-limit", {"1.5"}},
  };
  return samples;
}

}  // namespace hw::test
