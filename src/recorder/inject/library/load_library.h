/* load_library.h - makes another process load a library that we hold in memory. */
#pragma once

#include "inject/library/pass_descriptors.h"

/* Index of the library among the passed descriptors. */
#define PASSED_LIBRARY 1

/* Loads the library by /proc/self/fd if the process has /proc, else from a file that the process
 * itself makes for that moment: we never write where a process says.  Returns 0, or -errno with
 * `fault`. */
int load_library(struct module_client *modules, struct borrowed_thread *borrowed,
                 const struct passing *passing, struct fault *fault);
