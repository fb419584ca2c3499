/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/pss_reader.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/memory/proportional.h"

#define SHARED_BYTES ((size_t)8 << 20)
#define TRIES        3000 /* of 10 ms */

static int64_t wait_for(struct pss_reader *reader, uint32_t pid)
{
    int64_t bytes = 0;
    for (int i = 0; i < TRIES && bytes == 0; i++) {
        bytes = pss_reader_collect(reader, pid);
        if (bytes == 0)
            usleep(10000);
    }
    return bytes;
}

/* A process that stands still, and shares all that it has with us. */
static pid_t begin_quiet(void)
{
    pid_t const child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a check fails */
        pause();
        _exit(0);
    }
    return child;
}

static void it_is_what_the_kernel_says(void **state)
{
    (void)state;
    char *shared =
        mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    memset(shared, 1, SHARED_BYTES);
    pid_t const child = begin_quiet();
    struct pss_reader *reader = pss_reader_create();
    CHECK(reader);
    CHECK(pss_reader_collect(reader, (uint32_t)child) == 0); /* nothing yet */
    (void)wait_for(reader, (uint32_t)child);                 /* as it began */
    int64_t const found = wait_for(reader, (uint32_t)child),
                  said = proportional_read((uint32_t)child);
    int64_t const apart = found > said ? found - said : said - found;
    CHECK(found > 0 && apart <= (64 << 10)); /* what we share with it moves a little as we run */
    CHECK(found < (int64_t)SHARED_BYTES);    /* half of it is ours */
    pss_reader_forget(reader, (uint32_t)child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    pss_reader_destroy(reader);
    munmap(shared, SHARED_BYTES);
}

static void who_cannot_be_read_is_missing(void **state)
{
    (void)state;
    struct pss_reader *reader = pss_reader_create();
    CHECK(pss_reader_collect(NULL, 1) == 0 && pss_reader_collect(reader, 0) == 0);
    (void)pss_reader_collect(reader, 0x7fffffff); /* nobody */
    CHECK(wait_for(reader, (uint32_t)getpid()) > 0);
    CHECK(pss_reader_collect(reader, 0x7fffffff) == 0);
    pss_reader_forget(reader, 0x7ffffffe); /* never asked for */
    pss_reader_forget(NULL, 1);
    pss_reader_destroy(reader);
    pss_reader_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_the_kernel_says),
        cmocka_unit_test(who_cannot_be_read_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
