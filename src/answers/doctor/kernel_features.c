/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/kernel_features.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Newer than the headers of Debian 12. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif
struct scan_region {
    uint64_t start, end, categories;
};
struct scan_request {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, category_inverted,
        category_mask, category_anyof_mask, return_mask;
};
#define SCAN_REQUEST _IOWR('f', 16, struct scan_request)
#define SCAN_PRESENT 8u

#define PAGE_BYTES 4096u

/* The result of a call that returned a descriptor, which is closed. */
static int judge_fd(long fd)
{
    if (fd < 0)
        return -errno;
    close((int)fd);
    return 0;
}

static int try_memfd(void)
{
    return judge_fd(memfd_create("memoir-doctor", MFD_CLOEXEC));
}

static int try_memfd_exec(void)
{
    int fd = memfd_create("memoir-doctor", MFD_CLOEXEC | MFD_EXEC);
    if (fd < 0 && errno == EINVAL) /* older than the flag, and then without the restriction */
        fd = memfd_create("memoir-doctor", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int err = ftruncate(fd, PAGE_BYTES) < 0 ? -errno : 0;
    void *code = MAP_FAILED;
    if (!err)
        code = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    if (!err && code == MAP_FAILED)
        err = -errno;
    if (code != MAP_FAILED)
        munmap(code, PAGE_BYTES);
    close(fd);
    return err;
}

/* Runs `attempt` on a page that is there. */
static int with_page(int (*attempt)(void *page))
{
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    *(volatile char *)page = 1;
    int const err = attempt(page);
    munmap(page, PAGE_BYTES);
    return err;
}

static int wipe_page(void *page)
{
    return madvise(page, PAGE_BYTES, MADV_WIPEONFORK) < 0 ? -errno : 0;
}

static int name_page(void *page)
{
    return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, page, PAGE_BYTES, "memoir doctor") < 0 ? -errno
                                                                                          : 0;
}

static int scan_page(void *page)
{
    struct scan_region found;
    struct scan_request request = {.size = sizeof(request),
                                   .start = (uint64_t)(uintptr_t)page,
                                   .end = (uint64_t)(uintptr_t)page + PAGE_BYTES,
                                   .vec = (uint64_t)(uintptr_t)&found,
                                   .vec_len = 1,
                                   .category_mask = SCAN_PRESENT,
                                   .return_mask = SCAN_PRESENT};
    int const fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int const err = ioctl(fd, SCAN_REQUEST, &request) < 0 ? -errno : 0;
    close(fd);
    return err == -ENOTTY ? -ENOSYS : err;
}

static int try_ptrace(void)
{
    pid_t const child = fork();
    if (child < 0)
        return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    int const err = ptrace(PTRACE_SEIZE, child, NULL, NULL) < 0 ? -errno : 0;
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return err;
}

static int try_perf(bool kernel)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = 10000000,
                                   .sample_type = PERF_SAMPLE_IP,
                                   .disabled = 1,
                                   .exclude_kernel = !kernel,
                                   .exclude_hv = 1};
    return judge_fd(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/* The least program there is: return 0. */
static int try_bpf_tracepoint(void)
{
    const struct bpf_insn program[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    static const char licence[] = "Dual BSD/GPL";
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
    attr.insn_cnt = sizeof(program) / sizeof(program[0]);
    attr.insns = (uint64_t)(uintptr_t)program;
    attr.license = (uint64_t)(uintptr_t)licence;
    return judge_fd(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
}

int feature_try(enum feature feature)
{
    switch (feature) {
    case FEATURE_MEMFD:
        return try_memfd();
    case FEATURE_MEMFD_EXEC:
        return try_memfd_exec();
    case FEATURE_WIPE_ON_FORK:
        return with_page(wipe_page);
    case FEATURE_ANON_NAMES:
        return with_page(name_page);
    case FEATURE_PAGEMAP_SCAN:
        return with_page(scan_page);
    case FEATURE_PTRACE:
        return try_ptrace();
    case FEATURE_PERF_USER:
        return try_perf(false);
    case FEATURE_PERF_KERNEL:
        return try_perf(true);
    case FEATURE_BPF_TRACEPOINT:
        return try_bpf_tracepoint();
    case FEATURES:
        break;
    }
    return -EINVAL;
}
