/* A sample plugin: buffers in the order given, each at the lowest offset that is free for its whole
 * life. SPDX-License-Identifier: GPL-3.0-or-later */
#include "highwater/allocator_plugin.h"

static int lives_with(const highwater_stay_v1 *a, const highwater_stay_v1 *b) {
  return a->lower < b->upper && b->lower < a->upper;
}

/* The end of some buffer in the way of [at, at + size), or -1 when nothing is. */
static int64_t obstacle(const highwater_problem_v1 *problem, const int64_t *offsets, int64_t me,
                        int64_t at) {
  const highwater_stay_v1 *mine = &problem->stays[me];
  for (int64_t i = 0; i < problem->count; ++i) {
    const highwater_stay_v1 *other = &problem->stays[i];
    const int placed = i < me || other->pinned >= 0;
    if (!placed || i == me || !lives_with(mine, other)) continue;
    const int64_t begin = other->pinned >= 0 ? other->pinned : offsets[i];
    if (at < begin + other->size && begin < at + mine->size) return begin + other->size;
  }
  return -1;
}

static int first_fit(const highwater_problem_v1 *problem, int64_t *offsets) {
  for (int64_t i = 0; i < problem->count; ++i) {
    const highwater_stay_v1 *stay = &problem->stays[i];
    int64_t at = 0;
    if (stay->pinned >= 0) {
      offsets[i] = stay->pinned;
      continue;
    }
    for (int64_t next = obstacle(problem, offsets, i, at); next >= 0;
         next = obstacle(problem, offsets, i, at)) {
      at = (next + stay->alignment - 1) / stay->alignment * stay->alignment;
    }
    offsets[i] = at;
  }
  return 0;
}

static const highwater_allocator_v1 allocator = {
    HIGHWATER_ALLOCATOR_ABI, "plugin-first-fit",
    "sample plugin: in the order given, lowest free offset", first_fit};

const highwater_allocator_v1 *highwater_allocator(void) { return &allocator; }
