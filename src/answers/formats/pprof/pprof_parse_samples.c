/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_parse_samples.c - parses the samples of profile.proto, which are most of a file.  They are
 * read after everything that they refer to, straight into tables of the right size. */
#include <errno.h>

#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_parts.h"
#include "formats/encodings/protobuf_in.h"

struct sample_parser {
    struct pprof_profile *profile;
    const struct id_index *locations;
    uint64_t missing; /* the location that there is not */
    size_t values;    /* of the sample at hand */
};

/* There is room: a location takes at least a byte of the file, and the table has one place for
 * each byte. */
static inline int add_location(struct sample_parser *parser, uint64_t id)
{
    struct pprof_profile *profile = parser->profile;
    uint32_t const place = id_index_find(parser->locations, id);
    if (place == 0) {
        parser->missing = id;
        return -ENOENT;
    }
    profile->stacks.items[profile->stacks.count++] = place - 1;
    return 0;
}

static inline int add_value(struct sample_parser *parser, uint64_t value)
{
    struct pprof_profile *profile = parser->profile;
    if (++parser->values > profile->types.count)
        return -EBADMSG;
    profile->values.items[profile->values.count++] = (int64_t)value;
    return 0;
}

/* A repeated number: packed, or one by one.  Made anew for each `add`: this is where the time
 * goes. */
static inline __attribute__((always_inline)) int
parse_numbers(struct sample_parser *parser, const struct protobuf_field *field,
              int (*add)(struct sample_parser *, uint64_t))
{
    struct protobuf_in in = protobuf_in_of(field->bytes);
    uint64_t number;
    int err = 0;
    if (field->wire == WIRE_VARINT)
        return add(parser, field->value);
    if (field->wire != WIRE_BYTES)
        return -EINVAL;
    while (err == 0 && in.at < in.end)
        err = protobuf_varint(&in, &number) ? add(parser, number) : -EINVAL;
    return err;
}

static int parse_label(struct pprof_profile *profile, struct slice bytes)
{
    struct protobuf_in in = protobuf_in_of(bytes);
    struct protobuf_field field;
    struct pprof_label label = {0};
    int more;
    while ((more = protobuf_next(&in, &field)) > 0) {
        if (field.number > LABEL_UNIT)
            continue;
        if (field.wire != WIRE_VARINT)
            return -EINVAL;
        if (field.number != LABEL_NUMBER && field.value >= profile->strings.count)
            return -ERANGE;
        if (field.number == LABEL_KEY)
            label.key = (uint32_t)field.value;
        else if (field.number == LABEL_TEXT)
            label.text = (uint32_t)field.value;
        else if (field.number == LABEL_UNIT)
            label.unit = (uint32_t)field.value;
        else
            label.number = (int64_t)field.value;
    }
    return more < 0 ? more : pprof_add(&profile->labels, label);
}

static int parse_sample(struct sample_parser *parser, struct slice bytes)
{
    struct pprof_profile *profile = parser->profile;
    struct protobuf_in in = protobuf_in_of(bytes);
    struct protobuf_field field = {.number = 0};
    struct pprof_sample sample = {.first_location = (uint32_t)profile->stacks.count,
                                  .first_label = (uint32_t)profile->labels.count};
    int more, err = 0;
    parser->values = 0;
    while (err == 0 && (more = protobuf_next(&in, &field)) != 0) {
        if (more < 0)
            err = more;
        else if (field.number == SAMPLE_LOCATION)
            err = parse_numbers(parser, &field, add_location);
        else if (field.number == SAMPLE_VALUE)
            err = parse_numbers(parser, &field, add_value);
        else if (field.number == SAMPLE_LABEL)
            err = field.wire == WIRE_BYTES ? parse_label(profile, field.bytes) : -EINVAL;
    }
    if (err == 0 && parser->values != profile->types.count)
        err = -EBADMSG;
    sample.location_count = (uint32_t)profile->stacks.count - sample.first_location;
    sample.label_count = (uint32_t)profile->labels.count - sample.first_label;
    if (err == 0)
        profile->samples.items[profile->samples.count++] = sample;
    return err;
}

static int tell(const struct sample_parser *parser, int err, uint64_t offset, struct fault *fault)
{
    unsigned long long const at = offset;
    if (err == -ENOENT)
        return fault_at(fault, -EINVAL, offset,
                        "the sample at byte %llu has location %llu, which there is not", at,
                        (unsigned long long)parser->missing);
    if (err == -EBADMSG)
        return fault_at(fault, -EINVAL, offset,
                        "the sample at byte %llu has not the %zu values that it should have", at,
                        parser->profile->types.count);
    if (err == -ERANGE)
        return fault_at(fault, -EINVAL, offset,
                        "the sample at byte %llu has a label of strings that there are not", at);
    return pprof_tell_parse(err, offset, fault);
}

int pprof_parse_samples(struct pprof_profile *profile, const struct id_index *locations,
                        size_t count, size_t bytes, struct fault *fault)
{
    struct sample_parser parser = {.profile = profile, .locations = locations};
    struct protobuf_in in = protobuf_in_of((struct slice){profile->bytes, profile->size});
    const unsigned char *begin = in.at;
    struct protobuf_field field = {.number = 0};
    if (count && profile->types.count == 0)
        return fault_set(fault, -EINVAL, "it has samples and does not say of what");
    if (count > PPROF_ITEMS_MAX)
        return pprof_tell_parse(-E2BIG, 0, fault);
    if (count && profile->types.count > bytes / count) /* a value takes at least a byte */
        return fault_set(fault, -EINVAL,
                         "its samples have not the %zu values that they should have",
                         profile->types.count);
    if (!vec_reserve(&profile->samples, count) || !vec_reserve(&profile->stacks, bytes) ||
        !vec_reserve(&profile->values, count * profile->types.count))
        return pprof_tell_parse(-ENOMEM, 0, fault);
    for (;;) {
        size_t const offset = (size_t)(in.at - begin);
        if (protobuf_next(&in, &field) <= 0)
            return 0; /* all of it was looked at before */
        int const err = field.number == PROFILE_SAMPLE ? parse_sample(&parser, field.bytes) : 0;
        if (err < 0)
            return tell(&parser, err, offset, fault);
    }
}
