/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>

#include "store/history/history_parts.h"

#define NAME "memoir"

static sqlite3_vfs own;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* SQLite's own makes a path without links of it, and opens that: somebody could have put another
 * folder there by then. */
static int keep_path(sqlite3_vfs *system, const char *path, int size, char *kept)
{
    (void)system;
    return snprintf(kept, (size_t)size, "%s", path) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static void make(void)
{
    sqlite3_vfs *usual = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (!usual)
        return;
    own = *usual;
    own.zName = NAME;
    own.pNext = NULL;
    own.xFullPathname = keep_path;
    sqlite3_vfs_register(&own, 0);
}

const char *history_own_system(void)
{
    pthread_once(&once, make);
    return NAME;
}
