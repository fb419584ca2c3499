/* SPDX-License-Identifier: Apache-2.0 */
/* call_filter.c - seccomp: makes a BPF program of the table, rule after rule.
 *
 * If only the number of a call decides, the kernel evaluates the filter once and remembers the
 * answer, so the order of the rules costs nothing. */
#include "sandbox/sandbox_layers.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/system_call.h"
#include "sandbox/call_table.h"

#define STEPS_MAX 1024

struct filter {
    struct sock_filter steps[STEPS_MAX];
    unsigned short count;
};

static void add(struct filter *filter, uint16_t what, uint32_t value, uint8_t if_so, uint8_t if_not)
{
    if (filter->count < STEPS_MAX)
        filter->steps[filter->count++] = (struct sock_filter){what, if_so, if_not, value};
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *filter, uint32_t value)
{
    add(filter, BPF_RET | BPF_K, value, 0, 0);
}

static void refuse(struct filter *filter, uint16_t error)
{
    answer(filter, SECCOMP_RET_ERRNO | error);
}

/* `test` of the loaded word decides: allowed if so, else on with the next step. */
static void allow_if(struct filter *filter, uint16_t test, uint32_t value)
{
    add(filter, BPF_JMP | test | BPF_K, value, 0, 1);
    answer(filter, SECCOMP_RET_ALLOW);
}

/* Arguments have 64 bits; all that are judged but pointers are judged by the kernel by the lower
 * 32, which come first. */
static size_t argument_at(const struct call_rule *rule)
{
    return offsetof(struct seccomp_data, args) + rule->argument * sizeof(uint64_t);
}

static void judge(struct filter *filter, const struct call_rule *rule)
{
    load(filter, argument_at(rule));
    switch ((enum call_verdict)rule->verdict) {
    case CALL_ONE_OF:
        for (unsigned i = 0; i < rule->value_count; i++)
            allow_if(filter, BPF_JEQ, rule->values[i]);
        break;
    case CALL_HAS:
        allow_if(filter, BPF_JSET, rule->values[0]);
        break;
    case CALL_HAS_NOT:
        add(filter, BPF_JMP | BPF_JSET | BPF_K, rule->values[0], 1, 0);
        answer(filter, SECCOMP_RET_ALLOW);
        break;
    case CALL_OWN:
        allow_if(filter, BPF_JEQ, (uint32_t)getpid());
        break;
    case CALL_NULL:
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
        load(filter, argument_at(rule) + sizeof(uint32_t));
        allow_if(filter, BPF_JEQ, 0);
        break;
    case CALL_ALLOWED:
    case CALL_REFUSED:
        break;
    }
    refuse(filter, rule->error);
}

static void add_rule(struct filter *filter, const struct call_rule *rule)
{
    unsigned short const jump = filter->count;
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, rule->number, 0, 0);
    if (rule->verdict == CALL_ALLOWED)
        answer(filter, SECCOMP_RET_ALLOW);
    else if (rule->verdict == CALL_REFUSED)
        refuse(filter, rule->error);
    else
        judge(filter, rule);
    if (filter->count < STEPS_MAX)
        filter->steps[jump].jf = (uint8_t)(filter->count - jump - 1);
}

static bool is_strict(void)
{
    const char *wanted = getenv("MEMOIR_SANDBOX");
    return wanted && strcmp(wanted, "strict") == 0;
}

static void make(struct filter *filter, unsigned calls)
{
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYSTEM_CALL_ARCH, 1, 0);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    load(filter, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < call_rule_count; i++)
        if ((call_rules[i].needs & ~calls) == 0)
            add_rule(filter, &call_rules[i]);
    add(filter, BPF_JMP | BPF_JGT | BPF_K, CALL_NEWEST, 0, 1);
    refuse(filter, ENOSYS);
    if (is_strict())
        answer(filter, SECCOMP_RET_KILL_PROCESS);
    else
        refuse(filter, EPERM);
}

int sandbox_filter_calls(const struct sandbox_wish *wish)
{
    struct filter *filter = calloc(1, sizeof(*filter));
    if (!filter)
        return -ENOMEM;
    make(filter, wish->calls);
    struct sock_fprog const program = {filter->count, filter->steps};
    int const err = filter->count == STEPS_MAX                                        ? -E2BIG
                    : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program) < 0 ? -errno
                                                                                      : 0;
    free(filter);
    return err;
}
