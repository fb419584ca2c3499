/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/checkup.h"

#include <errno.h>
#include <string.h>

#include "check.h"

#define ALL_CAPABILITIES ((UINT64_C(1) << 41) - 1)

static struct checkup checkup;

/* A machine where everything works, as root. */
static struct machine_facts good_machine(void)
{
    return (struct machine_facts){
        .system_id = "debian",
        .architecture = "x86_64",
        .permissions = {.effective = ALL_CAPABILITIES, .bounding = ALL_CAPABILITIES},
        .perf_paranoid = 2,
        .yama_scope = SETTING_ABSENT,
        .has_btf = true,
        .has_tracefs = true,
        .has_cgroup2 = true,
        .glibc = "2.36",
        .has_libc_debug = true,
        .has_debuginfod = true,
        .debuginfod_urls = "https://x",
        .folder = "/somewhere",
        .folder_free_bytes = UINT64_C(10) << 30,
    };
}

/* The same as an ordinary user. */
static struct machine_facts good_machine_of_a_user(void)
{
    struct machine_facts facts = good_machine();
    facts.permissions.uid = 1000;
    facts.permissions.effective = 0;
    return facts;
}

static const struct check *judged(const struct machine_facts *facts, const char *group,
                                  const char *name)
{
    checkup.count = 0;
    checkup_judge(&checkup, facts);
    const struct check *check = checkup_find(&checkup, group, name);
    assert_non_null(check);
    return check;
}

TEST(a_good_machine_has_nothing_to_mend)
{
    struct machine_facts const facts = good_machine();
    checkup.count = 0;
    checkup_judge(&checkup, &facts);
    for (size_t i = 0; i < checkup.count; i++) {
        CHECK(checkup.checks[i].state == CHECK_OK || checkup.checks[i].state == CHECK_NOTE);
        CHECK(checkup.checks[i].command[0] == '\0');
        CHECK(checkup.checks[i].found[0] != '\0');
    }
}

static const struct check *works(const struct machine_facts *facts, const char *name)
{
    struct trial const trial = {.worked = true, .calls = 1};
    checkup.count = 0;
    checkup_judge_works(&checkup, facts, &trial);
    for (size_t i = 0; i < checkup.count; i++)
        CHECK(!strstr(checkup.checks[i].found, "version"));
    const struct check *check = checkup_find(&checkup, "works", name);
    assert_non_null(check);
    return check;
}

TEST(cpu_is_judged_as_it_works)
{
    struct machine_facts facts = good_machine();
    facts.pages.agent_err = -ENOENT;
    CHECK(works(&facts, "cpu")->state == CHECK_OK && strstr(works(&facts, "cpu")->found, "perf"));
    facts.tried[FEATURE_PERF_KERNEL] = -EACCES;
    CHECK(works(&facts, "cpu")->state == CHECK_LIMITED);
    assert_string_equal(works(&facts, "cpu")->command, "sysctl kernel.perf_event_paranoid=1");
    facts.tried[FEATURE_PERF_USER] = -EACCES;
    CHECK(works(&facts, "cpu")->state == CHECK_MISSING && works(&facts, "cpu")->command[0]);
    facts.pages.agent_err = 0;
    strcpy(facts.pages.socket, "/run/memoir/agent.sock");
    CHECK(works(&facts, "cpu")->state == CHECK_OK && strstr(works(&facts, "cpu")->found, "agent"));
}

TEST(yama_restricts_only_those_without_the_capability)
{
    struct machine_facts facts = good_machine_of_a_user();
    facts.yama_scope = 1;
    const struct check *check = judged(&facts, "kernel", "yama ptrace_scope");
    CHECK(check->state == CHECK_LIMITED);
    assert_string_equal(check->command, "sudo sysctl kernel.yama.ptrace_scope=0");
    facts.permissions.effective = ALL_CAPABILITIES;
    CHECK(judged(&facts, "kernel", "yama ptrace_scope")->state == CHECK_OK);
    facts.yama_scope = 3;
    check = judged(&facts, "kernel", "yama ptrace_scope");
    CHECK(check->state == CHECK_LIMITED && check->command[0] == '\0'); /* nothing helps */
}

