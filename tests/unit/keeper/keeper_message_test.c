/* SPDX-License-Identifier: Apache-2.0 */
/* keeper_message_test.c - which requests and replies make sense: each field wrong in turn. */
#include "keeper/keeper_message.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "check.h"
#include "procfs/process/proc_open.h"

static struct keeper_request request;

static void begin(enum keeper_what what)
{
    memset(&request, 0, sizeof(request));
    request.what = what;
}

static void put_path(const char *path)
{
    strcpy(request.file.path, path);
}

static bool holds(void)
{
    return keeper_request_is_valid(&request);
}

/* Whether the request holds, and no more when the field has this value. */
#define BREAKS(field, wrong)                                                                       \
    do {                                                                                           \
        struct keeper_request const right = request;                                               \
        CHECK(holds());                                                                            \
        request.field = (wrong);                                                                   \
        CHECK(!holds());                                                                           \
        request = right;                                                                           \
    } while (0)

/* What no request but the one for a file uses. */
static void check_unused_file(void)
{
    BREAKS(file.kind, FOREIGN_PROGRAM);
    BREAKS(file.kind, UINT32_MAX);
    BREAKS(file.pid, 1);
    BREAKS(file.refuses_link, 1);
    BREAKS(file.zero, 1);
    BREAKS(file.bytes_max, 1);
    BREAKS(file.root[0], '/');
}

static void check_no_range(void)
{
    BREAKS(file.start, 1);
    BREAKS(file.end, 1);
}

TEST(a_row_of_a_process)
{
    static const enum keeper_what kinds[] = {KEEPER_OPEN, KEEPER_READ, KEEPER_STAT};
    for (size_t i = 0; i < 3; i++) {
        begin(kinds[i]);
        request.pid = 42;
        request.number = PROC_MAPS;
        BREAKS(pid, 0);
        BREAKS(pid, (1u << 22) + 1);
        BREAKS(tid, (1u << 22) + 1);
        BREAKS(number, PROC_FILES);
        BREAKS(number, UINT32_MAX);
        BREAKS(value, 1);
        BREAKS(file.path[0], 'x');
        check_unused_file();
        check_no_range();
        request.tid = 43;
        CHECK(holds());
    }
    begin(KEEPER_LINK);
    request.pid = 42;
    request.number = PROC_EXE;
    BREAKS(tid, 43);
}

TEST(a_path_of_a_process)
{
    begin(KEEPER_STAT_BELOW);
    request.pid = 42;
    put_path("/usr/bin/true");
    BREAKS(pid, 0);
    BREAKS(tid, 1);
    BREAKS(number, 1);
    BREAKS(value, 1);
    BREAKS(file.path[0], '\0');
    check_unused_file();
    check_no_range();
    memset(request.file.path, 'x', sizeof(request.file.path));
    CHECK(!holds()); /* without an end */
}

TEST(the_file_system_of_a_mapping)
{
    begin(KEEPER_SYSTEM);
    request.pid = 42;
    request.file.start = 4096;
    request.file.end = 8192;
    BREAKS(pid, 0);
    BREAKS(file.end, 4096);
    BREAKS(file.start, 8193);
    BREAKS(file.path[0], 'x');
    BREAKS(number, 1);
    check_unused_file();
}

TEST(who_uses_the_arena_and_who_is_asked_about)
{
    static const enum keeper_what kinds[] = {KEEPER_USES_ARENA, KEEPER_LISTEN};
    for (size_t i = 0; i < 2; i++) {
        begin(kinds[i]);
        request.pid = 42;
        BREAKS(pid, 0);
        BREAKS(tid, 1);
        BREAKS(number, 1);
        BREAKS(value, 1);
        BREAKS(file.path[0], 'x');
        check_unused_file();
        check_no_range();
    }
}

