/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/alert_broker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/utf8.h"
#include "cli/alerts/alert_actions.h"
#include "cli/alerts/side_process.h"
#include "sandbox/line.h"

#define LOOK_EVERY_MS 20u
#define FINISH_MS     12000u /* for messages on their way when the program has ended */
#define END_MS        (FINISH_MS + 2000u)
#define ANSWER_MS     2000u
#define TRIGGERS_ALL  4096u /* in all, also those that the recorder has closed since */

struct alert_broker {
    const struct alert_bounds *bounds;
    int line;
    uint32_t left_out;
    struct alert_message message;
};

/* The side process, from here on. */

static void act(const struct alert_message *message, const struct alert_bounds *bounds,
                struct alert_actions *actions)
{
    char value[HUMAN_MAX], threshold[HUMAN_MAX], json[ALERT_JSON_MAX + 1];
    const struct alert_rule *rule = &bounds->options->rules[message->rule];
    bool const is_whole = rule->kind == ALERT_LEVEL;
    snprintf(value, sizeof(value), is_whole ? "%.0f" : "%.6g", message->value);
    snprintf(threshold, sizeof(threshold), is_whole ? "%.0f" : "%.6g", message->threshold);
    memcpy(json, message->json, message->json_size);
    json[message->json_size] = '\0';
    alert_actions_add(actions, &(struct alert_action){.rule = rule->text,
                                                      .value = value,
                                                      .threshold = threshold,
                                                      .program = message->program,
                                                      .recording = message->path,
                                                      .pid = message->pid,
                                                      .json = json});
}

static bool open_trigger(int line, const struct alert_message *message,
                         const struct alert_bounds *bounds, unsigned *triggers)
{
    struct pressure_trigger trigger = {.fd = -1};
    struct alert_reply reply = {.err = -EMFILE};
    if (*triggers < TRIGGERS_ALL)
        reply.err = pressure_trigger_open(&trigger, message->path,
                                          bounds->options->rules[message->rule].threshold);
    if (reply.err == 0) {
        ++*triggers;
        reply.window_us = trigger.window_us;
        reply.asked_us = trigger.asked_us;
    }
    int const err = line_send(line, &reply, sizeof(reply), &trigger.fd, reply.err == 0);
    pressure_trigger_close(&trigger);
    return err == 0;
}

static bool serve(int line, const struct alert_bounds *bounds, struct alert_actions *actions)
{
    static struct alert_message message;
    static unsigned triggers;
    ssize_t const got = line_receive(line, &message, sizeof(message), NULL);
    if (got <= 0 || !alert_message_is_valid(&message, (size_t)got, bounds))
        return false;
    if (message.what == ALERT_TRIGGER)
        return open_trigger(line, &message, bounds, &triggers);
    act(&message, bounds, actions);
    return true;
}

static void work(int line, const void *context)
{
    const struct alert_bounds *bounds = context;
    struct alert_actions *actions =
        alert_actions_create(bounds->options->exec, bounds->options->webhook);
    bool goes_on = actions != NULL;
    while (goes_on) {
        while (alert_actions_are_left(actions) && !side_process_wait(line, LOOK_EVERY_MS))
            alert_actions_look(actions);
        goes_on = serve(line, bounds, actions);
    }
    if (actions)
        alert_actions_finish(actions, FINISH_MS);
}

/* The recorder, from here on. */

struct alert_broker *alert_broker_begin(const struct alert_bounds *bounds, struct fault *fault)
{
    struct alert_broker *broker = calloc(1, sizeof(*broker));
    int err = broker ? 0 : -ENOMEM;
    if (broker) {
        broker->bounds = bounds;
        broker->line = side_process_begin("memoir-alerts", work, bounds);
        err = broker->line < 0 ? broker->line : 0;
    }
    if (!err)
        return broker;
    free(broker);
    fault_set(fault, err, "cannot start a process for alerts: %s", strerror(-err));
    return NULL;
}

static bool put(char *to, size_t size, const char *text)
{
    size_t const length = strlen(text);
    if (length >= size)
        return false;
    memcpy(to, text, length + 1);
    return true;
}

static bool fill(struct alert_message *message, const struct alert_news *news)
{
    size_t const json = strlen(news->json);
    *message = (struct alert_message){.what = ALERT_FIRED,
                                      .rule = news->rule,
                                      .pid = news->pid,
                                      .value = news->value,
                                      .threshold = news->threshold};
    if (json > sizeof(message->json) ||
        !put(message->program, sizeof(message->program), news->program) ||
        !put(message->path, sizeof(message->path), news->recording))
        return false;
    utf8_tame(message->program, '?', "");
    memcpy(message->json, news->json, json);
    message->json_size = (uint32_t)json;
    return true;
}

static size_t size_of(const struct alert_message *message)
{
    return ALERT_MESSAGE_HEAD + message->json_size;
}

void alert_broker_fire(struct alert_broker *broker, const struct alert_news *news)
{
    struct alert_message *message = &broker->message;
    if (!broker->bounds->options->exec && !broker->bounds->options->webhook)
        return;
    if (!fill(message, news) || !alert_message_is_valid(message, size_of(message), broker->bounds))
        fprintf(stderr, "memoir: the message about this alert is too long, or names a file that "
                        "is none of this recording; it is not sent\n");
    else if (side_process_tell(broker->line, message, size_of(message)) < 0)
        broker->left_out++;
}

int alert_broker_trigger(struct alert_broker *broker, struct pressure_trigger *trigger,
                         const char *path, uint32_t rule)
{
    struct alert_message *message = &broker->message;
    struct alert_reply reply;
    int came[LINE_DESCRIPTORS_MAX] = {-1, -1};
    *message = (struct alert_message){.what = ALERT_TRIGGER, .rule = rule};
    *trigger = (struct pressure_trigger){.fd = -1};
    if (!put(message->path, sizeof(message->path), path) ||
        !alert_message_is_valid(message, size_of(message), broker->bounds))
        return -EINVAL;
    int err = side_process_tell(broker->line, message, size_of(message));
    if (err || !side_process_wait(broker->line, ANSWER_MS))
        return err ? err : -ETIMEDOUT;
    ssize_t const got = line_receive(broker->line, &reply, sizeof(reply), came);
    err = got > 0 && alert_reply_is_valid(&reply, (size_t)got) ? reply.err : -EPIPE;
    if (!err && came[0] < 0)
        err = -EIO;
    for (size_t i = err ? 0 : 1; i < LINE_DESCRIPTORS_MAX; i++)
        if (came[i] >= 0)
            close(came[i]);
    if (!err)
        *trigger = (struct pressure_trigger){
            .fd = came[0], .window_us = reply.window_us, .asked_us = reply.asked_us};
    return err;
}

void alert_broker_end(struct alert_broker *broker)
{
    if (broker->left_out)
        fprintf(stderr,
                "memoir: %u messages about alerts were left out: those before them took "
                "too long, or the process that sends them has ended\n",
                broker->left_out);
    side_process_end(broker->line, END_MS);
    free(broker);
}
