#pragma once

#include <sys/resource.h>

/// Reads the problem from standard input, loads the plugin and writes its answer to standard
/// output, within limits of memory, of `seconds` of a processor, and of what it may write into one
/// file. Returns the exit code of the process: 3 with the reason on standard error.
int runPlugin(const char* file, rlim_t seconds);
