/* dlopen_entries.h - dlopen_hook and dlsym_hook (dlopen_hooks.h), which leave no frame of ours on
 * the stack, and the functions that they call.  (In ARCHITECTURE/dlopen_entries.c.) */
#pragma once

#include <stdbool.h>

#include "tracer/hooks/dlopen_hooks.h"
#include "tracer/hooks/got_hooks.h"

/* Returns whether dlopen finds `file` wherever it is called from.  If so, dlopen_hook jumps to
 * dlopen_and_look, else to dlopen_real.  dlsym_hook calls hooks_extend and jumps to dlsym_real. */
bool dlopen_is_all_said(const char *file);
void *dlopen_and_look(const char *file, int mode);
