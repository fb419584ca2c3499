/* dlopen_entries.h - dlopen_hook and dlsym_hook (dlopen_hooks.h), which leave no frame of ours
 * behind, and what they call.  (ARCHITECTURE/dlopen_entries.c) */
#pragma once

#include <stdbool.h>

#include "tracer/hooks/dlopen_hooks.h"
#include "tracer/hooks/got_hooks.h"

/* Whether dlopen will find `file` wherever it is called from: then dlopen_hook goes on to
 * dlopen_and_look, else to dlopen_real.  dlsym_hook calls hooks_extend and goes on to
 * dlsym_real. */
bool dlopen_is_all_said(const char *file);
void *dlopen_and_look(const char *file, int mode);
