/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorder that was taken over may send to the process that writes the history. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/alerts/history_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* Each text ends inside the message. */
static void check(const struct history_message *message, const char *text)
{
    size_t const at = (size_t)(text - message->texts);
    need(at < message->text_size && memchr(text, '\0', message->text_size - at) != NULL);
    need(strlen(text) < HISTORY_TEXT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct history_message message, again;
    static struct history_parts parts, same;
    if (size > sizeof(message))
        return 0;
    memset(&message, 0, HISTORY_MESSAGE_HEAD);
    memcpy(&message, data, size);
    if (!history_message_read(&message, size, &parts))
        return 0;
    check(&message, parts.snapshot.service);
    check(&message, parts.snapshot.host);
    check(&message, parts.snapshot.program);
    check(&message, parts.snapshot.source);
    need(parts.snapshot.count <= HISTORY_VALUES_MAX);
    for (size_t i = 0; i < parts.snapshot.count; i++) {
        check(&message, parts.values[i].name);
        need(parts.values[i].value >= 0);
    }
    /* What was read is what would be written. */
    size_t const written = history_message_write(&again, &parts.snapshot);
    need(written == size && history_message_read(&again, written, &same));
    need(memcmp(again.texts, message.texts, message.text_size) == 0);
    return 0;
}
