/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct needed {
    unsigned bit;
    const char *name, *purpose;
} needed[] = {
    {CAP_BPF, "cap_bpf", "to load programs into the kernel"},
    {CAP_PERFMON, "cap_perfmon", "to attach them to its events"},
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

void agent_allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Capabilities stay permitted across this; they are cut down afterwards. */
static int become(const char *name, struct fault *fault)
{
    const struct passwd *user = getpwnam(name);
    if (!user || user->pw_uid == 0)
        return fault_set(fault, -ENOENT,
                         "there is no user \"%.60s\" without privileges: make one with adduser "
                         "--system --group %.60s",
                         name, name);
    if (prctl(PR_SET_KEEPCAPS, 1) < 0 || setgroups(0, NULL) < 0 ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
        return fault_set(fault, -errno, "the agent cannot become the user %.60s: %s", name,
                         strerror(errno));
    return 0;
}

/* As far as that is allowed: without other capabilities and with no_new_privs nothing can come of
 * it anyway. */
static void forget_bounds(void)
{
    for (unsigned long bit = 0; prctl(PR_CAPBSET_READ, bit) >= 0; bit++)
        (void)prctl(PR_CAPBSET_DROP, bit);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static int keep_needed(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{.effective = 0}};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        data[needed[i].bit / 32].permitted |= 1u << needed[i].bit % 32;
    data[0].effective = data[0].permitted;
    data[1].effective = data[1].permitted;
    return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

int agent_drop_privileges(const char *user, struct fault *fault)
{
    struct rlimit const none = {0, 0};
    forget_bounds();
    int err = user ? become(user, fault) : 0;
    if (err < 0)
        return err;
    err = keep_needed();
    if (err == 0 &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
         setrlimit(RLIMIT_NPROC, &none) < 0 || setrlimit(RLIMIT_CORE, &none) < 0))
        err = -errno;
    return err == 0 ? 0
                    : fault_set(fault, err, "the agent cannot give up its privileges: %s",
                                strerror(-err));
}
