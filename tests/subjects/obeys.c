/* SPDX-License-Identifier: Apache-2.0 */
/* obeys - does what standard input says, a line at a time, and answers "done": "a COUNT SIZE"
 * allocates blocks, "f COUNT" frees the oldest ones, "l" loads a library, "c STATUS" exits.
 * Nothing else allocates. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"

#define BLOCKS_MAX 100000

static void *blocks[BLOCKS_MAX];
static unsigned oldest, newest;

NOINLINE void allocate_blocks(unsigned count, unsigned size)
{
    for (unsigned i = 0; i < count && newest < BLOCKS_MAX; i++) {
        blocks[newest] = malloc(size);
        memset(blocks[newest++], 1, size);
    }
    KEEP_FRAME();
}

NOINLINE void give_back(unsigned count)
{
    for (unsigned i = 0; i < count && oldest < newest; i++)
        free(blocks[oldest++]);
    KEEP_FRAME();
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
    say("ready\n");
    while (read_line(line, sizeof(line))) {
        char *rest = line + 1;
        unsigned long count = strtoul(rest, &rest, 10), size = strtoul(rest, NULL, 10);
        if (line[0] == 'a')
            allocate_blocks((unsigned)count, (unsigned)size);
        else if (line[0] == 'f')
            give_back((unsigned)count);
        else if (line[0] == 'l')
            dlopen(line + 2, RTLD_NOW);
        else if (line[0] == 'c')
            _exit((int)count);
        say("done\n");
    }
    return 0;
}
