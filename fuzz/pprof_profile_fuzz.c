/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_profile_fuzz.c - any bytes as a profile of pprof, plain or packed, or one of the older
 * forms.
 *
 * Whatever is read names nothing that is not there. */
#include "formats/pprof/pprof_profile.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_string(const struct pprof_profile *profile, uint32_t string)
{
    volatile char last;
    check(string < profile->strings.count);
    struct slice const text = pprof_text(profile, string);
    if (text.size)
        last = text.data[text.size - 1];
    (void)last;
}

static void check_samples(const struct pprof_profile *profile)
{
    check(profile->values.count == profile->samples.count * profile->types.count);
    vec_each (sample, &profile->samples) {
        check((size_t)sample->first_location + sample->location_count <= profile->stacks.count);
        check((size_t)sample->first_label + sample->label_count <= profile->labels.count);
    }
    vec_each (place, &profile->stacks)
        check(*place < profile->locations.count);
    vec_each (label, &profile->labels) {
        check_string(profile, label->key);
        check_string(profile, label->text);
        check_string(profile, label->unit);
    }
}

static void check_names(const struct pprof_profile *profile)
{
    vec_each (location, &profile->locations) {
        check(location->mapping <= profile->mappings.count);
        check((size_t)location->first_line + location->line_count <= profile->lines.count);
    }
    vec_each (line, &profile->lines)
        check(line->function <= profile->functions.count);
    vec_each (function, &profile->functions) {
        check_string(profile, function->name);
        check_string(profile, function->file);
    }
    vec_each (mapping, &profile->mappings) {
        check_string(profile, mapping->file);
        check_string(profile, mapping->build_id);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault fault = {0};
    struct pprof_profile *profile = pprof_read_bytes(data, size, &fault);
    if (!profile) {
        check(fault.text[0] != '\0');
        return 0;
    }
    check_samples(profile);
    check_names(profile);
    for (unsigned i = 0; i < profile->types.count; i++) {
        check_string(profile, profile->types.items[i].type);
        check(pprof_total(profile, i) >= 0);
    }
    check(pprof_column(profile, NULL) < (int)profile->types.count);
    pprof_destroy(profile);
    return 0;
}
