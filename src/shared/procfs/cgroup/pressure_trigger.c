/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/cgroup/pressure_trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define SECOND_US UINT64_C(1000000)
#define STEP_NS   (9 * NS_PER_SECOND / 10) /* between two readings that are kept */

/* The kernel wants the final NUL as well. */
static int ask(int fd, uint64_t asked_us, uint64_t window_us)
{
    char text[64];
    int const size = snprintf(text, sizeof(text), "some %llu %llu", (unsigned long long)asked_us,
                              (unsigned long long)window_us);
    return write(fd, text, (size_t)size + 1) < 0 ? -errno : 0;
}

int pressure_trigger_open(struct pressure_trigger *trigger, const char *path, double share)
{
    int err = -EINVAL;
    memset(trigger, 0, sizeof(*trigger));
    trigger->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (trigger->fd < 0)
        return -errno;
    for (uint64_t window = SECOND_US; window <= 2 * SECOND_US && err; window += SECOND_US) {
        uint64_t const asked = (uint64_t)((double)window * share) + 1;
        trigger->window_us = window;
        trigger->asked_us = asked < window ? asked : window;
        err = ask(trigger->fd, trigger->asked_us, window);
    }
    if (err)
        pressure_trigger_close(trigger);
    return err;
}

void pressure_trigger_close(struct pressure_trigger *trigger)
{
    if (trigger->fd >= 0)
        close(trigger->fd);
    trigger->fd = -1;
}

bool pressure_trigger_poll(struct pressure_trigger *trigger)
{
    struct pollfd word = {.fd = trigger->fd, .events = POLLPRI};
    if (trigger->fd < 0)
        return false;
    if (!trigger->is_told && poll(&word, 1, 0) == 1) {
        if (word.revents & (POLLERR | POLLNVAL)) /* the cgroup is gone */
            pressure_trigger_close(trigger);
        else
            trigger->is_told = true;
    }
    return trigger->is_told;
}

/* The reading before which the window lies that the kernel may be speaking of: it looks at
 * windows that have just ended, and as seldom as once in each. */
static uint64_t waited_before(const struct pressure_trigger *trigger, uint64_t time_ns)
{
    uint64_t const span_ns = 2 * trigger->window_us * 1000 + NS_PER_SECOND;
    unsigned const count = trigger->seen_count;
    unsigned const kept = count < PRESSURE_SEEN_MAX ? count : PRESSURE_SEEN_MAX;
    uint64_t waited = 0;
    for (unsigned back = 1; back <= kept; back++) {
        unsigned const at = (count - back) % PRESSURE_SEEN_MAX;
        waited = trigger->seen[at].waited_us;
        if (time_ns - trigger->seen[at].time_ns >= span_ns)
            break;
    }
    return waited;
}

bool pressure_trigger_confirm(struct pressure_trigger *trigger, const struct pressure *pressure,
                              uint64_t time_ns)
{
    unsigned const last = (trigger->seen_count - 1) % PRESSURE_SEEN_MAX;
    bool const is_true = trigger->is_told && trigger->seen_count > 0 &&
                         pressure->waited_us - waited_before(trigger, time_ns) >= trigger->asked_us;
    trigger->is_told = false;
    if (trigger->seen_count == 0 || time_ns - trigger->seen[last].time_ns >= STEP_NS) {
        unsigned const at = trigger->seen_count++ % PRESSURE_SEEN_MAX;
        trigger->seen[at].time_ns = time_ns;
        trigger->seen[at].waited_us = pressure->waited_us;
    }
    return is_true;
}

double pressure_trigger_share(const struct pressure_trigger *trigger)
{
    return (double)trigger->asked_us / (double)trigger->window_us;
}
