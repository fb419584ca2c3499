/* SPDX-License-Identifier: Apache-2.0 */
/* marks_often MARKS: names an instant, allocates along 32 ways, keeps half of it, and so on;
 * every fifth time fifty times as much.  Prints each name with how many blocks were made from
 * there to the next. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memoir.h"
#include "subject.h"

struct block {
    struct block *next;
};
static struct block *kept;

static NOINLINE void makes(unsigned blocks, size_t size)
{
    for (unsigned i = 0; i < blocks; i++) {
        struct block *block = malloc(size);
        if (i % 2) {
            free(block);
            continue;
        }
        block->next = kept;
        kept = block;
    }
    KEEP_FRAME();
}

static NOINLINE void goes_by(unsigned way, unsigned blocks)
{
    if (way >= 16)
        makes(blocks, 16 + way);
    else if (way >= 8)
        makes(blocks, 32 + way);
    else
        makes(blocks, 64 + way);
    KEEP_FRAME();
}

static NOINLINE void steps(unsigned depth, unsigned way, unsigned blocks)
{
    if (depth > 0)
        steps(depth - 1, way, blocks);
    else
        goes_by(way, blocks);
    KEEP_FRAME();
}

int main(int count, char **words)
{
    unsigned const marks = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 10;
    for (unsigned i = 0; i < marks; i++) {
        char name[32];
        unsigned const blocks = i % 5 ? 2 : 100;
        snprintf(name, sizeof(name), "m%u", i);
        memoir_mark(name);
        for (unsigned way = 0; way < 32; way++)
            steps(way, way, blocks);
        dprintf(1, "%s %u\n", name, 32 * blocks);
        usleep(15000);
    }
    _exit(0);
}
