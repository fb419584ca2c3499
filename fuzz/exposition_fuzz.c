/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics: the input is two answers of one target, parted by a NUL; both are read twice, as
 * either dialect, so that lines that were known are met too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/metrics/exposition.h"

static void check_sample(void *context, const struct exposition_sample *sample)
{
    struct exposition *exposition = context;
    const struct exposition_series *series = exposition_series(exposition, sample->series);
    if (strlen(series->name) == 0 || series->family >= exposition_family_count(exposition))
        abort();
    for (uint32_t i = 0; i < series->label_count; i++)
        if (!*series->labels[i].value ||
            (i && strcmp(series->labels[i - 1].name, series->labels[i].name) >= 0))
            abort();
}

static void read_answer(struct exposition *exposition, const uint8_t *data, size_t size,
                        enum exposition_dialect dialect)
{
    char *room = exposition_room(exposition, size);
    if (!room)
        return;
    if (size)
        memcpy(room, data, size);
    (void)exposition_read(exposition, size, dialect, check_sample, exposition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exposition *exposition = exposition_create();
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t const first = end ? (size_t)(end - data) : size;
    if (!exposition)
        return 0;
    for (int i = 0; i < 2; i++) {
        read_answer(exposition, data, first, EXPOSITION_BY_END);
        if (end)
            read_answer(exposition, end + 1, size - first - 1, EXPOSITION_OPENMETRICS);
    }
    const struct exposition_tally *tally = exposition_tally(exposition);
    if (tally->samples + tally->bad_lines > tally->lines)
        abort();
    exposition_destroy(exposition);
    return 0;
}
