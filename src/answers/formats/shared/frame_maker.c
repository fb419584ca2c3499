/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/frame_maker.h"

#include <errno.h>

static int module_of(struct frame_maker *maker, struct slice path, uint32_t *module)
{
    struct recording *recording = maker->recording;
    string_id id;
    *module = MODULE_NONE;
    if (path.size == 0)
        return 0;
    if (string_table_intern(recording->strings, path, &id) < 0)
        return -ENOMEM;
    uint32_t *known = number_map_at(&maker->modules, (uint64_t)id + 1);
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        if (!vec_push(&recording->modules, (struct module){.path = id}))
            return -ENOMEM;
        *known = (uint32_t)recording->modules.count;
    }
    *module = *known - 1;
    return 0;
}

int frame_make(struct frame_maker *maker, const struct frame_words *words, uint32_t *frame)
{
    struct recording *recording = maker->recording;
    struct location location = {.line = words->line};
    struct frame made = {.address = words->address,
                         .first_location = (uint32_t)recording->locations.count};
    if (recording->frames.count >= UINT32_MAX - 1 || recording->locations.count >= UINT32_MAX - 1 ||
        module_of(maker, words->module, &made.module) < 0 ||
        string_table_intern(recording->strings, words->function, &location.function) < 0 ||
        string_table_intern(recording->strings, words->file, &location.file) < 0)
        return -ENOMEM;
    if (words->function.size || words->file.size) {
        made.location_count = 1;
        if (!vec_push(&recording->locations, location))
            return -ENOMEM;
    }
    if (!vec_push(&recording->frames, made))
        return -ENOMEM;
    *frame = (uint32_t)recording->frames.count - 1;
    return 0;
}

int frame_make_name(struct frame_maker *maker, const char *name, uint32_t *frame)
{
    struct frame_words const words = {.function = slice_of(name)};
    return frame_make(maker, &words, frame);
}

void frame_maker_fini(struct frame_maker *maker)
{
    number_map_fini(&maker->modules);
}