TEST(a_file_of_a_module)
{
    begin(KEEPER_FILE);
    request.file = (struct foreign_request){
        .kind = FOREIGN_BELOW, .refuses_link = 1, .bytes_max = 1u << 20, .root = "/proc/42/root"};
    put_path("/usr/bin/true");
    BREAKS(pid, 1);
    BREAKS(tid, 1);
    BREAKS(number, 1);
    BREAKS(value, 1);
    BREAKS(file.kind, FOREIGN_DEBUG + 1);
    BREAKS(file.pid, (1u << 22) + 1);
    BREAKS(file.refuses_link, 2);
    BREAKS(file.zero, 1);
    BREAKS(file.start, 1); /* beyond its end */
    memset(request.file.root, 'x', sizeof(request.file.root));
    CHECK(!holds());
}

TEST(an_output)
{
    for (unsigned what = KEEPER_TAKE; what <= KEEPER_ASIDE; what++) {
        begin((enum keeper_what)what);
        put_path("a.memoir");
        BREAKS(pid, 1);
        BREAKS(tid, 1);
        BREAKS(number, what == KEEPER_REMOVE ? 2 : 1);
        BREAKS(value, 1);
        BREAKS(file.path[0], '\0');
        check_unused_file();
        check_no_range();
    }
}

TEST(a_signal)
{
    begin(KEEPER_SIGNAL);
    request.number = SIGTERM;
    request.value = UINT64_MAX; /* is the sender's */
    BREAKS(number, 0);
    BREAKS(number, NSIG);
    BREAKS(number, UINT32_MAX);
    BREAKS(pid, 42);
    BREAKS(tid, 42);
    BREAKS(file.path[0], 'x');
    check_unused_file();
}

TEST(a_priority)
{
    begin(KEEPER_RAISE);
    request.tid = 42;
    request.number = (uint32_t)-20;
    request.value = 99;
    BREAKS(number, (uint32_t)-21);
    BREAKS(number, 20);
    BREAKS(value, 100);
    BREAKS(pid, 42);
    BREAKS(tid, UINT32_MAX);
    begin(KEEPER_NAMER_NICE);
    request.number = 19;
    BREAKS(number, 20);
    BREAKS(value, 1);
}

TEST(a_namer_and_a_line)
{
    begin(KEEPER_NAMER_START);
    BREAKS(number, 1);
    BREAKS(pid, 1);
    begin(KEEPER_NAMER_END);
    request.number = 1;
    BREAKS(number, 2);
    begin(KEEPER_KNOWN_START);
    BREAKS(number, 1);
    BREAKS(pid, 1);
    begin(KEEPER_KNOWN_END);
    request.number = 1;
    BREAKS(number, 2);
    begin(KEEPER_FIND_USER);
    request.pid = 42;
    BREAKS(tid, 1);
    BREAKS(number, 1);
    BREAKS(pid, 0);
    begin(KEEPER_LINE);
    BREAKS(number, 1);
    BREAKS(what, KEEPER_WHATS);
    BREAKS(what, UINT32_MAX);
}

TEST(a_reply)
{
    static struct keeper_reply reply;
    size_t const head = KEEPER_REPLY_HEAD;
    CHECK(keeper_reply_is_valid(&reply, head));
    CHECK(!keeper_reply_is_valid(&reply, head - 1));
    CHECK(!keeper_reply_is_valid(&reply, head + 1));
    reply.text_size = 7;
    CHECK(keeper_reply_is_valid(&reply, head + 7));
    CHECK(!keeper_reply_is_valid(&reply, head));
    reply.text_size = KEEPER_TEXT_MAX + 1;
    CHECK(!keeper_reply_is_valid(&reply, head + KEEPER_TEXT_MAX + 1));
    reply.text_size = 0;
    reply.err = 1;
    CHECK(!keeper_reply_is_valid(&reply, head));
    reply.err = -4096;
    CHECK(!keeper_reply_is_valid(&reply, head));
    reply.err = -ENOENT;
    CHECK(keeper_reply_is_valid(&reply, head));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_a_process),
        cmocka_unit_test(a_path_of_a_process),
        cmocka_unit_test(the_file_system_of_a_mapping),
        cmocka_unit_test(who_uses_the_arena_and_who_is_asked_about),
        cmocka_unit_test(a_file_of_a_module),
        cmocka_unit_test(an_output),
        cmocka_unit_test(a_signal),
        cmocka_unit_test(a_priority),
        cmocka_unit_test(a_namer_and_a_line),
        cmocka_unit_test(a_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
