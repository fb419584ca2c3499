/* load_library.h - makes another process load a library that we hold in memory. */
#pragma once

#include "inject/library/pass_descriptors.h"

/* Which of the descriptors that were passed is the library. */
#define PASSED_LIBRARY 1

/* Loads it by /proc/self/fd where the process has /proc, else from a file that the process itself
 * makes for that moment: nothing is ever written by us where a process says.  0 or -errno with
 * `fault`. */
int load_library(struct module_client *modules, struct borrowed_thread *borrowed,
                 const struct passing *passing, struct fault *fault);
