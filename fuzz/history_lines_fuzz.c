/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the lines of a snapshot: whole, or refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history/history_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct history_lines lines;
    struct fault fault = {.text = ""};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int const err = history_lines_parse(text, &lines, &fault);
    if (err && fault.text[0] == '\0')
        abort(); /* an error without a sentence */
    for (size_t i = 0; !err && i < lines.snapshot.count; i++)
        if (lines.values[i].name < text || lines.values[i].name >= text + size ||
            lines.values[i].value < 0)
            abort();
    free(text);
    return 0;
}
