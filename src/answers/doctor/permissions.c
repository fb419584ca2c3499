/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/permissions.h"

#include <linux/capability.h>
#include <stdlib.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF     39
#endif

const struct capability capabilities[] = {
    {"CAP_SYS_PTRACE", CAP_SYS_PTRACE,
     "attach to processes of other users, also where Yama forbids it"},
    {"CAP_PERFMON", CAP_PERFMON, "CPU samples of the kernel and of other users' processes"},
    {"CAP_BPF", CAP_BPF, "BPF programs, for page faults and the page cache"},
    {"CAP_SYS_ADMIN", CAP_SYS_ADMIN, "page frame numbers; on kernels before 5.8 also BPF and perf"},
    {"CAP_SYS_NICE", CAP_SYS_NICE,
     "a recorder with higher priority than the program, so that the program waits less"},
    {"CAP_SYSLOG", CAP_SYSLOG, "names of kernel functions"},
    {"CAP_IPC_LOCK", CAP_IPC_LOCK, "large buffers for CPU samples"},
    {NULL, 0, NULL},
};

static bool has_bit(uint64_t set, unsigned bit)
{
    return bit < 64 && (set >> bit & 1);
}

bool permissions_have(const struct permissions *permissions, unsigned bit)
{
    return has_bit(permissions->effective, bit);
}

bool permissions_could(const struct permissions *permissions, unsigned bit)
{
    return has_bit(permissions->bounding, bit);
}

/* The number after "KEY:" at the beginning of a line, its `nth` from 0; 0 when there is none. */
static uint64_t number_of(struct slice text, const char *key, unsigned nth, int base)
{
    char line[256];
    size_t const key_size = strlen(key);
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        size_t const size = end ? (size_t)(end - text.data) - at : text.size - at;
        if (size > key_size && size < sizeof(line) && memcmp(text.data + at, key, key_size) == 0) {
            memcpy(line, text.data + at, size);
            line[size] = '\0';
            char *number = line + key_size;
            uint64_t value = strtoull(number, &number, base);
            while (nth-- > 0)
                value = strtoull(number, &number, base);
            return value;
        }
        at += size + 1;
    }
    return 0;
}

struct permissions permissions_parse(struct slice status)
{
    return (struct permissions){
        .uid = (uint32_t)number_of(status, "Uid:", 1, 10),
        .effective = number_of(status, "CapEff:", 0, 16),
        .bounding = number_of(status, "CapBnd:", 0, 16),
        .seccomp = (unsigned)number_of(status, "Seccomp:", 0, 10),
        .no_new_privileges = number_of(status, "NoNewPrivs:", 0, 10) != 0,
    };
}
