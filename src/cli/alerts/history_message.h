/* history_message.h - a snapshot on its way from a recorder to the process that writes the history
 * (history_writer.h).
 *
 * The recorder may have been taken over by the program that it watches: how many values there are
 * and how long each text is has bounds, and the receiver checks them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/history/history.h"

#define HISTORY_VALUES_MAX 64u
#define HISTORY_NAME_MAX   1024u /* of a series, with its NUL: longer names of functions are cut */
#define HISTORY_TEXT_MAX   4096u /* of every other text, with its NUL */
#define HISTORY_TEXTS_MAX  (HISTORY_VALUES_MAX * HISTORY_NAME_MAX + 4 * HISTORY_TEXT_MAX)

struct history_message {
    uint32_t pid, count, text_size, zero;
    uint64_t begin_ms, time_ms;
    int64_t limit_bytes;
    int64_t values[HISTORY_VALUES_MAX];
    uint32_t kinds[HISTORY_VALUES_MAX];
    /* Service, host, program, source, and the name of each value; each with its NUL. */
    char texts[HISTORY_TEXTS_MAX];
};
#define HISTORY_MESSAGE_HEAD offsetof(struct history_message, texts)

/* Writes the snapshot.  Returns the size of the message; 0 if there are too many values. */
size_t history_message_write(struct history_message *message,
                             const struct history_snapshot *snapshot);

/* A message that was read, and the snapshot in it. */
struct history_parts {
    struct history_snapshot snapshot;
    struct history_value values[HISTORY_VALUES_MAX];
};
/* Returns whether the received `size` bytes are a message that makes sense; if so, fills `parts`,
 * which points into the message. */
bool history_message_read(const struct history_message *message, size_t size,
                          struct history_parts *parts);
