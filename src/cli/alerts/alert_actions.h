/* alert_actions.h - what an alert starts: a program of the user, or a message to a server.
 *
 * Each action is a process of its own.  They run one at a time, for at most 30 s.  The caller polls
 * whether an action has ended.  At most ALERT_QUEUE_MAX actions wait; further ones are dropped,
 * counted and reported. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERT_QUEUE_MAX 32

struct alert_actions;

/* `exec` and `webhook` are borrowed, and may be NULL.  Returns NULL when out of memory. */
struct alert_actions *alert_actions_create(const char *exec, const char *webhook);

/* An alert, for both kinds of actions.  The texts are borrowed; alert_actions_add copies them. */
struct alert_action {
    const char *rule, *value, *threshold; /* numbers as text: bytes, or shares */
    const char *program, *recording;
    uint32_t pid;
    const char *json; /* for the server */
};
void alert_actions_add(struct alert_actions *actions, const struct alert_action *action);

/* Returns whether an action runs or waits. */
bool alert_actions_are_left(const struct alert_actions *actions);

/* Call it now and then: starts the next action when the last one has ended. */
void alert_actions_look(struct alert_actions *actions);

/* Waits for all actions, for at most `wait_ms`; prints on stderr which failed, and frees. */
void alert_actions_finish(struct alert_actions *actions, unsigned wait_ms);
