/* alert_actions.h - what an alert sets off: a program of the user's, a message to a server.
 *
 * Each is a process of its own, one at a time, at most 30 s; the recorder only looks now and
 * then whether it is done, and never waits for it while it records.  At most ALERT_QUEUE_MAX
 * wait; further ones are counted and told. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERT_QUEUE_MAX 32

struct alert_actions;

/* `exec` and `webhook` may be NULL; borrowed.  NULL when out of memory. */
struct alert_actions *alert_actions_create(const char *exec, const char *webhook);

/* What happened, for both kinds.  All texts are borrowed, and copied. */
struct alert_news {
    const char *rule, *value, *threshold; /* numbers as text: bytes, or shares */
    const char *program, *recording;
    uint32_t pid;
    const char *json; /* for the server */
};
void alert_actions_add(struct alert_actions *actions, const struct alert_news *news);

/* Starts the next one when the last is done. */
void alert_actions_look(struct alert_actions *actions);

/* Waits for all of them, `wait_ms` at most, tells what failed on stderr, and frees. */
void alert_actions_finish(struct alert_actions *actions, unsigned wait_ms);
