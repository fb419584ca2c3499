/* SPDX-License-Identifier: Apache-2.0 */
/* What a namer that a hostile file took over may send: a head, and the body of an answer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "symbols/namer/name_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
    for (size_t rest = strlen(text); rest > 0;) {
        size_t const length = utf8_length(text, rest);
        if (length == 0 || (unsigned char)*text < ' ')
            abort();
        text += length;
        rest -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct name_head head;
    if (size == 0)
        return 0;
    size_t const count = data[0];
    struct resolved *names = name_body_parse((const char *)data + 1, size - 1, count);
    for (size_t i = 0; names && i < count; i++) {
        check_text(names[i].function);
        check_text(names[i].symbol);
        check_text(names[i].file);
    }
    free(names);
    memset(&head, 0, sizeof(head));
    memcpy(&head, data + 1, size - 1 < sizeof(head) ? size - 1 : sizeof(head));
    if (name_head_is_valid(&head) && (head.count > RESOLVED_MAX || head.body_bytes > NAME_BODY_MAX))
        abort();
    return 0;
}
