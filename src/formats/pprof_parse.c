/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_parse.c - the fields of profile.proto, in whatever order they come, into tables.  What a number names is looked up later, because strings mostly come last. */
#include <errno.h>

#include "formats/pprof_fields.h"
#include "formats/pprof_parts.h"
#include "formats/protobuf_in.h"

/* One field of a message into what `into` is; fields that are not known are left alone.  0 or -errno. */
typedef int (*take_field_fn)(struct pprof_profile *profile, void *into,
                             const struct protobuf_field *field);

static int each_field(struct pprof_profile *profile, struct slice bytes, take_field_fn take,
                      void *into)
{
    struct protobuf_in in = protobuf_in_of(bytes);
    struct protobuf_field field;
    int more, err = 0;
    while (err == 0 && (more = protobuf_next(&in, &field)) != 0)
        err = more < 0 ? more : take(profile, into, &field);
    return err;
}

/* What no table can have becomes what no table has. */
static uint32_t string_of(const struct protobuf_field *field)
{
    return field->value < UINT32_MAX ? (uint32_t)field->value : UINT32_MAX;
}

static int take_value_type(struct pprof_profile *profile, void *into,
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

static int take_label(struct pprof_profile *profile, void *into, const struct protobuf_field *field)
{
    struct pprof_label *label = into;
    (void)profile;
    if (field->number > LABEL_UNIT)
        return 0;
    if (field->wire != WIRE_VARINT)
        return -EINVAL;
    if (field->number == LABEL_KEY)
        label->key = string_of(field);
    else if (field->number == LABEL_TEXT)
        label->text = string_of(field);
    else if (field->number == LABEL_NUMBER)
        label->number = (int64_t)field->value;
    else
        label->unit = string_of(field);
    return 0;
}

/* A repeated number: packed, or one by one. */
#define take_numbers(vec, field, type)                                                             \
    ({                                                                                             \
        int numbers_err = 0;                                                                       \
        struct protobuf_in numbers_in = protobuf_in_of((field)->bytes);                            \
        uint64_t number;                                                                           \
        if ((field)->wire == WIRE_VARINT)                                                          \
            numbers_err = pprof_add(vec, (type)(field)->value);                                    \
        else if ((field)->wire != WIRE_BYTES)                                                      \
            numbers_err = -EINVAL;                                                                 \
        else                                                                                       \
            while (numbers_err == 0 && numbers_in.at < numbers_in.end)                             \
                numbers_err = protobuf_varint(&numbers_in, &number) ? pprof_add(vec, (type)number) \
                                                                    : -EINVAL;                     \
        numbers_err;                                                                               \
    })

static int take_sample(struct pprof_profile *profile, void *into,
                       const struct protobuf_field *field)
{
    struct pprof_label label = {0};
    int err;
    (void)into;
    switch (field->number) {
    case SAMPLE_LOCATION:
        return take_numbers(&profile->stacks, field, uint64_t);
    case SAMPLE_VALUE:
        return take_numbers(&profile->values, field, int64_t);
    case SAMPLE_LABEL:
        if (field->wire != WIRE_BYTES)
            return -EINVAL;
        err = each_field(profile, field->bytes, take_label, &label);
        return err < 0 ? err : pprof_add(&profile->labels, label);
    default:
        return 0;
    }
}

/* How many values there should be is not known yet; that all samples have as many is. */
static int add_sample(struct pprof_profile *profile, struct slice bytes, size_t *columns)
{
    size_t const values = profile->values.count;
    struct pprof_sample sample = {.first_location = (uint32_t)profile->stacks.count,
                                  .first_label = (uint32_t)profile->labels.count};
    int const err = each_field(profile, bytes, take_sample, NULL);
    if (err < 0)
        return err;
    size_t const count = profile->values.count - values;
    if (profile->samples.count == 0)
        *columns = count;
    if (count != *columns)
        return -EBADMSG;
    sample.location_count = (uint32_t)profile->stacks.count - sample.first_location;
    sample.label_count = (uint32_t)profile->labels.count - sample.first_label;
    return pprof_add(&profile->samples, sample);
}

static int take_mapping(struct pprof_profile *profile, void *into,
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

static int take_line(struct pprof_profile *profile, void *into, const struct protobuf_field *field)
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

static int take_location(struct pprof_profile *profile, void *into,
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
        err = each_field(profile, field->bytes, take_line, &line);
        return err < 0 ? err : pprof_add(&profile->lines, line);
    }
}

static int take_function(struct pprof_profile *profile, void *into,
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

/* What is a message or a text of its own. */
static int take_item(struct pprof_profile *profile, const struct protobuf_field *field,
                     size_t *columns)
{
    struct pprof_value_type type = {0};
    struct pprof_mapping mapping = {0};
    struct pprof_location location = {.first_line = (uint32_t)profile->lines.count};
    struct pprof_function function = {0};
    int err;
    switch (field->number) {
    case PROFILE_SAMPLE_TYPE:
        err = each_field(profile, field->bytes, take_value_type, &type);
        return err < 0 ? err : pprof_add(&profile->types, type);
    case PROFILE_SAMPLE:
        return add_sample(profile, field->bytes, columns);
    case PROFILE_MAPPING:
        err = each_field(profile, field->bytes, take_mapping, &mapping);
        return err < 0 ? err : pprof_add(&profile->mappings, mapping);
    case PROFILE_LOCATION:
        err = each_field(profile, field->bytes, take_location, &location);
        return err < 0 ? err : pprof_add(&profile->locations, location);
    case PROFILE_FUNCTION:
        err = each_field(profile, field->bytes, take_function, &function);
        return err < 0 ? err : pprof_add(&profile->functions, function);
    case PROFILE_STRING:
        return pprof_add(&profile->strings, field->bytes);
    case PROFILE_PERIOD_TYPE:
        return each_field(profile, field->bytes, take_value_type, &profile->period_type);
    default:
        return 0;
    }
}

static int take_number(struct pprof_profile *profile, const struct protobuf_field *field,
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

static int take_field(struct pprof_profile *profile, const struct protobuf_field *field,
                      bool *has_time, size_t *columns)
{
    if (field->number == PROFILE_COMMENT)
        return take_numbers(&profile->comments, field, uint32_t);
    if (field->number > PROFILE_DOC_URL)
        return 0;
    if (field->wire != (is_item(field->number) ? WIRE_BYTES : WIRE_VARINT))
        return -EINVAL;
    return is_item(field->number) ? take_item(profile, field, columns)
                                  : take_number(profile, field, has_time);
}

static int tell(int err, uint64_t offset, struct fault *fault)
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
    if (err == -EBADMSG)
        return fault_at(fault, -EINVAL, offset,
                        "the sample at byte %llu has another number of values than those before",
                        (unsigned long long)offset);
    return fault_at(fault, err, offset, "the field at byte %llu is none of profile.proto's",
                    (unsigned long long)offset);
}

int pprof_parse_proto(struct pprof_profile *profile, struct fault *fault)
{
    struct protobuf_in in = protobuf_in_of((struct slice){profile->bytes, profile->size});
    const unsigned char *begin = in.at;
    struct protobuf_field field;
    bool has_time = false;
    size_t columns = 0;
    int more, err = 0;
    do {
        size_t const offset = (size_t)(in.at - begin);
        more = protobuf_next(&in, &field);
        if (more > 0)
            err = take_field(profile, &field, &has_time, &columns);
        if (more < 0 || err < 0)
            return tell(more < 0 ? more : err, offset, fault);
    } while (more > 0);
    return 0;
}
