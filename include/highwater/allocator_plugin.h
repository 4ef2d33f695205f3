/* The C interface of allocator plugins, version 1. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plugin is a shared library that exports one function:
 *
 *     const highwater_allocator_v1 *highwater_allocator(void);
 *
 * Highwater loads it in a process of its own, hands it one problem at a time and checks whatever it
 * answers. A plugin that crashes, hangs or answers nonsense costs its row of a comparison, nothing
 * else. See docs/guides/add_an_allocator.md.
 */
#ifndef HIGHWATER_ALLOCATOR_PLUGIN_H
#define HIGHWATER_ALLOCATOR_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HIGHWATER_ALLOCATOR_ABI 1

/* One buffer: live at the steps [lower, upper), `size` bytes, its offset a multiple of `alignment`.
 * `pinned` is the offset it must have, or -1. */
typedef struct {
  int64_t lower;
  int64_t upper;
  int64_t size;
  int64_t alignment;
  int64_t pinned;
} highwater_stay_v1;

/* One pool's worth of buffers. `capacity` is -1 when the pool is unbounded. */
typedef struct {
  int64_t count;
  const highwater_stay_v1 *stays;
  int64_t capacity;
  uint64_t seed;
} highwater_problem_v1;

typedef struct {
  uint32_t abi;        /* HIGHWATER_ALLOCATOR_ABI */
  const char *name;    /* one word */
  const char *summary; /* one line */
  /* Fills offsets[0 .. count). Returns 0 when it did, anything else when it has no answer. */
  int (*plan)(const highwater_problem_v1 *problem, int64_t *offsets);
} highwater_allocator_v1;

const highwater_allocator_v1 *highwater_allocator(void);

#ifdef __cplusplus
}
#endif

#endif
