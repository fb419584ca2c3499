/* SPDX-License-Identifier: Apache-2.0 */
#include "model_touchers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model_driver.h"

/* System calls are made in place, so that the instruction is the toucher's own. */
static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d,
                                                       long e, long f)
{
    long result = number;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

struct job {
    char *start;
    size_t pages, stride;
    enum touch_way way;
    int fd, flags;
    size_t map_size; /* 0: touch; else mmap */
};

static inline __attribute__((always_inline)) void *work(const struct job *job)
{
    if (job->map_size)
        return (void *)call(SYS_mmap, (long)job->start, (long)job->map_size, PROT_READ | PROT_WRITE,
                            job->flags, job->fd, 0);
    for (size_t i = 0; i < job->pages; i += job->stride) {
        volatile char *page = job->start + i * MODEL_PAGE;
        if (job->way == TOUCH_READ)
            (void)*page;
        else if (job->way == TOUCH_WRITE)
            *page = 1;
        else
            call(SYS_read, job->fd, (long)page, 8, 0, 0, 0);
    }
    return NULL;
}

/* Each in a section of its own, whose ends the linker knows. */
#define TOUCHER(n)                                                                                 \
    extern const char __start_text_of_toucher_##n[], __stop_text_of_toucher_##n[];                 \
    __attribute__((noinline, noclone, section("text_of_toucher_" #n))) static void *toucher_##n(   \
        const struct job *job)                                                                     \
    {                                                                                              \
        __asm__ volatile("" ::"i"(n));                                                             \
        return work(job);                                                                          \
    }
TOUCHER(0)
TOUCHER(1)
TOUCHER(2)
TOUCHER(3)

static const struct toucher {
    void *(*work)(const struct job *);
    const char *start, *end;
} touchers[MODEL_TOUCHERS] = {{toucher_0, __start_text_of_toucher_0, __stop_text_of_toucher_0},
                              {toucher_1, __start_text_of_toucher_1, __stop_text_of_toucher_1},
                              {toucher_2, __start_text_of_toucher_2, __stop_text_of_toucher_2},
                              {toucher_3, __start_text_of_toucher_3, __stop_text_of_toucher_3}};

int model_toucher_of(uint64_t instruction)
{
    for (unsigned i = 0; i < MODEL_TOUCHERS; i++) {
        if (instruction >= (uint64_t)(uintptr_t)touchers[i].start &&
            instruction < (uint64_t)(uintptr_t)touchers[i].end)
            return (int)i;
    }
    return -1;
}

void model_touch(unsigned toucher, char *start, size_t pages, size_t stride, enum touch_way way)
{
    static int zeros = -1;
    if (zeros < 0)
        zeros = open("/dev/zero", O_RDONLY);
    struct job const job = {start, pages, stride, way, zeros, 0, 0};
    touchers[toucher].work(&job);
}

void *model_map(unsigned toucher, void *address, size_t size, int flags, int fd)
{
    struct job const job = {address, 0, 1, TOUCH_READ, fd, flags, size};
    void *where = touchers[toucher].work(&job);
    return (uintptr_t)where >= (uintptr_t)-4095 ? MAP_FAILED : where;
}
