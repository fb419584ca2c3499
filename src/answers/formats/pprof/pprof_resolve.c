/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_resolve.c - looks up what the numbers in a profile refer to, and refuses those that refer
 * to nothing. */
#include <errno.h>

#include "formats/pprof/pprof_parts.h"

static int bad_ids(int err, const char *what, struct fault *fault)
{
    if (err == -ENOMEM)
        return fault_set(fault, err, "there is not enough memory for it");
    return err == 0 ? 0
                    : fault_set(fault, err, "two of its %ss have the same ID, or one has the ID 0",
                                what);
}

static int resolve_lines(struct pprof_profile *profile, struct fault *fault)
{
    struct id_index index = {0};
    int err = bad_ids(id_index_of(&index, &profile->functions), "function", fault);
    for (size_t i = 0; err == 0 && i < profile->lines.count; i++) {
        uint64_t *function = &profile->lines.items[i].function;
        uint32_t const place = id_index_find(&index, *function);
        if (*function && place == 0)
            err = fault_set(fault, -EINVAL,
                            "a location refers to function %llu, which does not exist",
                            (unsigned long long)*function);
        *function = place;
    }
    id_index_fini(&index);
    return err;
}

static int resolve_mappings(struct pprof_profile *profile, struct fault *fault)
{
    struct id_index index = {0};
    int err = bad_ids(id_index_of(&index, &profile->mappings), "mapping", fault);
    for (size_t i = 0; err == 0 && i < profile->locations.count; i++) {
        uint64_t *mapping = &profile->locations.items[i].mapping;
        uint32_t const place = id_index_find(&index, *mapping);
        if (*mapping && place == 0)
            err =
                fault_set(fault, -EINVAL, "a location refers to mapping %llu, which does not exist",
                          (unsigned long long)*mapping);
        *mapping = place;
    }
    id_index_fini(&index);
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

int pprof_resolve(struct pprof_profile *profile, struct id_index *locations, struct fault *fault)
{
    int err = check_strings(profile, fault);
    if (err == 0)
        err = resolve_lines(profile, fault);
    if (err == 0)
        err = resolve_mappings(profile, fault);
    return err < 0 ? err : bad_ids(id_index_of(locations, &profile->locations), "location", fault);
}
