#include "widgets/graph/least_squares.h"

#include <cstddef>

namespace hw {

std::vector<double> placeApart(const std::vector<double>& wanted,
                               const std::vector<double>& weights,
                               const std::vector<double>& gaps) {
  // Less the gaps before it, a place only has to be no lower than the one to its left. That is
  // isotonic regression, done by pooling adjacent violators: neighbours that would cross form a
  // pool at their common mean, which takes in the pool to its left as long as that lies further
  // right.
  struct Pool {
    double place = 0;
    double weight = 0;
    std::size_t count = 0;
  };
  std::vector<double> offsets(wanted.size(), 0);
  for (std::size_t i = 1; i < wanted.size(); ++i) offsets[i] = offsets[i - 1] + gaps[i - 1];
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({wanted[i] - offsets[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].place > pools.back().place) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& into = pools.back();
      into.place =
          (into.place * into.weight + last.place * last.weight) / (into.weight + last.weight);
      into.weight += last.weight;
      into.count += last.count;
    }
  }
  std::vector<double> places;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      places.push_back(pool.place + offsets[places.size()]);
    }
  }
  return places;
}

}  // namespace hw
