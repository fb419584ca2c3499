/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_resolve.c - what the numbers of a profile name, and whether they name anything. */
#include <errno.h>

#include "formats/pprof_parts.h"

struct id_place {
    uint64_t id;
    uint32_t place; /* plus one */
};

/* Ids are mostly 1, 2, 3 and so on; whatever else they are, looking one up is a few steps. */
struct id_index {
    uint32_t *direct; /* by id: place plus one */
    uint64_t direct_limit;
    struct id_place *sorted;
    size_t count;
};

static int by_id(const void *left, const void *right)
{
    const struct id_place *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* -EINVAL: 0, or twice. */
static int index_directly(struct id_index *index, const struct id_place *places, size_t count)
{
    if (!(index->direct = calloc(index->direct_limit, sizeof(uint32_t))))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint32_t *at = &index->direct[places[i].id];
        if (places[i].id == 0 || *at)
            return -EINVAL;
        *at = places[i].place;
    }
    return 0;
}

static int index_sorted(struct id_index *index, struct id_place *places, size_t count)
{
    qsort(places, count, sizeof(places[0]), by_id);
    index->sorted = places;
    index->count = count;
    for (size_t i = 0; i < count; i++)
        if (places[i].id == 0 || (i && places[i].id == places[i - 1].id))
            return -EINVAL;
    return 0;
}

/* Takes `places`. */
static int index_init(struct id_index *index, struct id_place *places, size_t count)
{
    uint64_t largest = 0;
    int err;
    for (size_t i = 0; i < count; i++)
        largest = places[i].id > largest ? places[i].id : largest;
    if (largest > 4 * (uint64_t)count + 64)
        return index_sorted(index, places, count);
    index->direct_limit = largest + 1;
    err = index_directly(index, places, count);
    free(places);
    return err;
}

static void index_fini(struct id_index *index)
{
    free(index->direct);
    free(index->sorted);
}

/* The place plus one, or 0. */
static uint32_t index_find(const struct id_index *index, uint64_t id)
{
    struct id_place const key = {.id = id};
    if (index->direct)
        return id < index->direct_limit ? index->direct[id] : 0;
    if (index->count == 0)
        return 0;
    const struct id_place *found = bsearch(&key, index->sorted, index->count, sizeof(key), by_id);
    return found ? found->place : 0;
}

/* All ids of a table into `index`. */
#define index_table(index, table)                                                                  \
    ({                                                                                             \
        struct id_place *places = malloc(((table)->count + 1) * sizeof(*places));                  \
        for (size_t place = 0; places && place < (table)->count; place++)                          \
            places[place] = (struct id_place){(table)->items[place].id, (uint32_t)place + 1};      \
        places ? index_init(index, places, (table)->count) : -ENOMEM;                              \
    })

static int bad_ids(int err, const char *what, struct fault *fault)
{
    if (err == -ENOMEM)
        return fault_set(fault, err, "there is not enough memory for it");
    return err == 0 ? 0
                    : fault_set(fault, err, "two of its %ss have one number, or one has 0", what);
}

static int resolve_stacks(struct pprof_profile *profile, struct fault *fault)
{
    struct id_index index = {0};
    int err = bad_ids(index_table(&index, &profile->locations), "location", fault);
    for (size_t i = 0; err == 0 && i < profile->stacks.count; i++) {
        uint32_t const place = index_find(&index, profile->stacks.items[i]);
        if (place == 0)
            err = fault_set(fault, -EINVAL, "a sample has location %llu, which there is not",
                            (unsigned long long)profile->stacks.items[i]);
        profile->stacks.items[i] = place - 1;
    }
    index_fini(&index);
    return err;
}

static int resolve_lines(struct pprof_profile *profile, struct fault *fault)
{
    struct id_index index = {0};
    int err = bad_ids(index_table(&index, &profile->functions), "function", fault);
    for (size_t i = 0; err == 0 && i < profile->lines.count; i++) {
        uint64_t *function = &profile->lines.items[i].function;
        uint32_t const place = index_find(&index, *function);
        if (*function && place == 0)
            err = fault_set(fault, -EINVAL, "a location has function %llu, which there is not",
                            (unsigned long long)*function);
        *function = place;
    }
    index_fini(&index);
    return err;
}

static int resolve_mappings(struct pprof_profile *profile, struct fault *fault)
{
    struct id_index index = {0};
    int err = bad_ids(index_table(&index, &profile->mappings), "mapping", fault);
    for (size_t i = 0; err == 0 && i < profile->locations.count; i++) {
        uint64_t *mapping = &profile->locations.items[i].mapping;
        uint32_t const place = index_find(&index, *mapping);
        if (*mapping && place == 0)
            err = fault_set(fault, -EINVAL, "a location has mapping %llu, which there is not",
                            (unsigned long long)*mapping);
        *mapping = place;
    }
    index_fini(&index);
    return err;
}

/* The largest number of a string that is named anywhere. */
static uint32_t largest_string(const struct pprof_profile *profile)
{
    uint32_t largest = profile->drop_frames;
#define also(number) largest = (number) > largest ? (number) : largest
    also(profile->keep_frames);
    also(profile->default_type);
    also(profile->period_type.type);
    also(profile->period_type.unit);
    vec_each (type, &profile->types) {
        also(type->type);
        also(type->unit);
    }
    vec_each (label, &profile->labels) {
        also(label->key);
        also(label->text);
        also(label->unit);
    }
    vec_each (function, &profile->functions) {
        also(function->name);
        also(function->system_name);
        also(function->file);
    }
    vec_each (mapping, &profile->mappings) {
        also(mapping->file);
        also(mapping->build_id);
    }
    vec_each (comment, &profile->comments)
        also(*comment);
#undef also
    return largest;
}

static int check_strings(struct pprof_profile *profile, struct fault *fault)
{
    if (profile->strings.count == 0 && !vec_push(&profile->strings, (struct slice){"", 0}))
        return fault_set(fault, -ENOMEM, "there is not enough memory for it");
    if (profile->strings.items[0].size)
        return fault_set(fault, -EINVAL, "its first string is not empty");
    if (largest_string(profile) >= profile->strings.count)
        return fault_set(fault, -EINVAL, "it names string %u and has only %zu",
                         largest_string(profile), profile->strings.count);
    return 0;
}

int pprof_resolve(struct pprof_profile *profile, struct fault *fault)
{
    int err = check_strings(profile, fault);
    if (err == 0 && profile->samples.count && profile->types.count == 0)
        err = fault_set(fault, -EINVAL, "it has samples and does not say of what");
    if (err == 0 && profile->values.count != profile->samples.count * profile->types.count)
        err = fault_set(fault, -EINVAL, "its samples have %zu values each and should have %zu",
                        profile->values.count / profile->samples.count, profile->types.count);
    if (err == 0)
        err = resolve_stacks(profile, fault);
    if (err == 0)
        err = resolve_lines(profile, fault);
    return err < 0 ? err : resolve_mappings(profile, fault);
}
