/* SPDX-License-Identifier: Apache-2.0 */
/* tables_test.c - the arena mapped piece by piece, against the arena itself. */
#include "tracer/stacks/slot_memory.h"
#include "tracer/stacks/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/wiped_arena.h"
#include "check.h"
#include "program_side.h"
#include "random.h"
#include "rings.h"

static struct arena *arena;
static struct random draws;

static int open_them(void **state)
{
    struct stat status, expected;
    (void)state;
    arena = wiped_arena();
    memset(&tracer_tables, 0, sizeof(tracer_tables));
    CHECK(tables_open(arena->fd, &status) == 0 && fstat(arena->fd, &expected) == 0);
    CHECK(status.st_ino == expected.st_ino && tables_head() != program_side(arena));
    CHECK(tables_head()->magic == ARENA_MAGIC);
    return 0;
}

/* In kilobytes. */
static uint64_t address_space(void)
{
    char line[200];
    unsigned long size = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "VmSize: %lu", &size);
    if (file)
        fclose(file);
    return size;
}

/* What is written on one side is there on the other, in the same place. */
static void compare(void *mapped, void *there, size_t size)
{
    CHECK(mapped && mapped != there);
    size_t const last = size - 8, middle = random_below(&draws, last / 8) * 8;
    uint64_t const numbers[3] = {random_next(&draws), random_next(&draws), random_next(&draws)};
    size_t const places[3] = {0, middle ? middle : 8, last};
    for (unsigned i = 0; i < 3; i++)
        memcpy((char *)mapped + places[i], &numbers[i], 8);
    for (unsigned i = 0; i < 3; i++)
        CHECK(memcmp((char *)there + places[i], &numbers[i], 8) == 0);
}

#define NODE_PIECE (1u << NODE_PIECE_BITS)

static void use_some(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t const piece = (uint32_t)random_below(&draws, i % 4 ? 5 : NODE_PIECES);
        uint32_t const slot = (uint32_t)random_below(&draws, i % 4 ? 70 : 200);
        unsigned const level = (unsigned)random_below(&draws, i % 4 ? 2 : TRIE_LEVELS);
        uint32_t const within = (uint32_t)random_below(&draws, NODE_PIECE);
        switch (random_below(&draws, 3)) {
        case 0:
            compare(table_node(piece * NODE_PIECE),
                    arena_node_at(program_side(arena), piece * NODE_PIECE),
                    NODE_PIECE * sizeof(struct trie_node));
            CHECK(table_node(piece * NODE_PIECE + within) ==
                  table_node(piece * NODE_PIECE) + within);
            break;
        case 1:
            compare((void *)table_level(level), (void *)arena_index_level(arena->memory, level),
                    sizeof(uint32_t) << TRIE_LEVEL_BITS(level));
            break;
        default:
            compare(table_slot(slot), arena_slot_at(program_side(arena), slot), SLOT_STRIDE);
        }
    }
}

TEST(pieces_are_those_of_the_arena)
{
    use_some(60);
    CHECK(!table_node(ARENA_NODES) && !table_node(UINT32_MAX));
    CHECK(table_node(ARENA_NODES - 1) && table_slot(ARENA_SLOTS - 1));
    tables_close();
    CHECK(!tables_head());
}

TEST(what_was_reserved_is_given_back_but_what_is_used)
{
    uint64_t const reserved_kb = (ARENA_SLOTS_AT - ARENA_NODES_AT) / 1024;
    for (unsigned round = 0; round < 6; round++) {
        uint64_t const before = address_space();
        if (round > 0)
            open_them(NULL);
        use_some(round * 4);
        struct trie_node *node = table_node(0);
        struct arena_slot *slot = table_slot(3);
        uint64_t const full = address_space();
        tables_give_back();
        CHECK(full - address_space() > reserved_kb / 8 || round > 2);
        CHECK(table_node(0) == node && table_slot(3) == slot);
        use_some(40);
        tables_give_back(); /* there is no more */
        CHECK(!tables_yield());
        tables_close();
        CHECK(round == 0 || address_space() <= before); /* nothing of it is left */
    }
}

