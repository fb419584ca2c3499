/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/live_pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPACING_NS UINT64_C(5000000000)

static int value_order(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    return a->value > b->value ? -1 : a->value < b->value;
}

static int key_order(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

bool live_pictures_is_due(const struct live_pictures *pictures, uint64_t time_ns)
{
    return pictures->count == 0 ||
           time_ns >= pictures->items[pictures->count - 1].time_ns + pictures->spacing_ns;
}

static void thin(struct live_pictures *pictures)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < pictures->count; i++)
        if (i % 2 == 0)
            pictures->items[kept++] = pictures->items[i];
        else
            free(pictures->items[i].cells);
    pictures->count = kept;
    pictures->spacing_ns *= 2;
}

int live_pictures_add(struct live_pictures *pictures, uint64_t time_ns, struct cell *cells,
                      size_t count)
{
    if (count > LIVE_PICTURE_STACKS) {
        qsort(cells, count, sizeof(*cells), value_order);
        count = LIVE_PICTURE_STACKS;
    }
    struct live_picture picture = {time_ns, calloc(count + 1, sizeof(*cells)), count};
    if (!picture.cells)
        return -ENOMEM;
    if (count) {
        memcpy(picture.cells, cells, count * sizeof(*cells));
        qsort(picture.cells, count, sizeof(*cells), key_order);
    }
    if (pictures->count == 0)
        pictures->spacing_ns = SPACING_NS;
    if (pictures->count == LIVE_PICTURES_MAX)
        thin(pictures);
    pictures->items[pictures->count++] = picture;
    return 0;
}

const struct live_picture *live_pictures_at(const struct live_pictures *pictures, uint64_t time_ns)
{
    unsigned at = 0;
    while (at + 1 < pictures->count && pictures->items[at + 1].time_ns <= time_ns)
        at++;
    return pictures->count ? &pictures->items[at] : NULL;
}

int64_t live_picture_value(const struct live_picture *picture, uint32_t key)
{
    struct cell const wanted = {.key = key};
    const struct cell *found =
        picture ? bsearch(&wanted, picture->cells, picture->count, sizeof(wanted), key_order)
                : NULL;
    return found ? found->value : 0;
}

void live_pictures_fini(struct live_pictures *pictures)
{
    for (unsigned i = 0; i < pictures->count; i++)
        free(pictures->items[i].cells);
    *pictures = (struct live_pictures){.count = 0};
}
