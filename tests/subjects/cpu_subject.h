/* cpu_subject.h - for programs whose time is known: begin when told, tell what was measured, end
 * when told. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "subject.h"

static inline uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Says a word and waits for one. */
static inline void say_and_wait(const char *word)
{
    char answer;
    say("%s\n", word);
    if (read(0, &answer, 1) < 0)
        _exit(98);
}

/* Work of about a quarter of a microsecond a turn, without calls. */
static inline void spin(unsigned turns)
{
    for (volatile unsigned i = 0; i < turns * 100u; i++)
        ;
}
