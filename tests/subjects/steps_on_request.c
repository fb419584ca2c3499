/* SPDX-License-Identifier: Apache-2.0 */
/* For each line "make N" on its input makes N blocks of 1000 bytes and keeps them, for each
 * "free N" frees the newest N; says "done" after each. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 100000

static void *blocks[BLOCKS_MAX];
static int count;

static NOINLINE void make_here(int wanted)
{
    for (; wanted > 0 && count < BLOCKS_MAX; wanted--)
        blocks[count++] = malloc(1000);
    KEEP_FRAME();
}

static void free_newest(int wanted)
{
    for (; wanted > 0 && count > 0; wanted--)
        free(blocks[--count]);
}

int main(void)
{
    char line[64];
    size_t used = 0;
    while (read(0, line + used, 1) == 1) {
        if (line[used] != '\n' && used + 1 < sizeof(line)) {
            used++;
            continue;
        }
        line[used] = '\0';
        used = 0;
        if (strncmp(line, "make ", 5) == 0)
            make_here(atoi(line + 5));
        else if (strncmp(line, "free ", 5) == 0)
            free_newest(atoi(line + 5));
        say("done\n");
    }
    return 0;
}
