/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/alert_message.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "keeper/keeper_outputs.h"

#define PID_LAST      (1u << 22)
#define ERRNO_MAX     4095
#define WINDOW_MOST   UINT64_C(10000000) /* of the kernel */
#define MACHINE       "/proc/pressure/memory"
#define CGROUPS       "/sys/fs/cgroup/"
#define CGROUP_ENDING "/memory.pressure"

/* Text, in lines if `has_lines`. */
static bool is_tame(const char *text, size_t size, bool has_lines)
{
    for (size_t at = 0; at < size;) {
        size_t const length = utf8_length(text + at, size - at);
        if (length == 0)
            return false;
        if (utf8_steers(text + at, length) && !(has_lines && text[at] == '\n'))
            return false;
        at += length;
    }
    return true;
}

static bool has_end(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* The name that was asked for may be any; those that are chosen later are harmless. */
static bool is_recording(const char *path, const struct alert_bounds *bounds)
{
    struct keeper_outputs outputs;
    if (bounds->output && strcmp(path, bounds->output) == 0)
        return true;
    keeper_outputs_init(&outputs, bounds->output, bounds->folder, -1);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return keeper_outputs_may_be(&outputs, path) && name[0] != '-' &&
           is_tame(name, strlen(name), false) && !strpbrk(name, " !\"#$&'()*;<>?[\\]^`{|}~");
}

static bool is_pressure_file(const char *path)
{
    size_t const size = strlen(path), ending = strlen(CGROUP_ENDING);
    if (strcmp(path, MACHINE) == 0)
        return true;
    return strncmp(path, CGROUPS, strlen(CGROUPS)) == 0 && size > ending &&
           strcmp(path + size - ending, CGROUP_ENDING) == 0 && !strstr(path, "/../");
}

static bool is_fired(const struct alert_message *message, const struct alert_bounds *bounds)
{
    return isfinite(message->value) && isfinite(message->threshold) &&
           is_tame(message->program, strlen(message->program), false) &&
           is_recording(message->path, bounds) &&
           (message->json_size == 0 || message->json[0] == '{') &&
           is_tame(message->json, message->json_size, true);
}

static bool is_trigger(const struct alert_message *message, const struct alert_bounds *bounds)
{
    const struct alert_rule *rule = &bounds->options->rules[message->rule];
    return rule->kind == ALERT_PRESSURE && rule->for_ns == 0 && message->json_size == 0 &&
           message->program[0] == '\0' && is_pressure_file(message->path);
}

bool alert_message_is_valid(const struct alert_message *message, size_t size,
                            const struct alert_bounds *bounds)
{
    if (size < ALERT_MESSAGE_HEAD || message->json_size > sizeof(message->json) ||
        size != ALERT_MESSAGE_HEAD + message->json_size)
        return false;
    if (message->what >= ALERT_WHATS || message->rule >= bounds->options->rule_count ||
        message->pid > PID_LAST || !has_end(message->program, sizeof(message->program)) ||
        !has_end(message->path, sizeof(message->path)))
        return false;
    return message->what == ALERT_FIRED ? is_fired(message, bounds) : is_trigger(message, bounds);
}

bool alert_reply_is_valid(const struct alert_reply *reply, size_t size)
{
    return size == sizeof(*reply) && reply->err <= 0 && reply->err >= -ERRNO_MAX &&
           reply->asked_us <= reply->window_us && reply->window_us <= WINDOW_MOST;
}
