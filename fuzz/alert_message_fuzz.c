/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorder that was taken over may tell about alerts, and what it may be answered. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/alerts/alert_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static struct sentry_options options;
static struct alert_bounds const bounds = {&options, "folder/out", "folder"};

static void make_rules(void)
{
    static const char *const texts[] = {"rss>1M", "psi>10%", "psi>10% for 1s"};
    for (; options.rule_count < sizeof(texts) / sizeof(texts[0]); options.rule_count++)
        need(alert_rule_parse(texts[options.rule_count], &options.rules[options.rule_count],
                              NULL) == 0);
}

static bool is_plain(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\n')
            return false;
    return true;
}

/* What is used without a further look. */
static void check(const struct alert_message *message)
{
    need(message->rule < options.rule_count && message->pid <= 1u << 22);
    need(memchr(message->program, '\0', sizeof(message->program)) != NULL);
    need(memchr(message->path, '\0', sizeof(message->path)) != NULL);
    need(message->json_size <= sizeof(message->json));
    need(is_plain(message->program, strlen(message->program)));
    need(is_plain(message->json, message->json_size));
    if (message->what == ALERT_TRIGGER) {
        need(message->rule == 1);
        need(
            strcmp(message->path, "/proc/pressure/memory") == 0 ||
            (strncmp(message->path, "/sys/fs/cgroup/", 15) == 0 && !strstr(message->path, "/../")));
        return;
    }
    need(isfinite(message->value) && isfinite(message->threshold));
    need(strncmp(message->path, "folder/", 7) == 0 && !strchr(message->path + 7, '/'));
    need(strcmp(message->path, "folder/out") == 0 || !strpbrk(message->path, " $`;&|<>\"'"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct alert_message message;
    struct alert_reply reply;
    size_t const most = size < sizeof(message) ? size : sizeof(message);
    make_rules();
    memset(&message, 0, ALERT_MESSAGE_HEAD);
    memcpy(&message, data, most);
    if (alert_message_is_valid(&message, size, &bounds))
        check(&message);
    memset(&reply, 0, sizeof(reply));
    memcpy(&reply, data, size < sizeof(reply) ? size : sizeof(reply));
    if (alert_reply_is_valid(&reply, size))
        need(reply.err <= 0 && reply.window_us <= 10000000);
    return 0;
}
