/* SPDX-License-Identifier: Apache-2.0 */
#include "model/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

struct recording *recording_create(void)
{
    struct recording *recording = calloc(1, sizeof(*recording));
    if (!recording)
        return NULL;
    recording->exit_status = -1;
    recording->strings = string_table_create();
    recording->stacks = stack_table_create();
    if (!recording->strings || !recording->stacks) {
        recording_destroy(recording);
        return NULL;
    }
    return recording;
}

void recording_destroy(struct recording *recording)
{
    if (!recording)
        return;
    if (recording->close)
        recording->close(recording);
    for (size_t i = 0; i < RECORDING_CACHES_MAX; i++) {
        struct recording_cache *cache = &recording->caches[i];
        INVARIANT(!cache->data || cache->destroy);
        if (cache->data)
            cache->destroy(cache->data);
    }
    vec_each (bucket, &recording->buckets) {
        free(bucket->cells);
        free(bucket->thread_cells);
        free(bucket->moments);
    }
    vec_each (pin, &recording->pins) {
        free(pin->cells);
        free(pin->thread_cells);
    }
    vec_free(&recording->modules);
    vec_free(&recording->locations);
    vec_free(&recording->frames);
    vec_free(&recording->threads);
    vec_free(&recording->buckets);
    vec_free(&recording->pins);
    vec_free(&recording->traits);
    vec_free(&recording->mappings.items);
    vec_free(&recording->notes);
    recording_free_metrics(recording);
    vec_free(&recording->labelled.labels);
    vec_free(&recording->labelled.sets);
    vec_free(&recording->labelled.cells);
    marks_fini(&recording->marks);
    vec_free(&recording->leak_rules);
    string_table_destroy(recording->strings);
    stack_table_destroy(recording->stacks);
    free(recording);
}

static size_t cells_of(const struct bucket *bucket)
{
    return bucket->cell_count + bucket->thread_cell_count + 3 * bucket->moment_count;
}

int recording_load_bucket(struct recording *recording, struct bucket *bucket, struct fault *fault)
{
    if (bucket->file_offset == 0 || bucket->cells || bucket->thread_cells || bucket->moments)
        return 0;
    if (!recording->load_bucket)
        return fault_set(fault, -ENOTSUP,
                         "these numbers were written out already; open the recording file to "
                         "read them");
    int const err = recording->load_bucket(recording, bucket, fault);
    if (!err)
        recording->loaded_cells += cells_of(bucket);
    return err;
}

void recording_unload_bucket(struct recording *recording, struct bucket *bucket)
{
    if (bucket->file_offset == 0 || !recording->load_bucket)
        return;
    size_t const cells = cells_of(bucket);
    recording->loaded_cells -= cells < recording->loaded_cells ? cells : recording->loaded_cells;
    bucket_free_cells(bucket);
}

const char *recording_text(const struct recording *recording, string_id id)
{
    return string_table_text(recording->strings, id);
}

string_id recording_intern(struct recording *recording, const char *text)
{
    string_id id = STRING_EMPTY;
    if (string_table_intern(recording->strings, slice_of(text), &id) < 0)
        return STRING_EMPTY;
    return id;
}

int recording_name_stack(struct recording *recording, string_id name, stack_id *stack)
{
    struct frame const frame = {.module = MODULE_NONE,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1};
    if (!vec_push(&recording->locations, (struct location){.function = name}) ||
        !vec_push(&recording->frames, frame))
        return -ENOMEM;
    return stack_table_push(recording->stacks, STACK_EMPTY, (uint32_t)recording->frames.count - 1,
                            stack);
}

void recording_note(struct recording *recording, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    string_id const note = recording_intern(recording, text);
    if (note != STRING_EMPTY && !vec_push(&recording->notes, note))
        return;
}

const struct pin *recording_pin(const struct recording *recording, enum pin_kind kind)
{
    for (size_t i = 0; i < recording->pins.count; i++)
        if (recording->pins.items[i].kind == kind)
            return &recording->pins.items[i];
    return NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

string_id recording_own_path(const struct recording *recording)
{
    const char *program = last_part(recording_text(recording, recording->program));
    string_id plain = STRING_EMPTY; /* of the first module that is no library */
    vec_each (module, &recording->modules) {
        const char *name = last_part(recording_text(recording, module->path));
        if (strcmp(name, program) == 0)
            return module->path;
        if (plain == STRING_EMPTY && *name && *name != '[' && !strstr(name, ".so"))
            plain = module->path;
    }
    return plain == STRING_EMPTY ? recording->program : plain;
}
