/* pressure_trigger.h - the kernel tells when tasks have waited for memory too long within a
 * second or two, instead of being asked again and again.
 *
 * The window is one second where the process may ask for that (CAP_SYS_RESOURCE), else two.
 * Kernels are known to tell of one window too many at the beginning, so what they tell is
 * compared with the time they count. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "procfs/cgroup/pressure.h"

#define PRESSURE_SEEN_MAX 8u

struct pressure_trigger {
    int fd;                       /* -1: closed */
    uint64_t window_us, asked_us; /* tasks waited so long, or longer, within the window */
    bool is_told;                 /* and not yet confirmed or refuted */
    struct {
        uint64_t time_ns, waited_us;
    } seen[PRESSURE_SEEN_MAX]; /* the newest readings, about a second apart; a ring */
    unsigned seen_count;
};

/* Asks for a word when tasks waited more than this share of the window, by the file of
 * pressure_path().  0; or -errno, and then it is closed. */
int pressure_trigger_open(struct pressure_trigger *trigger, const char *path, double share);
void pressure_trigger_close(struct pressure_trigger *trigger);

/* Whether there is word; costs a system call.  It stays true until the next
 * pressure_trigger_confirm(). */
bool pressure_trigger_poll(struct pressure_trigger *trigger);

/* To be called with every reading, at any time of one clock.  Whether there was word, and the
 * readings agree with it. */
bool pressure_trigger_confirm(struct pressure_trigger *trigger, const struct pressure *pressure,
                              uint64_t time_ns);

/* What is certain when it fires: from 0 to 1. */
double pressure_trigger_share(const struct pressure_trigger *trigger);
