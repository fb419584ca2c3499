/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/permission.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* A user's own process, on a machine that lets everybody trace. */
static const struct permission_facts own = {.pid = 4242,
                                            .command = "attach",
                                            .ours = {.uid = 1000},
                                            .their_user = 1000,
                                            .proc_owner = 1000,
                                            .yama_scope = -1,
                                            .their_name = "alice",
                                            .our_name = "alice"};

static const char *explain(const struct permission_facts *facts)
{
    static struct fault fault;
    fault = (struct fault){.text = ""};
    CHECK(permission_explain(facts, &fault) == -EPERM);
    return fault.text;
}

TEST(each_reason_has_its_sentence)
{
    struct permission_facts facts = own;
    facts.their_user = facts.proc_owner = 7;
    memcpy(facts.their_name, "redis", sizeof("redis"));
    CHECK(strstr(explain(&facts), "user redis") && strstr(explain(&facts), "runs as alice"));
    CHECK(strstr(explain(&facts), "sudo memoir attach 4242"));

    facts = own;
    facts.yama_scope = 1;
    CHECK(strstr(explain(&facts), "parent") &&
          strstr(explain(&facts), "sysctl kernel.yama.ptrace_scope=0"));
    facts.yama_scope = 2;
    CHECK(strstr(explain(&facts), "only root") && strstr(explain(&facts), "ptrace_scope is 2"));
    facts.yama_scope = 3;
    CHECK(strstr(explain(&facts), "until the next boot") && strstr(explain(&facts), "memoir run"));

    facts = own;
    facts.proc_owner = 0;
    CHECK(strstr(explain(&facts), "protects itself"));
    CHECK(strstr(explain(&own), "4242"));
}

TEST(root_may_lack_a_capability)
{
    struct permission_facts facts = own;
    facts.ours.uid = 0;
    CHECK(strstr(explain(&facts), "--cap-add SYS_PTRACE"));
    facts.ours.effective = 1ull << CAP_SYS_PTRACE;
    CHECK(strstr(explain(&facts), "security module"));
    facts.yama_scope = 3;
    CHECK(strstr(explain(&facts), "ptrace_scope is 3"));
}

TEST(the_facts_are_those_of_the_process)
{
    struct permission_facts facts;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    permission_facts_read(&facts, child);
    CHECK(facts.pid == child && facts.their_user == getuid() && facts.proc_owner == geteuid());
    CHECK(facts.ours.uid == geteuid() && facts.their_name[0] && facts.our_name[0]);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_reason_has_its_sentence),
                                       cmocka_unit_test(root_may_lack_a_capability),
                                       cmocka_unit_test(the_facts_are_those_of_the_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
