/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/dlopen_hooks.h"

#include <string.h>

#include "tracer/hooks/dlopen_entries.h"
#include "tracer/hooks/got_hooks.h"

void *dlopen_real, *dlsym_real;

/* A path says all; a bare name is looked for along the caller's own search path. */
bool dlopen_is_all_said(const char *file)
{
    return !file || (strchr(file, '/') && !strchr(file, '$'));
}

void *dlopen_and_look(const char *file, int mode)
{
    void *(*open)(const char *, int) = dlopen_real;
    void *handle = open(file, mode);
    hooks_extend();
    return handle;
}
