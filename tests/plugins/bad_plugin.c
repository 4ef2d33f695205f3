/* One bad plugin per BEHAVIOUR: what a host has to survive. */
#include <stdlib.h>
#include <stdio.h>

#include "highwater/allocator_plugin.h"

enum { CRASH, HANG, OVERLAP, NEGATIVE, FAIL, OLD, CHATTY };

static int misbehave(const highwater_problem_v1 *problem, int64_t *offsets) {
  switch (BEHAVIOUR) {
    case CRASH:
      abort();
    case HANG:
      for (volatile int go = 1; go;) {
      }
      return 0;
    case OVERLAP:
      for (int64_t i = 0; i < problem->count; ++i) offsets[i] = 0;
      return 0;
    case NEGATIVE:
      return 0;
    case CHATTY: {
      int64_t top = 0;
      puts("plugins may print what they like");
      for (int64_t i = 0; i < problem->count; ++i) {
        const int64_t alignment = problem->stays[i].alignment;
        top = (top + alignment - 1) / alignment * alignment;
        offsets[i] = top;
        top += problem->stays[i].size;
      }
      return 0;
    }
    default:
      return 1;
  }
}

static const highwater_allocator_v1 allocator = {
    BEHAVIOUR == OLD ? 99 : HIGHWATER_ALLOCATOR_ABI, "bad", "misbehaves", misbehave};

const highwater_allocator_v1 *highwater_allocator(void) { return &allocator; }
