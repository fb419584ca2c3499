/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_parse.c - parses all fields of profile.proto except samples, in any order, into tables.
 * What a number refers to is looked up later, because the strings mostly come last. */
#include <errno.h>

#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_parts.h"
#include "formats/encodings/protobuf_in.h"

/* One field of a message into what `into` is; fields that are not known are left alone.  0 or
 * -errno. */
typedef int (*parse_field_fn)(struct pprof_profile *profile, void *into,
                              const struct protobuf_field *field);

static int each_field(struct pprof_profile *profile, struct slice bytes, parse_field_fn parse,
                      void *into)
{
    struct protobuf_in in = protobuf_in_of(bytes);
    struct protobuf_field field;
    int more, err = 0;
    while (err == 0 && (more = protobuf_next(&in, &field)) != 0)
        err = more < 0 ? more : parse(profile, into, &field);
    return err;
}

/* What no table can have becomes what no table has. */
static uint32_t string_of(const struct protobuf_field *field)
{
    return field->value < UINT32_MAX ? (uint32_t)field->value : UINT32_MAX;
}

static int parse_value_type(struct pprof_profile *profile, void *into,
                            const struct protobuf_field *field)
{
    struct pprof_value_type *type = into;
    (void)profile;
    if (field->number == VALUE_TYPE_TYPE && field->wire == WIRE_VARINT)
        type->type = string_of(field);
    else if (field->number == VALUE_TYPE_UNIT && field->wire == WIRE_VARINT)
        type->unit = string_of(field);
    else if (field->number <= VALUE_TYPE_UNIT)
        return -EINVAL;
    return 0;
}

static int parse_mapping(struct pprof_profile *profile, void *into,
                         const struct protobuf_field *field)
{
    struct pprof_mapping *mapping = into;
    (void)profile;
    if (field->number > MAPPING_BUILD_ID)
        return 0;
    if (field->wire != WIRE_VARINT)
        return -EINVAL;
    switch (field->number) {
    case MAPPING_ID:
        mapping->id = field->value;
        break;
    case MAPPING_START:
        mapping->start = field->value;
        break;
    case MAPPING_LIMIT:
        mapping->limit = field->value;
        break;
    case MAPPING_OFFSET:
        mapping->offset = field->value;
        break;
    case MAPPING_FILENAME:
        mapping->file = string_of(field);
        break;
    default:
        mapping->build_id = string_of(field);
        break;
    }
    return 0;
}

static int parse_line(struct pprof_profile *profile, void *into, const struct protobuf_field *field)
{
    struct pprof_line *line = into;
    (void)profile;
    if (field->number > LINE_LINE)
        return 0;
    if (field->wire != WIRE_VARINT)
        return -EINVAL;
    if (field->number == LINE_FUNCTION)
        line->function = field->value;
    else
        line->line = (int64_t)field->value;
    return 0;
}

static int parse_location(struct pprof_profile *profile, void *into,
                          const struct protobuf_field *field)
{
    struct pprof_location *location = into;
    struct pprof_line line = {0};
    int err;
    if (field->number > LOCATION_LINE)
        return 0;
    if (field->wire != (field->number == LOCATION_LINE ? WIRE_BYTES : WIRE_VARINT))
        return -EINVAL;
    switch (field->number) {
    case LOCATION_ID:
        location->id = field->value;
        return 0;
    case LOCATION_MAPPING:
        location->mapping = field->value;
        return 0;
    case LOCATION_ADDRESS:
        location->address = field->value;
        return 0;
    default:
        location->line_count++;
        err = each_field(profile, field->bytes, parse_line, &line);
        return err < 0 ? err : pprof_add(&profile->lines, line);
    }
}

static int parse_function(struct pprof_profile *profile, void *into,
                          const struct protobuf_field *field)
{
    struct pprof_function *function = into;
    (void)profile;
    if (field->number > FUNCTION_FILENAME)
        return 0;
    if (field->wire != WIRE_VARINT)
        return -EINVAL;
    if (field->number == FUNCTION_ID)
        function->id = field->value;
    else if (field->number == FUNCTION_NAME)
        function->name = string_of(field);
    else if (field->number == FUNCTION_SYSTEM_NAME)
        function->system_name = string_of(field);
    else
        function->file = string_of(field);
    return 0;
}

/* What the samples are together, which come after all else. */
struct sample_sums {
    size_t count, bytes;
};

