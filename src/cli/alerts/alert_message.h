/* alert_message.h - what a recorder says about alerts to the process that acts on them
 * (alert_broker.h).
 *
 * The recorder may have been taken over by the program that it watches.  So the rules are not in
 * the message: both sides have them.  Numbers are in fixed places, texts have bounds, end, and hold
 * nothing that steers a terminal.  A message is copied once, and checked as a whole before any of
 * it is used. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/alerts/sentry_options.h"

#define ALERT_PROGRAM_MAX 4096u
#define ALERT_JSON_MAX    65536u /* of the message for a server */

enum alert_what {
    ALERT_FIRED,   /* Rule `rule` fired for the process `pid`. */
    ALERT_TRIGGER, /* Ask the kernel to report pressure by the file `path`, for rule `rule`. */
    ALERT_WHATS
};

struct alert_message {
    uint32_t what, rule, pid, json_size;
    double value, threshold;
    char program[ALERT_PROGRAM_MAX];
    char path[PATH_MAX]; /* of the recording; of a file of the kernel */
    char json[ALERT_JSON_MAX];
};
#define ALERT_MESSAGE_HEAD offsetof(struct alert_message, json)

/* The answer to ALERT_TRIGGER, with the descriptor if `err` is 0. */
struct alert_reply {
    int32_t err, zero;
    uint64_t window_us, asked_us;
};

/* What a message is checked against; borrowed. */
struct alert_bounds {
    const struct sentry_options *options;
    const char *output; /* of the first recording, as asked for, or NULL */
    const char *folder; /* of all others; "": the working directory */
};

/* Returns whether the received `size` bytes are a message that makes sense. */
bool alert_message_is_valid(const struct alert_message *message, size_t size,
                            const struct alert_bounds *bounds);
/* Returns whether an answer of `size` bytes is whole. */
bool alert_reply_is_valid(const struct alert_reply *reply, size_t size);
