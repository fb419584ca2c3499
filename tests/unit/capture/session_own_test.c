/* SPDX-License-Identifier: Apache-2.0 */
/* session_own_test.c - this process as the one that is watched: how much of its memory is ours. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/sessions/session_parts.h"
#include "check.h"

#define KIB  ((int64_t)1024)
#define PAGE 4096

static char *tables; /* As the tracer has them, of 1 MiB. */
static struct arena arena;
static struct session_books books;
static struct session session;
static const struct process_memory memory = {.rss_bytes = 9000 * KIB, .anon_bytes = 500 * KIB};

/* 400 KiB of the arena are in use, 40 KiB of them in this process. */
static void begin(void)
{
    static const char bytes[400 * 1024];
    arena = (struct arena){.fd = memfd_create("arena", 0)};
    CHECK(write(arena.fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes));
    tables = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(tables != MAP_FAILED && madvise(tables, 1 << 20, MADV_NOHUGEPAGE) == 0);
    books = (struct session_books){.arena = &arena};
    session = (struct session){
        .books = &books, .proved_pid = (uint32_t)getpid(), .shmem_bytes = 40 * KIB};
}

static void end(void)
{
    session_own_fini(&session);
    munmap(tables, 1 << 20);
    close(arena.fd);
}

TEST(no_more_of_the_arena_is_in_a_process_than_shared_memory)
{
    begin();
    CHECK(session_own_bytes(&session) == 400 * KIB);
    CHECK(session_own_part(&session, &memory) == 40 * KIB);
    session.shmem_bytes = 0; /* it has left */
    CHECK(session_own_part(&session, &memory) == 0);
    session.shmem_bytes = 8000 * KIB; /* its own */
    CHECK(session_own_part(&session, &memory) == 400 * KIB);
    session.shmem_bytes = -1; /* an old kernel */
    CHECK(session_own_part(&session, &memory) == 400 * KIB);
    CHECK(session_own_part(&session, &(struct process_memory){-1, -1}) == 0);
    end();
}

TEST(the_tables_of_the_tracer_count_as_far_as_they_are_filled)
{
    begin();
    books.process.data_start = (uint64_t)tables + 100; /* in the middle of a page */
    books.process.data_end = (uint64_t)tables + (1 << 20) - 100;
    CHECK(session_own_part(&session, &memory) == 40 * KIB);
    for (int page = 0; page < 30; page++)
        memset(tables + page * 5 * PAGE, 1, PAGE);
    CHECK(session_own_part(&session, &memory) == 40 * KIB + 120 * KIB);
    for (int page = 30; page < 40; page++)
        memset(tables + page * 5 * PAGE, 1, PAGE);
    CHECK(session_own_part(&session, &memory) == 40 * KIB + 160 * KIB);
    CHECK(session_own_part(&session, &(struct process_memory){100 * KIB, 60 * KIB}) == 100 * KIB);
    end();
}

/* The program can write there what it likes. */
TEST(a_range_that_cannot_be_the_tables_is_not_looked_at)
{
    static const uint64_t ranges[][2] = {
        {0, 0},          {0, UINT64_MAX},           {PAGE, PAGE},    {UINT64_MAX - 1, UINT64_MAX},
        {UINT64_MAX, 5}, {PAGE, (uint64_t)1 << 40}, {PAGE, 3 * PAGE}};
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        begin();
        books.process.data_start = ranges[i][0];
        books.process.data_end = ranges[i][1];
        CHECK(session_own_part(&session, &memory) == 40 * KIB);
        end();
    }
    begin();
    books.process.data_start = (uint64_t)tables;
    books.process.data_end = (uint64_t)tables + PAGE;
    tables[0] = 1;
    session.proved_pid = 0x7fffffff; /* nobody */
    CHECK(session_own_part(&session, &memory) == 40 * KIB);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_of_the_arena_is_in_a_process_than_shared_memory),
        cmocka_unit_test(the_tables_of_the_tracer_count_as_far_as_they_are_filled),
        cmocka_unit_test(a_range_that_cannot_be_the_tables_is_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
