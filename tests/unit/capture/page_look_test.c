/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/page_look.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define BYTES ((size_t)1 << 20)

/* What a worker that was taken over could still do; it says so by the number of the toucher. */
enum reach {
    REACH_FILES = 1,
    REACH_PROCESSES = 2,
    REACH_DESCRIPTORS = 4,
    REACH_MEMORY = 8, /* of others of the same user */
    REACH_ROOT = 16,
};

static int inherited = -1;
static pid_t target;
static bool was_root;

static uint32_t try_everything(const void *book, uint64_t address)
{
    uint32_t reach = 0;
    int const fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)book, (void)address;
    reach |= fd >= 0 ? REACH_FILES : 0;
    reach |= kill(target, 0) == 0 ? REACH_PROCESSES : 0;
    reach |= fcntl(inherited, F_GETFD) >= 0 ? REACH_DESCRIPTORS : 0;
    reach |= prctl(PR_GET_DUMPABLE) != 0 ? REACH_MEMORY : 0;
    reach |= was_root && (geteuid() == 0 || getegid() == 0) ? REACH_ROOT : 0;
    return reach;
}

/* A process with a mebibyte of memory, which waits. */
static void start_target(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    target = fork();
    assert_true(target >= 0);
    if (target == 0) {
        char *memory =
            mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED)
            memset(memory, 1, BYTES);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (write(ready[1], "", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
}

static void end_target(void)
{
    kill(target, SIGKILL);
    assert_int_equal(waitpid(target, NULL, 0), target);
}

static int look_at(struct page_look_question *question, struct page_look_result *result)
{
    struct page_look look = {0};
    struct heap_book *heap = heap_book_create();
    struct map_book *maps = map_book_create();
    question->heap = heap;
    question->maps = maps;
    int err = page_look_begin(&look, question);
    if (err == 0)
        err = page_look_wait(&look, result);
    map_book_destroy(maps);
    heap_book_destroy(heap);
    return err;
}

TEST(a_look_reaches_nothing_but_what_it_was_given)
{
    struct page_look_result result = {0};
    uint64_t touched = 0;
    start_target();
    was_root = geteuid() == 0;
    inherited = dup(STDOUT_FILENO);
    assert_true(inherited > STDERR_FILENO);
    struct page_look_question question = {.pid = (uint32_t)target,
                                          .touchers = {.find = try_everything}};
    assert_int_equal(look_at(&question, &result), 0);
    vec_each (owned, &result.touched) {
        assert_int_equal(owned->who, 0);
        touched += owned->bytes;
    }
    CHECK(touched >= BYTES);
    CHECK(result.residency.walked_bytes >= touched);
    page_look_result_fini(&result);
    close(inherited);
    end_target();
}

TEST(a_look_names_threads_and_mappings)
{
    struct page_look_result result = {0};
    bool has_stack = false, has_file = false;
    start_target();
    struct page_look_question question = {.pid = (uint32_t)target};
    assert_int_equal(look_at(&question, &result), 0);
    vec_each (owner, &result.owners) {
        has_stack |= owner->owned.kind == OWNER_STACK &&
                     strncmp(owner->name, "stack of thread ", 16) == 0 && strchr(owner->name, ',');
        has_file |= owner->owned.kind == OWNER_FILE && strstr(owner->name, "libc") != NULL;
    }
    CHECK(has_stack && has_file);
    page_look_result_fini(&result);
    end_target();
}

TEST(a_process_that_is_gone_is_told)
{
    struct page_look_result result = {0};
    start_target();
    end_target();
    struct page_look_question question = {.pid = (uint32_t)target};
    assert_int_equal(look_at(&question, &result), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_reaches_nothing_but_what_it_was_given),
        cmocka_unit_test(a_look_names_threads_and_mappings),
        cmocka_unit_test(a_process_that_is_gone_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
