/* One bad plugin per BEHAVIOUR: what a host has to survive. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "highwater/allocator_plugin.h"

enum { CRASH, HANG, OVERLAP, NEGATIVE, FAIL, OLD, CHATTY, ESCAPE, SPAM };

/* A child in a session of its own, whose number is left in a file; neither heeds a signal. */
static void escape(void) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  setpgid(0, 0);
  if (fork() == 0) {
    setsid();
    FILE *file = fopen(getenv("HIGHWATER_TEST_CHILD"), "w");
    if (file != NULL) {
      fprintf(file, "%d\n", (int)getpid());
      fclose(file);
    }
    for (;;) pause();
  }
  for (;;) pause();
}

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
    case ESCAPE:
      escape();
      return 1;
    case SPAM:
      for (;;) fputs("plugins may not fill the disk\n", stdout);
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
