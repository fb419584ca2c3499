/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/resident_look.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define PAGE      ((size_t)4096)
#define HUGE_SIZE ((size_t)2 << 20)
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

static char *map(int fd, size_t size, int flags)
{
    char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, flags | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void touch(char *memory, size_t pages)
{
    for (size_t i = 0; i < pages; i++)
        *(volatile char *)(memory + i * PAGE) = 1;
}

static void read_pages(char *memory, size_t pages)
{
    for (size_t i = 0; i < pages; i++)
        (void)*(volatile char *)(memory + i * PAGE);
}

/* Memory of every kind that RSS counts, and of those that it does not. */
static void make_memory(int file)
{
    int const memfd = memfd_create("test", 0), shared = shmget(IPC_PRIVATE, 64 * PAGE, 0600);
    CHECK(memfd >= 0 && shared >= 0 && ftruncate(memfd, 64 * PAGE) == 0);
    touch(map(-1, 100 * PAGE, MAP_PRIVATE), 100);
    read_pages(map(-1, 100 * PAGE, MAP_PRIVATE), 100); /* zeros */
    touch(map(-1, 30 * PAGE, MAP_SHARED), 20);         /* shared memory */
    touch(map(memfd, 64 * PAGE, MAP_SHARED), 40);      /* too */
    touch(map(memfd, 64 * PAGE, MAP_PRIVATE), 10);     /* private copies */
    read_pages(map(memfd, 64 * PAGE, MAP_PRIVATE) + 20 * PAGE, 5);
    char *segment = shmat(shared, NULL, 0);
    CHECK(segment != (char *)-1);
    shmctl(shared, IPC_RMID, NULL);
    touch(segment, 33);
    char *of_file = map(file, 64 * PAGE, MAP_PRIVATE);
    read_pages(of_file, 64);
    touch(of_file, 7);
    touch(map(file, 64 * PAGE, MAP_SHARED), 9);
    char *huge = map(-1, 3 * HUGE_SIZE, MAP_PRIVATE);
    huge += HUGE_SIZE - (uintptr_t)huge % HUGE_SIZE;
    madvise(huge, 2 * HUGE_SIZE, MADV_HUGEPAGE);
    touch(huge, 1);
    read_pages(huge + HUGE_SIZE, 1); /* huge zeros */
    char *guarded = map(-1, 32 * PAGE, MAP_PRIVATE);
    touch(guarded, 16);
    madvise(guarded + 8 * PAGE, 16 * PAGE, MADV_GUARD_INSTALL);
    int const device = open("/dev/zero", O_RDWR);
    touch(map(device, 8 * PAGE, MAP_PRIVATE), 5);
    touch(map(device, 8 * PAGE, MAP_SHARED), 6);
}

/* A process that stands still after `make`. */
static pid_t start(void (*make)(int), int file)
{
    int ready[2];
    char byte;
    CHECK(pipe(ready) == 0);
    pid_t const pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        make(file);
        if (write(ready[1], "", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    close(ready[1]);
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    return pid;
}

static void stop(pid_t pid)
{
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

static int make_file(void)
{
    char name[] = "/var/tmp/memoir-look-XXXXXX", page[PAGE];
    int const fd = mkstemp(name);
    CHECK(fd >= 0);
    unlink(name);
    memset(page, 1, sizeof(page));
    for (unsigned i = 0; i < 64; i++)
        CHECK(write(fd, page, PAGE) == (ssize_t)PAGE);
    return fd;
}

static void check_sums(const struct resident_result *result)
{
    uint64_t sums[LOOK_KINDS] = {0}, rules = 0;
    vec_each (part, &result->parts.list)
        sums[part->kind] += (uint64_t)part->bytes;
    for (size_t i = 0; i < LOOK_KINDS; i++)
        CHECK(sums[i] == result->bytes[i]);
    for (size_t i = 0; i < PAGE_RULES; i++)
        rules += result->rule_bytes[i];
    CHECK(rules == sums[PAGE_ANON] + sums[PAGE_FILE] + sums[PAGE_SHMEM]);
    print_message("anon %lu (%ld) file %lu (%ld) shmem %lu (%ld) swap %lu (%ld)\n",
                  sums[PAGE_ANON] / PAGE, result->after.anon_bytes / (long)PAGE,
                  sums[PAGE_FILE] / PAGE, result->after.file_bytes / (long)PAGE,
                  sums[PAGE_SHMEM] / PAGE, result->after.shmem_bytes / (long)PAGE,
                  sums[PAGE_SWAP] / PAGE, result->after.swap_bytes / (long)PAGE);
    CHECK((int64_t)sums[PAGE_ANON] == result->after.anon_bytes);
    CHECK((int64_t)sums[PAGE_FILE] == result->after.file_bytes);
    CHECK((int64_t)sums[PAGE_SHMEM] == result->after.shmem_bytes);
    CHECK((int64_t)sums[PAGE_SWAP] == result->after.swap_bytes);
}

TEST(every_kind_adds_up_to_what_the_kernel_counts)
{
    int const file = make_file();
    pid_t const pid = start(make_memory, file);
    struct resident_look look = {.pages = {NULL, 0, 0}};
    struct resident_result result;
    struct page_book book;
    page_book_init(&book, 0, false);
    CHECK(resident_look_run(&look, (uint32_t)pid, &book, NULL, NULL, &result) == 0);
    check_sums(&result);
    CHECK(result.changes.list.count == result.parts.list.count);
    vec_each (part, &result.parts.list)
        CHECK(part->stack == PAGES_BEFORE);
    CHECK(result.uncounted_bytes < 64 * PAGE);
    resident_result_fini(&result);
    CHECK(resident_look_run(&look, (uint32_t)pid, &book, NULL, NULL, &result) == 0);
    check_sums(&result);
    CHECK(result.changes.list.count == 0);
    resident_result_fini(&result);
    stop(pid);
    CHECK(resident_look_run(&look, (uint32_t)pid, &book, NULL, NULL, &result) < 0);
    page_book_fini(&book);
    resident_look_fini(&look);
    close(file);
}

struct late {
    struct page_book *book;
    uint64_t address;
    unsigned calls;
};

static void book_late(void *context)
{
    struct late *late = context;
    page_book_fault(late->book, late->address, 42, true);
    late->calls++;
}

static char *held;
static void touch_held(int file)
{
    (void)file;
    madvise(held, 20 * PAGE, MADV_DONTNEED);
    touch(held, 20);
}

/* The event of a page comes after the page was seen, and before it is judged. */
TEST(events_are_booked_before_pages_are_judged)
{
    held = map(-1, 20 * PAGE, MAP_PRIVATE);
    pid_t const pid = start(touch_held, -1);
    struct resident_look look = {.pages = {NULL, 0, 0}};
    struct resident_result result;
    struct page_parts gone;
    struct page_book book;
    struct late late = {.book = &book, .address = (uint64_t)held};
    int64_t pages = 0, sum = 0;
    page_book_init(&book, 0, false);
    CHECK(resident_look_run(&look, (uint32_t)pid, &book, book_late, &late, &result) == 0);
    vec_each (part, &result.parts.list)
        pages += part->stack == 42 ? part->bytes / (int64_t)PAGE : 0;
    CHECK(pages == 1 && late.calls > 0);
    resident_result_fini(&result);
    page_book_range(&book, (uint64_t)held, 20 * PAGE, true, 43);
    CHECK(resident_look_run(&look, (uint32_t)pid, &book, NULL, NULL, &result) == 0);
    vec_each (part, &result.changes.list) {
        sum += part->bytes;
        CHECK(part->kind == PAGE_ANON && part->bytes != 0);
        CHECK(part->stack != 43 || part->bytes == 20 * (int64_t)PAGE);
    }
    CHECK(result.changes.list.count == 3 && sum == 0);
    resident_result_fini(&result);
    CHECK(resident_look_clear(&look, &gone) == 0 && gone.list.count > 0);
    vec_each (part, &gone.list)
        CHECK(part->bytes < 0);
    page_parts_fini(&gone);
    stop(pid);
    page_book_fini(&book);
    resident_look_fini(&look);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_adds_up_to_what_the_kernel_counts),
        cmocka_unit_test(events_are_booked_before_pages_are_judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
