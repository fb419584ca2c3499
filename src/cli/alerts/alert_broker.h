/* alert_broker.h - does what alerts need, for a recorder that may not do it.
 *
 * A side process (side_process.h) keeps the rights of whoever started memoir.  It starts the user's
 * program and memoir-notify, and opens triggers of the kernel for memory pressure.  The recorder
 * tells it in messages that are checked (alert_message.h) which rule fired, and which values it
 * found; rules, the program and the address of the server are those of the command line.
 *
 * Nothing here waits for a program or a server while the recorder records. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "cli/alerts/alert_message.h"
#include "procfs/cgroup/pressure_trigger.h"

struct alert_broker;

/* `bounds` is borrowed until the end.  To be called while there is one thread.  Returns NULL with
 * `fault`. */
struct alert_broker *alert_broker_begin(const struct alert_bounds *bounds, struct fault *fault);

/* An alert that fired.  The texts are borrowed. */
struct alert_news {
    uint32_t rule, pid;
    double value, threshold;
    const char *program, *recording;
    const char *json; /* for the server */
};
void alert_broker_fire(struct alert_broker *broker, const struct alert_news *news);

/* As pressure_trigger_open, with the threshold of rule number `rule`. */
int alert_broker_trigger(struct alert_broker *broker, struct pressure_trigger *trigger,
                         const char *path, uint32_t rule);

/* Waits for actions that still run, for a limited time, and frees. */
void alert_broker_end(struct alert_broker *broker);
