/* SPDX-License-Identifier: Apache-2.0 */
/* churns CALLS SLOTS LARGEST [SECONDS [later]]: replaces blocks of random sizes in random slots,
 * as fast as it can; in the second half some slots stay empty.  Prints its own books (calls,
 * frees, live, peak), then stays for so long and ends without freeing anything.  `later`: it
 * begins once there is something on stdin. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "subject.h"

struct slot {
    void *block;
    size_t size;
};

struct books {
    uint64_t calls, frees, live, peak;
};

static NOINLINE void *makes(struct books *books, size_t size)
{
    void *block = malloc(size);
    books->calls++;
    books->live += size;
    if (books->live > books->peak)
        books->peak = books->live;
    return block;
}

static NOINLINE void ends(struct books *books, struct slot *slot)
{
    if (!slot->block)
        return;
    free(slot->block);
    books->frees++;
    books->live -= slot->size;
    slot->block = NULL;
}

int main(int count, char **words)
{
    if (count < 4)
        return 2;
    uint64_t const calls = strtoull(words[1], NULL, 10), slot_count = strtoull(words[2], NULL, 10);
    uint64_t const largest = strtoull(words[3], NULL, 10);
    uint64_t random = 88172645463325252u;
    struct books books = {0};
    char word[1];
    if (count > 5 && read(0, word, 1) < 0)
        return 2;
    struct slot *slots = makes(&books, slot_count * sizeof(*slots));
    for (uint64_t i = 0; i < slot_count; i++)
        slots[i] = (struct slot){0};
    for (uint64_t i = 0; i < calls; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        struct slot *slot = &slots[(random >> 20) % slot_count];
        ends(&books, slot);
        slot->size = 1 + (random >> 40) % largest;
        if (i < calls / 2 || random % 8)
            slot->block = makes(&books, slot->size);
    }
    dprintf(1, "%lu %lu %lu %lu\n", books.calls, books.frees, books.live, books.peak);
    if (count > 4)
        sleep((unsigned)strtoul(words[4], NULL, 10));
    _exit(0);
}
