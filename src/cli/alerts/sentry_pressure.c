/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/sentry_pressure.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "procfs/cgroup/pressure_trigger.h"

#define TOLD_NS      (10 * NS_PER_SECOND) /* as long as the kernel's own average looks back */
#define AVERAGE_S    10u
#define TRIGGERS_MAX 64u /* of all processes; each costs the kernel a little all the time */

struct pressure_watch {
    const struct alert_rule *rule;
    char path[PATH_MAX]; /* empty: the kernel keeps none */
    struct pressure_trigger trigger;
    bool has_trigger, was_told, is_by_trigger;
    uint64_t told_ns;
};

static unsigned open_triggers;

static void say_once(const struct alert_rule *rule, const char *path, int err)
{
    static bool said;
    if (said)
        return;
    said = true;
    if (!path[0])
        fprintf(
            stderr,
            "memoir: this kernel does not measure memory pressure (/proc/pressure/memory), so the "
            "alert %s never fires; boot the kernel with psi=1\n",
            rule->text);
    else
        fprintf(stderr,
                "memoir: memoir may not set a pressure trigger (%s: %s), so it checks the alert %s "
                "once a second, with the average of the last 10 s; root may set triggers\n",
                path, strerror(-err), rule->text);
}

struct pressure_watch *pressure_watch_create(struct alert_broker *broker,
                                             const struct alert_rule *rule, unsigned index,
                                             uint32_t pid)
{
    struct pressure_watch *watch = calloc(1, sizeof(*watch));
    int err = 0;
    if (!watch)
        return NULL;
    watch->rule = rule;
    watch->trigger.fd = -1;
    if (pressure_path(pid, watch->path, sizeof(watch->path)) < 0) {
        watch->path[0] = '\0';
        err = -ENOENT;
    } else if (rule->for_ns == 0 && open_triggers < TRIGGERS_MAX) {
        err = alert_broker_trigger(broker, &watch->trigger, watch->path, index);
        watch->has_trigger = err == 0;
        open_triggers += watch->has_trigger;
    }
    if (err)
        say_once(rule, watch->path, err);
    return watch;
}

void pressure_watch_destroy(struct pressure_watch *watch)
{
    if (!watch)
        return;
    open_triggers -= watch->has_trigger;
    pressure_trigger_close(&watch->trigger);
    free(watch);
}

bool pressure_watch_has_news(struct pressure_watch *watch)
{
    return watch && pressure_trigger_poll(&watch->trigger);
}

struct alert_reading pressure_watch_read(struct pressure_watch *watch, uint64_t time_ns)
{
    struct alert_reading reading = {.threshold = watch->rule->threshold};
    struct pressure pressure;
    if (!watch->path[0] || pressure_read_file(watch->path, &pressure) < 0)
        return reading;
    bool const is_new =
        watch->trigger.fd >= 0 && pressure_trigger_confirm(&watch->trigger, &pressure, time_ns);
    if (is_new) {
        watch->was_told = true;
        watch->told_ns = time_ns;
    }
    reading.is_known = true;
    reading.value = pressure.share;
    double const told = watch->was_told && time_ns - watch->told_ns < TOLD_NS
                            ? pressure_trigger_share(&watch->trigger)
                            : 0;
    watch->is_by_trigger = is_new || told > pressure.share;
    if (watch->is_by_trigger)
        reading.value = told;
    return reading;
}

unsigned pressure_watch_span(const struct pressure_watch *watch)
{
    return watch->is_by_trigger ? (unsigned)(watch->trigger.window_us / 1000000u) : AVERAGE_S;
}
