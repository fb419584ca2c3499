/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/pages_checkup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "doctor/checkup.h"
#include "doctor/kernel_features.h"

#define PARANOIA_MOST 2

static int reach(const char *socket_path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(socket_path) >= sizeof(name.sun_path))
        return -ENAMETOOLONG;
    memcpy(name.sun_path, socket_path, strlen(socket_path));
    int const fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int const err = connect(fd, (const struct sockaddr *)&name, sizeof(name)) < 0 ? -errno : 0;
    close(fd);
    return err;
}

static bool paranoia_forbids(void)
{
    int level = 0;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    char text[32] = "";
    if (!file)
        return false;
    if (fgets(text, sizeof(text), file))
        level = atoi(text); /* NOLINT(cert-err34-c): the kernel's number */
    fclose(file);
    return level > PARANOIA_MOST;
}

void pages_facts_read(struct pages_facts *facts, const char *socket)
{
    snprintf(facts->socket, sizeof(facts->socket), "%s", socket);
    facts->agent_err = reach(socket);
    facts->lacks_btf = access("/sys/kernel/btf/vmlinux", R_OK) < 0;
    facts->lacks_tracefs = access("/sys/kernel/tracing/events/syscalls", R_OK) < 0;
    facts->perf_err = feature_try(FEATURE_PERF_USER);
    facts->paranoia_forbids = facts->perf_err && paranoia_forbids();
    facts->is_root = geteuid() == 0;
}

static const char *why_no_agent(const struct pages_facts *facts)
{
    switch (facts->agent_err) {
    case -ENOENT:
        return "no agent runs";
    case -ECONNREFUSED:
        return "the agent has ended";
    case -EACCES:
    case -EPERM:
        return "you may not use the agent's socket";
    default:
        return "the agent does not answer";
    }
}

/* What brings an agent that answers; empty: nothing that can be typed. */
static void command_for_agent(const struct pages_facts *facts, char *command, size_t size)
{
    const char *sudo = facts->is_root ? "" : "sudo ";
    bool const is_usual = strcmp(facts->socket, "/run/memoir/agent.sock") == 0;
    command[0] = '\0';
    if (facts->lacks_btf)
        return;
    if (facts->lacks_program)
        snprintf(command, size,
                 "%sapt-get install libbpf-dev clang bpftool, then build memoir again", sudo);
    else if (facts->agent_err == -EACCES || facts->agent_err == -EPERM)
        snprintf(command, size,
                 "sudo memoir agent --group $(id -gn), to replace the agent that runs");
    else if (is_usual)
        snprintf(command, size, "%smemoir agent", sudo);
    else
        snprintf(command, size, "%smemoir agent --socket %s", sudo, facts->socket);
}

void pages_checkup_works(struct checkup *checkup, const struct pages_facts *facts, uint32_t pid)
{
    char whom[16] = "PID";
    struct check *check;
    if (pid)
        snprintf(whom, sizeof(whom), "%u", pid);
    if (facts->agent_err == 0) {
        check = checkup_add(checkup, "works", "pages", CHECK_OK, "through memoir agent");
        if (pid)
            snprintf(check->command, sizeof(check->command), "memoir pages %s", whom);
        return;
    }
    if (facts->perf_err == 0) {
        check = checkup_add(checkup, "works", "pages", CHECK_LIMITED,
                            "by perf events, which cost more and see no page cache: %s",
                            why_no_agent(facts));
        command_for_agent(facts, check->command, sizeof(check->command));
        if (!check->command[0])
            snprintf(check->command, sizeof(check->command), "memoir pages --source perf %s", whom);
        return;
    }
    check = checkup_add(checkup, "works", "pages", CHECK_MISSING,
                        "%s, and perf events are not allowed", why_no_agent(facts));
    command_for_agent(facts, check->command, sizeof(check->command));
    if (!check->command[0] && facts->paranoia_forbids)
        check_set_command(check, "sudo sysctl kernel.perf_event_paranoid=2");
}

static void judge_agent(struct checkup *checkup, const struct pages_facts *facts)
{
    struct check *check;
    if (facts->agent_err == 0) {
        checkup_add(checkup, "pages", "agent", CHECK_OK, "answers at %s", facts->socket);
        return;
    }
    check = checkup_add(checkup, "pages", "agent", CHECK_LIMITED, "%s at %s (%s)%s",
                        why_no_agent(facts), facts->socket, strerror(-facts->agent_err),
                        facts->lacks_btf       ? "; no agent can run, because this kernel has no "
                                                 "BTF"
                        : facts->lacks_program ? "; memoir-agent was not built"
                                               : "");
    command_for_agent(facts, check->command, sizeof(check->command));
}

void pages_checkup_judge(struct checkup *checkup, const struct pages_facts *facts)
{
    judge_agent(checkup, facts);
    if (facts->perf_err) {
        struct check *check =
            checkup_add(checkup, "pages", "perf fallback", CHECK_LIMITED,
                        "perf events: tried, and got %s: without an agent there are no pages",
                        strerror(-facts->perf_err));
        if (facts->paranoia_forbids)
            check_set_command(check, "sudo sysctl kernel.perf_event_paranoid=2");
        return;
    }
    checkup_add(
        checkup, "pages", "perf fallback", CHECK_OK,
        facts->lacks_tracefs
            ? "works for your own processes without an agent; memory moved by mremap has no stack"
            : "works for your own processes without an agent");
}
