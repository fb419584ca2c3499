/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/process_bytes.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "procfs/process/proc_asked.h"

#define PAGE 4096u /* or a part of one; rounding to less than a page asks no more than it should */

static ssize_t transfer(const struct process_bytes *process, uint64_t address, void *to,
                        size_t size)
{
    if (process->is_asked) /* no descriptor: errno is that of pread */
        return pread(process->memory, to, size, (off_t)address);
    struct iovec const here = {.iov_base = to, .iov_len = size};
    struct iovec const there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
    return process_vm_readv((pid_t)process->pid, &here, 1, &there, 1, 0);
}

int process_bytes_open(struct process_bytes *process, uint32_t pid)
{
    process->pid = pid;
    process->is_asked = proc_is_asked();
    process->memory = process->is_asked ? proc_open(pid, 0, PROC_MEM) : -1;
    int const err = pagemap_open(&process->pagemap, pid, false);
    if (err < 0)
        process_bytes_close(process);
    return err;
}

void process_bytes_close(struct process_bytes *process)
{
    pagemap_close(&process->pagemap);
    if (process->memory >= 0)
        close(process->memory);
    process->memory = -1;
}

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

bool process_bytes_read(const struct process_bytes *process, uint64_t address, void *to,
                        size_t size)
{
    struct page_bytes pages;
    uint64_t const first = page_of(address), end = page_of(address + size + PAGE - 1);
    return size > 0 && end > first && pagemap_count(&process->pagemap, first, end, &pages) == 0 &&
           pages.resident == end - first && transfer(process, address, to, size) == (ssize_t)size;
}

struct process_reading {
    const struct process_bytes *process;
    uint64_t address, end;
    char *to;
    size_t done;
};

static void read_run(void *context, const struct page_run *run)
{
    struct process_reading *reading = context;
    uint64_t const start = run->start > reading->address ? run->start : reading->address;
    uint64_t const end = run->end < reading->end ? run->end : reading->end;
    if (!(run->state & PAGE_PRESENT) || start >= end)
        return;
    ssize_t const got = transfer(reading->process, start, reading->to + (start - reading->address),
                                 (size_t)(end - start));
    reading->done += got > 0 ? (size_t)got : 0;
}

size_t process_bytes_read_present(const struct process_bytes *process, uint64_t address, void *to,
                                  size_t size)
{
    struct process_reading reading = {
        .process = process, .address = address, .end = address + size, .to = to};
    memset(to, 0, size);
    (void)pagemap_walk(&process->pagemap, page_of(address), page_of(address + size + PAGE - 1),
                       read_run, &reading);
    return reading.done;
}

int process_bytes_allowed(const struct process_bytes *process, uint64_t address)
{
    char byte;
    return transfer(process, address, &byte, 1) == 1 ? 0 : -errno;
}
