/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct needed {
    unsigned bit;
    const char *name, *purpose;
} needed[] = {
    {CAP_BPF, "cap_bpf", "to load programs into the kernel"},
    {CAP_PERFMON, "cap_perfmon", "to attach them to its events"},
    {CAP_SYS_ADMIN, "cap_sys_admin",
     "to read the types of the kernel and find maps by their numbers"},
};

static uint64_t effective(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};
    if (syscall(SYS_capget, &header, data) < 0)
        return 0;
    return data[0].effective | (uint64_t)data[1].effective << 32;
}

int agent_check_privileges(struct fault *fault)
{
    uint64_t const have = effective();
    char list[256] = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!(have & 1ull << needed[i].bit))
            at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s %s", at ? ", " : "",
                                   needed[i].name, needed[i].purpose);
    if (at == 0)
        return 0;
    return fault_set(
        fault, -EPERM,
        "not enough privileges (missing: %s): start it as root, with sudo, or by a service "
        "manager that grants these capabilities",
        list);
}
