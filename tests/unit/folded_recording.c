/* SPDX-License-Identifier: Apache-2.0 */
#include "folded_recording.h"

#include <stdlib.h>
#include <string.h>

#define SEC UINT64_C(1000000000)

static void must(bool ok)
{
    if (!ok)
        abort();
}

struct recording *folded_create(void)
{
    struct recording *recording = recording_create();
    must(recording != NULL);
    recording->program = recording_intern(recording, "/bin/program");
    recording->source = recording_intern(recording, "memoir run");
    recording->duration_ns = 2 * SEC;
    recording->quality.complete = true;
    must(vec_push(&recording->buckets, (struct bucket){.end_ns = 2 * SEC}));
    return recording;
}

static uint32_t module_of(struct recording *recording, const char *path)
{
    string_id const id = recording_intern(recording, path);
    for (uint32_t i = 0; i < recording->modules.count; i++)
        if (recording->modules.items[i].path == id)
            return i;
    must(vec_push(&recording->modules, (struct module){.path = id}));
    return (uint32_t)recording->modules.count - 1;
}

static uint32_t frame_of(struct recording *recording, char *name)
{
    char *tick = strchr(name, '`');
    uint32_t module;
    if (tick)
        *tick = '\0';
    module = module_of(recording, tick ? name : "/bin/program");
    string_id const function = recording_intern(recording, tick ? tick + 1 : name);
    for (uint32_t i = 0; i < recording->frames.count; i++)
        if (recording->frames.items[i].module == module &&
            recording->locations.items[i].function == function)
            return i;
    must(vec_push(&recording->frames,
                  (struct frame){.module = module,
                                 .first_location = (uint32_t)recording->locations.count,
                                 .location_count = 1,
                                 .address = 0x1000 + 16 * recording->frames.count}));
    must(vec_push(&recording->locations, (struct location){.function = function}));
    return (uint32_t)recording->frames.count - 1;
}

stack_id folded_add(struct recording *recording, const char *stack, unsigned column, int64_t value)
{
    struct bucket *bucket = &recording->buckets.items[0];
    char *words = strdup(stack), *rest = words;
    stack_id id = STACK_EMPTY;
    must(words != NULL);
    for (char *name; *stack && (name = strsep(&rest, ";")) != NULL;)
        must(stack_table_push(recording->stacks, id, frame_of(recording, name), &id) == 0);
    free(words);
    bucket->cells = reallocarray(bucket->cells, bucket->cell_count + 1, sizeof(bucket->cells[0]));
    must(bucket->cells != NULL);
    bucket->cells[bucket->cell_count++] = (struct cell){id, (uint16_t)column, value};
    return id;
}
