/* pressure_trigger.h - a notification by the kernel when tasks have waited for memory too long
 * within one or two seconds, so that nobody has to poll the pressure file.
 *
 * The window is one second with CAP_SYS_RESOURCE, else two.  Kernels are known to notify for one
 * window too many at the beginning, so each notification is checked against the waiting time that
 * the kernel counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "procfs/cgroup/pressure.h"

#define PRESSURE_SEEN_MAX 8u

struct pressure_trigger {
    int fd;                       /* -1: closed */
    uint64_t window_us, asked_us; /* Notify after `asked_us` of waiting within the window. */
    bool is_told;                 /* Notified, and not yet checked. */
    struct {
        uint64_t time_ns, waited_us;
    } seen[PRESSURE_SEEN_MAX]; /* The newest readings, about a second apart; a ring. */
    unsigned seen_count;
};

/* Asks for a notification when tasks waited more than `share` of the window; `path` is that of
 * pressure_path().  Returns 0; or -errno, with the trigger closed. */
int pressure_trigger_open(struct pressure_trigger *trigger, const char *path, double share);
void pressure_trigger_close(struct pressure_trigger *trigger);

/* Returns whether the kernel has notified; costs a system call.  Stays true until the next
 * pressure_trigger_confirm(). */
bool pressure_trigger_poll(struct pressure_trigger *trigger);

/* Call it with every reading; `time_ns` is of any one clock.  Returns whether the kernel had
 * notified and the readings confirm it. */
bool pressure_trigger_confirm(struct pressure_trigger *trigger, const struct pressure *pressure,
                              uint64_t time_ns);

/* Returns the share of waiting, from 0 to 1, that is certain after a notification. */
double pressure_trigger_share(const struct pressure_trigger *trigger);