/* What is on, for whom. */
TEST(it_is_said_what_a_recorder_gives_up)
{
    struct machine_facts facts = good_machine();
    const struct check *check = judged(&facts, "permissions", "recorder");
    CHECK(check->state == CHECK_OK && strstr(check->found, "all rights"));
    facts.yama_scope = 1;
    CHECK(judged(&facts, "permissions", "recorder")->state == CHECK_OK);
    facts = good_machine_of_a_user();
    check = judged(&facts, "permissions", "recorder");
    CHECK(check->state == CHECK_OK && strstr(check->found, "your files"));
    facts.sandbox.missing[SANDBOX_FILE_RULES] = -ENOSYS;
    check = judged(&facts, "permissions", "recorder");
    CHECK(check->state == CHECK_OK && !strstr(check->found, "your files"));
    facts.yama_scope = 1;
    check = judged(&facts, "permissions", "recorder");
    CHECK(check->state == CHECK_NOTE && strstr(check->found, "keep your rights"));
}

TEST(a_command_is_given_where_a_setting_is_in_the_way)
{
    struct machine_facts facts = good_machine_of_a_user();
    facts.tried[FEATURE_PERF_KERNEL] = -EACCES;
    facts.tried[FEATURE_MEMFD_EXEC] = -EACCES;
    facts.memfd_noexec = 2;
    assert_string_equal(judged(&facts, "kernel", "perf events, kernel")->command,
                        "sudo sysctl kernel.perf_event_paranoid=1");
    assert_string_equal(judged(&facts, "kernel", "code in a memfd")->command,
                        "sudo sysctl vm.memfd_noexec=1");
    facts.perf_paranoid = 0; /* something else is in the way: a wrong command would not help */
    assert_string_equal(judged(&facts, "kernel", "perf events, kernel")->command, "");
}

TEST(a_capability_that_was_taken_away_is_not_had_by_sudo)
{
    struct machine_facts facts = good_machine_of_a_user();
    const struct check *check = judged(&facts, "permissions", "CAP_SYS_PTRACE");
    CHECK(check->state == CHECK_LIMITED);
    assert_string_equal(check->command, "run memoir with sudo");
    facts.permissions.bounding = 0;
    assert_string_equal(judged(&facts, "permissions", "CAP_SYS_PTRACE")->command,
                        "start the container with --cap-add SYS_PTRACE");
}

TEST(root_is_not_told_to_use_sudo)
{
    struct machine_facts facts = good_machine();
    facts.has_libc_debug = false;
    assert_string_equal(judged(&facts, "symbols", "libc")->command, "apt-get install libc6-dbg");
}

TEST(an_old_or_other_libc_is_missing)
{
    struct machine_facts facts = good_machine();
    strcpy(facts.glibc, "2.31");
    CHECK(judged(&facts, "libc", "glibc")->state == CHECK_MISSING);
    strcpy(facts.glibc, "2.35");
    CHECK(judged(&facts, "libc", "glibc")->state == CHECK_OK);
    strcpy(facts.glibc, "3.0");
    CHECK(judged(&facts, "libc", "glibc")->state == CHECK_OK);
    facts.glibc[0] = '\0';
    CHECK(judged(&facts, "libc", "glibc")->state == CHECK_MISSING);
}

TEST(little_room_is_limited_and_none_is_missing)
{
    struct machine_facts facts = good_machine();
    facts.folder_free_bytes = 100 << 20;
    CHECK(judged(&facts, "disk", "recordings")->state == CHECK_LIMITED);
    facts.folder_err = -EROFS;
    CHECK(judged(&facts, "disk", "recordings")->state == CHECK_MISSING);
    CHECK(strstr(judged(&facts, "disk", "recordings")->found, "Read-only") != NULL);
}