TEST(a_limit_that_was_not_foreseen_takes_the_reservation)
{
    struct rlimit old, limit;
    uint64_t const full = address_space();
    CHECK(getrlimit(RLIMIT_AS, &old) == 0 && !tables_yield());
    limit = (struct rlimit){full * 1024 * 2, old.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    bool const yields = tables_yield(), again = tables_yield();
    uint64_t const left = address_space();
    setrlimit(RLIMIT_AS, &old);
    CHECK(yields && !again && left < full);
    use_some(20);
    tables_close();
}

TEST(under_a_limit_nothing_is_reserved)
{
    struct rlimit old, limit;
    tables_close();
    uint64_t const before = address_space();
    CHECK(getrlimit(RLIMIT_AS, &old) == 0);
    limit = (struct rlimit){1ull << 45, old.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    open_them(NULL);
    uint64_t const opened = address_space();
    use_some(60);
    setrlimit(RLIMIT_AS, &old);
    CHECK(opened - before < ARENA_NODES_AT / 1024 + 1024);
    CHECK(!tables_yield());
    tables_close();
    CHECK(address_space() <= before);
}

TEST(what_is_no_arena_is_refused)
{
    struct stat status;
    uint64_t const magic = program_side(arena)->magic;
    char path[] = "/tmp/memoir-tables-XXXXXX";
    tables_close();
    int fd = mkstemp(path), null = open("/dev/null", O_RDWR);
    unlink(path);
    CHECK(tables_open(-1, &status) == -EBADF);
    CHECK(tables_open(null, &status) == -EINVAL);
    CHECK(tables_open(fd, &status) == -EINVAL);
    CHECK(ftruncate(fd, (off_t)sizeof(struct arena_header)) == 0);
    CHECK(tables_open(fd, &status) == -EPROTO);
    CHECK(ftruncate(fd, (off_t)ARENA_BYTES) == 0 && tables_open(fd, &status) == -EPROTO);
    program_side(arena)->magic++;
    CHECK(tables_open(arena->fd, &status) == -EPROTO);
    program_side(arena)->magic = magic;
    program_side(arena)->version++;
    CHECK(tables_open(arena->fd, &status) == -EPROTO);
    program_side(arena)->version--;
    program_side(arena)->size++;
    CHECK(tables_open(arena->fd, &status) == -EPROTO && !tables_head());
    program_side(arena)->size--;
    close(fd);
    close(null);
}

TEST(a_child_keeps_what_its_thread_knew)
{
    struct arena_slot *slot = table_slot(2), *real = arena_slot_at(program_side(arena), 2);
    slot->calls = 77;
    arena_slot_ring(slot)[5] = 55;
    arena_slot_memory(slot)->children[3].key = 33;
    arena_slot_memory(slot)->stacks[3].hash = 44;
    arena_slot_memory(slot)->lately[3].tag = 66;
    tables_part_with_slot(slot, 2);
    CHECK(slot->calls == 77 && arena_slot_memory(slot)->children[3].key == 33);
    CHECK(arena_slot_memory(slot)->lately[3].tag == 66);
    CHECK(arena_slot_memory(slot)->stacks[3].hash == 0); /* another process has its own names */
    CHECK(arena_slot_ring(slot)[5] == 0);                /* there is nobody to read it */
    slot->calls = 78;
    CHECK(real->calls == 77 && arena_slot_ring(real)[5] == 55);
    CHECK(table_slot(2) != slot && table_slot(2)->calls == 77);
    table_slot(2)->calls = 79;
    CHECK(real->calls == 79 && slot->calls == 78);
    munmap(slot, SLOT_STRIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pieces_are_those_of_the_arena, open_them),
        cmocka_unit_test_setup(what_was_reserved_is_given_back_but_what_is_used, open_them),
        cmocka_unit_test_setup(a_limit_that_was_not_foreseen_takes_the_reservation, open_them),
        cmocka_unit_test_setup(under_a_limit_nothing_is_reserved, open_them),
        cmocka_unit_test_setup(what_is_no_arena_is_refused, open_them),
        cmocka_unit_test_setup(a_child_keeps_what_its_thread_knew, open_them),
    };
    draws = random_from(12);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
