/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/history_message.h"

#include <string.h>

#define PID_LAST (1u << 22)
#define TIME_MAX (UINT64_C(1) << 62) /* the file has signed numbers */

/* As much of the text as fits, in whole characters. */
static void put(struct history_message *message, const char *text, size_t room)
{
    size_t size = text ? strnlen(text, room) : 0;
    if (size == room) {
        size--;
        while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
            size--;
    }
    char *to = message->texts + message->text_size;
    if (size)
        memcpy(to, text, size);
    to[size] = '\0';
    message->text_size += (uint32_t)size + 1;
}

size_t history_message_write(struct history_message *message,
                             const struct history_snapshot *snapshot)
{
    const char *const texts[] = {snapshot->service, snapshot->host, snapshot->program,
                                 snapshot->source};
    if (snapshot->count > HISTORY_VALUES_MAX)
        return 0;
    memset(message, 0, HISTORY_MESSAGE_HEAD);
    message->pid = snapshot->pid;
    message->count = (uint32_t)snapshot->count;
    message->begin_ms = snapshot->begin_ms;
    message->time_ms = snapshot->time_ms;
    message->limit_bytes = snapshot->limit_bytes;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        put(message, texts[i], HISTORY_TEXT_MAX);
    for (size_t i = 0; i < snapshot->count; i++) {
        message->values[i] = snapshot->values[i].value;
        message->kinds[i] = snapshot->values[i].kind;
        put(message, snapshot->values[i].name, HISTORY_NAME_MAX);
    }
    return HISTORY_MESSAGE_HEAD + message->text_size;
}

/* The next text, or NULL if there is none of such a length. */
static const char *take(const struct history_message *message, size_t *at, size_t room)
{
    size_t const left = message->text_size - *at;
    const char *text = message->texts + *at;
    size_t const size = strnlen(text, left < room ? left : room);
    if (size == left || size == room)
        return NULL;
    *at += size + 1;
    return text;
}

static bool has_sense(const struct history_message *message, size_t size)
{
    return size >= HISTORY_MESSAGE_HEAD && message->text_size <= HISTORY_TEXTS_MAX &&
           size == HISTORY_MESSAGE_HEAD + message->text_size &&
           message->count <= HISTORY_VALUES_MAX && message->pid <= PID_LAST && message->zero == 0 &&
           message->begin_ms < TIME_MAX && message->time_ms < TIME_MAX && message->limit_bytes >= 0;
}

bool history_message_read(const struct history_message *message, size_t size,
                          struct history_parts *parts)
{
    const char *texts[4];
    size_t at = 0;
    if (!has_sense(message, size))
        return false;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!(texts[i] = take(message, &at, HISTORY_TEXT_MAX)))
            return false;
    for (uint32_t i = 0; i < message->count; i++) {
        const char *name = take(message, &at, HISTORY_NAME_MAX);
        uint32_t const kind = message->kinds[i];
        if (!name || kind < HISTORY_TOTAL || kind > HISTORY_SITE || message->values[i] < 0)
            return false;
        parts->values[i] =
            (struct history_value){(enum history_kind)kind, name, message->values[i]};
    }
    parts->snapshot = (struct history_snapshot){.service = texts[0],
                                                .host = texts[1],
                                                .program = texts[2],
                                                .source = texts[3],
                                                .pid = message->pid,
                                                .begin_ms = message->begin_ms,
                                                .time_ms = message->time_ms,
                                                .limit_bytes = message->limit_bytes,
                                                .values = parts->values,
                                                .count = message->count};
    return at == message->text_size;
}