/* What is a message or a text of its own. */
static int parse_item(struct pprof_profile *profile, const struct protobuf_field *field,
                      struct sample_sums *samples)
{
    struct pprof_value_type type = {0};
    struct pprof_mapping mapping = {0};
    struct pprof_location location = {.first_line = (uint32_t)profile->lines.count};
    struct pprof_function function = {0};
    int err;
    switch (field->number) {
    case PROFILE_SAMPLE_TYPE:
        err = each_field(profile, field->bytes, parse_value_type, &type);
        return err < 0 ? err : pprof_add(&profile->types, type);
    case PROFILE_SAMPLE:
        samples->count++;
        samples->bytes += field->bytes.size;
        return 0;
    case PROFILE_MAPPING:
        err = each_field(profile, field->bytes, parse_mapping, &mapping);
        return err < 0 ? err : pprof_add(&profile->mappings, mapping);
    case PROFILE_LOCATION:
        err = each_field(profile, field->bytes, parse_location, &location);
        return err < 0 ? err : pprof_add(&profile->locations, location);
    case PROFILE_FUNCTION:
        err = each_field(profile, field->bytes, parse_function, &function);
        return err < 0 ? err : pprof_add(&profile->functions, function);
    case PROFILE_STRING:
        return pprof_add(&profile->strings, field->bytes);
    case PROFILE_PERIOD_TYPE:
        return each_field(profile, field->bytes, parse_value_type, &profile->period_type);
    default:
        return 0;
    }
}

static int parse_number(struct pprof_profile *profile, const struct protobuf_field *field,
                        bool *has_time)
{
    switch (field->number) {
    case PROFILE_DROP_FRAMES:
        profile->drop_frames = string_of(field);
        return 0;
    case PROFILE_KEEP_FRAMES:
        profile->keep_frames = string_of(field);
        return 0;
    case PROFILE_TIME_NANOS:
        if (*has_time)
            return -EEXIST;
        *has_time = true;
        profile->time_ns = (int64_t)field->value;
        return 0;
    case PROFILE_DURATION_NANOS:
        profile->duration_ns = (int64_t)field->value;
        return 0;
    case PROFILE_PERIOD:
        profile->period = (int64_t)field->value;
        return 0;
    case PROFILE_DEFAULT_SAMPLE_TYPE:
        profile->default_type = string_of(field);
        return 0;
    default:
        return 0;
    }
}

static bool is_item(uint32_t number)
{
    return (number >= PROFILE_SAMPLE_TYPE && number <= PROFILE_STRING) ||
           number == PROFILE_PERIOD_TYPE;
}

/* A repeated number: packed, or one by one. */
static int parse_comments(struct pprof_profile *profile, const struct protobuf_field *field)
{
    uint64_t string;
    int err = 0;
    if (field->wire == WIRE_VARINT)
        return pprof_add(&profile->comments, string_of(field));
    if (field->wire != WIRE_BYTES)
        return -EINVAL;
    struct protobuf_in in = protobuf_in_of(field->bytes);
    while (err == 0 && in.at < in.end) {
        if (!protobuf_varint(&in, &string))
            return -EINVAL;
        err = pprof_add(&profile->comments, string < UINT32_MAX ? (uint32_t)string : UINT32_MAX);
    }
    return err;
}

static int parse_field(struct pprof_profile *profile, const struct protobuf_field *field,
                       bool *has_time, struct sample_sums *samples)
{
    if (field->number == PROFILE_COMMENT)
        return parse_comments(profile, field);
    if (field->number > PROFILE_DOC_URL)
        return 0;
    if (field->wire != (is_item(field->number) ? WIRE_BYTES : WIRE_VARINT))
        return -EINVAL;
    return is_item(field->number) ? parse_item(profile, field, samples)
                                  : parse_number(profile, field, has_time);
}

int pprof_tell_parse(int err, uint64_t offset, struct fault *fault)
{
    if (err == -ENOMEM)
        return fault_at(fault, err, offset, "there is not enough memory for it");
    if (err == -E2BIG)
        return fault_at(fault, err, offset, "it has more than %zu samples, functions or the like",
                        PPROF_ITEMS_MAX);
    if (err == -EEXIST)
        return fault_at(fault, -EINVAL, offset,
                        "it is two profiles in one file, the second from before byte %llu: split "
                        "them, or merge them with pprof -proto",
                        (unsigned long long)offset);
    return fault_at(fault, err, offset, "the field at byte %llu is none of profile.proto's",
                    (unsigned long long)offset);
}

static int parse_tables(struct pprof_profile *profile, struct sample_sums *samples,
                        struct fault *fault)
{
    struct protobuf_in in = protobuf_in_of((struct slice){profile->bytes, profile->size});
    const unsigned char *begin = in.at;
    struct protobuf_field field;
    bool has_time = false;
    int more, err = 0;
    do {
        size_t const offset = (size_t)(in.at - begin);
        more = protobuf_next(&in, &field);
        if (more > 0)
            err = parse_field(profile, &field, &has_time, samples);
        if (more < 0 || err < 0)
            return pprof_tell_parse(more < 0 ? more : err, offset, fault);
    } while (more > 0);
    return 0;
}

int pprof_parse_proto(struct pprof_profile *profile, struct fault *fault)
{
    struct sample_sums samples = {0};
    struct id_index locations = {0};
    int err = parse_tables(profile, &samples, fault);
    if (err == 0)
        err = pprof_resolve(profile, &locations, fault);
    if (err == 0)
        err = pprof_parse_samples(profile, &locations, samples.count, samples.bytes, fault);
    id_index_fini(&locations);
    return err;
}