TEST(run_works_when_it_was_seen_to_work)
{
    struct machine_facts const facts = good_machine();
    struct trial trial = {.worked = true, .calls = 3};
    checkup.count = 0;
    checkup_judge_works(&checkup, &facts, &trial);
    CHECK(checkup_find(&checkup, "works", "run")->state == CHECK_OK);
    trial = (struct trial){.failure = "no such thing"};
    checkup.count = 0;
    checkup_judge_works(&checkup, &facts, &trial);
    CHECK(checkup_find(&checkup, "works", "run")->state == CHECK_MISSING);
    CHECK(strstr(checkup_find(&checkup, "works", "run")->found, "no such thing") != NULL);
}

static const struct check *pages_of(const struct pages_facts *facts)
{
    struct machine_facts machine = good_machine();
    struct trial const trial = {.worked = true};
    machine.pages = *facts;
    checkup.count = 0;
    checkup_judge_works(&checkup, &machine, &trial);
    return checkup_find(&checkup, "works", "pages");
}

TEST(pages_come_through_the_agent_or_by_perf_events_or_not_at_all)
{
    struct pages_facts facts = {.socket = "/run/memoir/agent.sock"};
    CHECK(pages_of(&facts)->state == CHECK_OK);
    facts.agent_err = -ENOENT;
    CHECK(pages_of(&facts)->state == CHECK_LIMITED);
    CHECK(strstr(pages_of(&facts)->found, "no agent runs") != NULL);
    assert_string_equal(pages_of(&facts)->command, "sudo memoir agent");
    strcpy(facts.socket, "/tmp/a");
    assert_string_equal(pages_of(&facts)->command, "sudo memoir agent --socket /tmp/a");
    facts.is_root = true;
    assert_string_equal(pages_of(&facts)->command, "memoir agent --socket /tmp/a");
    facts.perf_err = -EACCES;
    CHECK(pages_of(&facts)->state == CHECK_MISSING);
    facts.lacks_program = true;
    CHECK(strstr(pages_of(&facts)->command, "libbpf-dev") != NULL);
    facts.lacks_btf = true; /* an agent would not help */
    assert_string_equal(pages_of(&facts)->command, "");
    facts.paranoia_forbids = true;
    assert_string_equal(pages_of(&facts)->command, "sudo sysctl kernel.perf_event_paranoid=2");
    facts.perf_err = 0;
    assert_string_equal(pages_of(&facts)->command, "memoir pages --source perf PID");
}

TEST(an_agent_of_others_is_told_from_none)
{
    struct machine_facts facts = good_machine_of_a_user();
    facts.pages.agent_err = -EACCES;
    const struct check *check = judged(&facts, "pages", "agent");
    CHECK(check->state == CHECK_LIMITED && strstr(check->found, "you may not use") != NULL);
    CHECK(strstr(check->command, "--group") != NULL);
    facts.pages.perf_err = -EACCES;
    CHECK(judged(&facts, "pages", "perf fallback")->state == CHECK_LIMITED);
}

TEST(too_many_checks_do_no_harm)
{
    checkup.count = 0;
    for (int i = 0; i < 2 * CHECKS_MAX; i++)
        assert_non_null(checkup_add(&checkup, "group", "name", CHECK_OK, "%d", i));
    CHECK(checkup.count == CHECKS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_machine_has_nothing_to_mend),
        cmocka_unit_test(cpu_is_judged_as_it_works),
        cmocka_unit_test(yama_restricts_only_those_without_the_capability),
        cmocka_unit_test(it_is_said_what_a_recorder_gives_up),
        cmocka_unit_test(a_command_is_given_where_a_setting_is_in_the_way),
        cmocka_unit_test(a_capability_that_was_taken_away_is_not_had_by_sudo),
        cmocka_unit_test(root_is_not_told_to_use_sudo),
        cmocka_unit_test(an_old_or_other_libc_is_missing),
        cmocka_unit_test(little_room_is_limited_and_none_is_missing),
        cmocka_unit_test(run_works_when_it_was_seen_to_work),
        cmocka_unit_test(pages_come_through_the_agent_or_by_perf_events_or_not_at_all),
        cmocka_unit_test(an_agent_of_others_is_told_from_none),
        cmocka_unit_test(too_many_checks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
