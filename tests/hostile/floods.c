/* SPDX-License-Identifier: Apache-2.0 */
/* floods WHAT: more of it than anybody has: processes, blocks, pools, marks or names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

#define SECONDS   1.2
#define PROCESSES 200

static void flood_processes(struct arena_header *arena, struct arena_slot *slot)
{
    (void)slot;
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0) {
            struct arena_process *entry = arena_process_at(arena, hostile_entry(arena));
            memset(entry->path, 'x', sizeof(entry->path));
            memcpy(entry->path, "/\033[31m\n\t%s%n\"';rm -rf", 22);
            free(malloc(100));
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
}

/* One thing of a kind that `round` numbers. */
static bool tell(struct arena_slot *slot, enum told_kind kind, uint64_t round)
{
    static const char escapes[] = "\033]0;x\007\033[2J=cmd|' /C calc'!A0<script>\xe2\x80\xae";
    uint64_t words[TOLD_WORDS_MAX];
    unsigned const fixed = told_fixed_words(kind), text = TOLD_TEXT_MAX / 8;
    memset(words, 'n', sizeof(words)); /* no NUL */
    words[0] =
        told_head(kind == TOLD_MARK ? 1 + round % 3 : 0x100000 + round * 4096, kind, fixed + text);
    words[1] = kind == TOLD_POOL ? (round + 1) << 32 : TRIE_FIRST_NODE + round % 64;
    words[2] = 4096;
    memcpy(words + fixed, escapes, sizeof(escapes));
    memcpy((char *)(words + fixed) + sizeof(escapes) - 1, &round, 4);
    return hostile_put(slot, words, fixed + text);
}

static bool flood_blocks(struct arena_slot *slot, uint64_t round)
{
    uint64_t words[2 * 512];
    for (uint64_t i = 0; i < 512; i++) {
        words[2 * i] = (0x10000000ull + (round * 512 + i) * 48) << 16 | 1ull << 5 | EVENT_ALLOC;
        words[2 * i + 1] = (uint64_t)(TRIE_FIRST_NODE + i % 64) << EVENT_NODE_SHIFT | 40;
    }
    return hostile_put(slot, words, 2 * 512);
}

int main(int count, char **words)
{
    struct arena_header *arena = hostile_begin();
    struct arena_slot *slot = hostile_take_slot(arena);
    const char *what = count > 1 ? words[1] : "";
    hostile_thread(slot, hostile_entry(arena), 4711);
    bool goes_on = true;
    if (strcmp(what, "processes") == 0)
        flood_processes(arena, slot);
    for (uint64_t round = 0; goes_on && !hostile_is_over(SECONDS); round++) {
        if (strcmp(what, "blocks") == 0)
            goes_on = flood_blocks(slot, round);
        else if (strcmp(what, "pools") == 0)
            goes_on = tell(slot, TOLD_POOL, round);
        else if (strcmp(what, "marks") == 0)
            goes_on = tell(slot, TOLD_MARK, round);
        else if (strcmp(what, "names") == 0)
            goes_on = tell(slot, TOLD_REGION, round);
        else
            break;
    }
    printf("flooded\n");
    return 0;
}
