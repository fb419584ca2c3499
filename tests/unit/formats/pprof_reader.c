/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof_reader.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "check.h"

struct bytes {
    const unsigned char *at, *end;
};

struct field {
    unsigned number;
    uint64_t value;     /* of a varint */
    struct bytes bytes; /* of the rest; NULL for a varint */
};

static uint64_t varint(struct bytes *from)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        CHECK(from->at < from->end && shift < 70);
        unsigned char byte = *from->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static int next_field(struct bytes *from, struct field *field)
{
    if (from->at == from->end)
        return 0;
    uint64_t key = varint(from);
    *field = (struct field){.number = (unsigned)(key >> 3)};
    if ((key & 7) == 0) {
        field->value = varint(from);
        return 1;
    }
    CHECK((key & 7) == 2);
    uint64_t size = varint(from);
    CHECK(size <= (uint64_t)(from->end - from->at));
    field->bytes = (struct bytes){from->at, from->at + size};
    from->at += size;
    return 1;
}

/* Scalars of a message by field number, as far as `out` has room. */
static void read_scalars(struct bytes from, uint64_t *out, size_t room)
{
    struct field field;
    while (next_field(&from, &field)) {
        CHECK(field.number < room && !field.bytes.at);
        out[field.number] = field.value;
    }
}

static void read_type(struct bytes from, struct pprof_type *type)
{
    uint64_t scalars[3] = {0};
    read_scalars(from, scalars, 3);
    *type = (struct pprof_type){scalars[1], scalars[2]};
}

static void read_sample(struct bytes from, struct pprof_sample *sample)
{
    struct field field;
    while (next_field(&from, &field)) {
        assert_non_null(field.bytes.at); /* packed */
        if (field.number == 3) {
            uint64_t label[3] = {0};
            read_scalars(field.bytes, label, 3);
            sample->label = label[2];
            continue;
        }
        while (field.bytes.at < field.bytes.end) {
            uint64_t value = varint(&field.bytes);
            if (field.number == 1)
                sample->places[sample->place_count++] = value;
            else
                sample->values[sample->value_count++] = (int64_t)value;
        }
    }
}

static void read_place(struct bytes from, struct pprof_place *place)
{
    struct field field;
    uint64_t *scalars[] = {NULL, &place->id, &place->mapping, &place->address};
    while (next_field(&from, &field)) {
        if (field.number == 4) {
            uint64_t line[3] = {0};
            read_scalars(field.bytes, line, 3);
            place->lines[place->line_count++] = (struct pprof_line){line[1], line[2]};
        } else {
            CHECK(field.number < 4);
            *scalars[field.number] = field.value;
        }
    }
}

static void read_mapping(struct bytes from, struct pprof_mapping *mapping)
{
    uint64_t s[11] = {0};
    read_scalars(from, s, 11);
    *mapping = (struct pprof_mapping){s[1], s[2], s[3], s[5], s[6], {s[7], s[8], s[9], s[10]}};
}

static void read_function(struct bytes from, struct pprof_function *function)
{
    uint64_t s[6] = {0};
    read_scalars(from, s, 6);
    *function = (struct pprof_function){s[1], s[2], s[3], s[4]};
}

static void read_comments(struct pprof_reading *reading, struct bytes from)
{
    while (from.at < from.end)
        reading->comments[reading->comment_count++] = varint(&from);
}

static void read_field(struct pprof_reading *reading, const struct field *field)
{
    struct bytes bytes = field->bytes;
    switch (field->number) {
    case 1:
        read_type(bytes, &reading->types[reading->type_count++]);
        break;
    case 2:
        read_sample(bytes, &reading->samples[reading->sample_count++]);
        break;
    case 3:
        read_mapping(bytes, &reading->mappings[reading->mapping_count++]);
        break;
    case 4:
        read_place(bytes, &reading->places[reading->place_count++]);
        break;
    case 5:
        read_function(bytes, &reading->functions[reading->function_count++]);
        break;
    case 6:
        reading->strings[reading->string_count++] =
            strndup((const char *)bytes.at, (size_t)(bytes.end - bytes.at));
        break;
    case 9:
        reading->time_nanos = field->value;
        break;
    case 10:
        reading->duration_nanos = field->value;
        break;
    case 11:
        read_type(bytes, &reading->period_type);
        break;
    case 12:
        reading->period = field->value;
        break;
    case 13:
        read_comments(reading, bytes);
        break;
    case 14:
        reading->default_type = field->value;
        break;
    default:
        fail_msg("field %u", field->number);
    }
}

/* The checks a strict reader makes: every reference resolves, string 0 is empty. */
static void check_references(const struct pprof_reading *reading)
{
    assert_string_equal(reading->strings[0], "");
    for (size_t i = 0; i < reading->sample_count; i++) {
        assert_int_equal(reading->samples[i].value_count, reading->type_count);
        for (size_t k = 0; k < reading->samples[i].place_count; k++)
            assert_in_range(reading->samples[i].places[k], 1, reading->place_count);
    }
    for (size_t i = 0; i < reading->place_count; i++) {
        assert_int_equal(reading->places[i].id, i + 1);
        assert_in_range(reading->places[i].mapping, 0, reading->mapping_count);
        for (size_t k = 0; k < reading->places[i].line_count; k++)
            assert_in_range(reading->places[i].lines[k].function, 1, reading->function_count);
    }
    for (size_t i = 0; i < reading->function_count; i++) {
        assert_int_equal(reading->functions[i].id, i + 1);
        assert_in_range(reading->functions[i].name, 1, reading->string_count - 1);
        assert_in_range(reading->functions[i].system_name, 1, reading->string_count - 1);
        assert_in_range(reading->functions[i].file, 0, reading->string_count - 1);
    }
    for (size_t i = 0; i < reading->mapping_count; i++)
        assert_int_equal(reading->mappings[i].id, i + 1);
}

struct pprof_reading *pprof_read(const void *data, size_t size)
{
    static unsigned char plain[1 << 20];
    z_stream stream = {.next_in = (void *)data,
                       .avail_in = (uInt)size,
                       .next_out = plain,
                       .avail_out = sizeof(plain)};
    struct pprof_reading *reading = calloc(1, sizeof(*reading));
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    struct bytes bytes = {plain, plain + stream.total_out};
    struct field field;
    while (next_field(&bytes, &field))
        read_field(reading, &field);
    check_references(reading);
    return reading;
}

void pprof_reading_free(struct pprof_reading *reading)
{
    for (size_t i = 0; i < reading->string_count; i++)
        free(reading->strings[i]);
    free(reading);
}

static int has_path(const struct pprof_reading *reading, const struct pprof_sample *sample,
                    const char *path)
{
    for (size_t i = sample->place_count; i-- > 0;) {
        const struct pprof_place *place = &reading->places[sample->places[i] - 1];
        for (size_t k = place->line_count; k-- > 0;) {
            const char *name =
                reading->strings[reading->functions[place->lines[k].function - 1].name];
            if (strncmp(path, name, strlen(name)) != 0)
                return 0;
            path += strlen(name);
            path += *path == ';';
        }
    }
    return *path == '\0';
}

const struct pprof_sample *pprof_find(const struct pprof_reading *reading, const char *path)
{
    for (size_t i = 0; i < reading->sample_count; i++)
        if (has_path(reading, &reading->samples[i], path))
            return &reading->samples[i];
    return NULL;
}
