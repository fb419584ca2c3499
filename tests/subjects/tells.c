/* SPDX-License-Identifier: Apache-2.0 */
/* tells - tells memoir what standard input says, a line at a time, and answers "done", with
 * whether memoir is there: "p COUNT" makes blocks of 100 in a pool, "r" empties it, "m TEXT"
 * sets a mark, "l LIBRARY" loads a library for itself alone, "t COUNT" has that one make blocks
 * of 10 in a pool of its own. */
#include "memoir.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

#include "subject.h"

static struct memoir_pool pool = MEMOIR_POOL("main pool");
static char memory[1 << 20];
static size_t used;
static int (*in_library)(unsigned count);

static NOINLINE void pool_here(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++, used += 100)
        memoir_pool_alloc(&pool, memory + used, 100);
    KEEP_FRAME();
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&in_library = dlsym(library, "tell_from_library");
}

static bool read_line(char *line, size_t size)
{
    size_t at = 0;
    while (at + 1 < size && read(0, line + at, 1) == 1 && line[at] != '\n')
        at++;
    line[at] = '\0';
    return at > 0;
}

int main(void)
{
    char line[256];
    int library = -1;
    say("ready\n");
    while (read_line(line, sizeof(line))) {
        unsigned long count = strtoul(line + 1, NULL, 10);
        if (line[0] == 'p') {
            pool_here(count);
        } else if (line[0] == 'r') {
            memoir_pool_reset(&pool);
            used = 0;
        } else if (line[0] == 'm') {
            memoir_mark(line + 2);
        } else if (line[0] == 'l') {
            load(line + 2);
        } else if (line[0] == 't' && in_library) {
            library = in_library((unsigned)count);
        }
        say("done, there %d library %d\n", memoir_is_there(), library);
    }
    return 0;
}
