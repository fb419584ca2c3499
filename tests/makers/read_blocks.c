/* SPDX-License-Identifier: Apache-2.0 */
/* read_blocks FILE: decodes a history of blocks with nothing of memoir's own: height, hash (or
 * tc), what it replaces, within what it came; a line each. Status 1 for a line that is no
 * record, or has a certificate or transactions in it. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const unsigned char *at, *end;
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void die(const char *why)
{
    fprintf(stderr, "read_blocks: %s\n", why);
    exit(1);
}

static uint64_t number(struct reader *reader, unsigned width)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < width)
        die("it ends too early");
    while (width--)
        value = value << 8 | *reader->at++;
    return value;
}

static const unsigned char *bytes(struct reader *reader, uint64_t size)
{
    if ((uint64_t)(reader->end - reader->at) < size)
        die("it ends too early");
    reader->at += size;
    return reader->at - size;
}

struct value {
    enum { NUMBER, REAL, TEXT, MAP, LIST, OTHER } type;
    uint64_t number; /* or how many items follow */
    char text[300];
};

static void put_base64(struct value *value, const unsigned char *data, uint64_t size)
{
    size_t used = 0;
    for (uint64_t i = 0; i < size && used + 5 < sizeof(value->text); i += 3) {
        uint32_t const group = (uint32_t)data[i] << 16 | (i + 1 < size ? data[i + 1] << 8 : 0) |
                               (i + 2 < size ? data[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++)
            value->text[used++] = i + k > size ? '=' : letters[group >> (18 - 6 * k) & 63];
    }
    value->text[used] = '\0';
}

static struct value parse_value(struct reader *reader)
{
    unsigned const form = (unsigned)number(reader, 1);
    struct value value = {.type = OTHER};
    if (form < 0x80 || form >= 0xe0 || (form >= 0xcc && form <= 0xcf)) {
        value.type = NUMBER;
        value.number = form < 0x80    ? form
                       : form >= 0xe0 ? form - 256u
                                      : number(reader, 1u << (form - 0xcc));
    } else if (form < 0xa0 || (form >= 0xdc && form <= 0xdf)) {
        value.type = form < 0x90 || form >= 0xde ? MAP : LIST;
        value.number = form < 0xa0 ? form & 15 : number(reader, form & 1 ? 4 : 2);
    } else if (form < 0xc0 || (form >= 0xd9 && form <= 0xdb)) {
        uint64_t const size = form < 0xc0 ? form & 31 : number(reader, 1u << (form - 0xd9));
        value.type = TEXT;
        snprintf(value.text, sizeof(value.text), "%.*s", (int)(size < 299 ? size : 299),
                 bytes(reader, size));
    } else if (form >= 0xc4 && form <= 0xc6) {
        uint64_t const size = number(reader, 1u << (form - 0xc4));
        value.type = TEXT;
        put_base64(&value, bytes(reader, size), size);
    } else if (form == 0xcb) {
        value.type = REAL;
        number(reader, 8);
    } else if (form != 0xc0 && form != 0xc2 && form != 0xc3) {
        die("a form that no record has");
    }
    return value;
}

static void skip_items(struct reader *reader, const struct value *value)
{
    uint64_t const count = value->type == MAP    ? 2 * value->number
                           : value->type == LIST ? value->number
                                                 : 0;
    for (uint64_t i = 0; i < count; i++) {
        struct value const item = parse_value(reader);
        skip_items(reader, &item);
    }
}

struct record {
    uint64_t height, total;
    char hash[300], replaces[300], within[32];
    bool has_time, has_block;
};

static void parse_block(struct reader *reader, const struct value *map, struct record *record)
{
    if (map->type != MAP)
        die("the block is no map");
    record->has_block = true;
    for (uint64_t i = 0; i < map->number; i++) {
        struct value const key = parse_value(reader), value = parse_value(reader);
        skip_items(reader, &value);
        if (strcmp(key.text, "rnd") == 0)
            record->height = value.number;
        else if (strcmp(key.text, "tc") == 0)
            record->total = value.number;
        else if (strcmp(key.text, "hash") == 0)
            memcpy(record->hash, value.text, sizeof(record->hash));
        else if (strcmp(key.text, "txns") == 0)
            die("it has transactions");
    }
}

static void parse_record(struct reader *reader, struct record *record)
{
    struct value const map = parse_value(reader);
    if (map.type != MAP)
        die("the record is no map");
    for (uint64_t i = 0; i < map.number; i++) {
        struct value const key = parse_value(reader), value = parse_value(reader);
        if (strcmp(key.text, "block") == 0) {
            parse_block(reader, &value, record);
            continue;
        }
        skip_items(reader, &value);
        record->has_time |= strcmp(key.text, "_time") == 0 && value.type == REAL;
        if (strcmp(key.text, "_replaces") == 0)
            memcpy(record->replaces, value.text, sizeof(record->replaces));
        else if (strcmp(key.text, "_within") == 0)
            snprintf(record->within, sizeof(record->within), "%" PRIu64, value.number);
        else if (strcmp(key.text, "cert") == 0)
            die("it has a certificate");
    }
    if (reader->at != reader->end || !record->has_time || !record->has_block)
        die("it is not whole, or goes on");
}

static size_t decode(const char *line, size_t size, unsigned char *into)
{
    uint32_t group = 0, bits = 0;
    size_t used = 0;
    for (size_t i = 0; i < size && line[i] != '='; i++) {
        const char *letter = strchr(letters, line[i]);
        if (!letter || !line[i])
            die("a letter that base64 has not");
        group = group << 6 | (uint32_t)(letter - letters);
        bits += 6;
        if (bits >= 8)
            into[used++] = (unsigned char)(group >> (bits -= 8));
    }
    return used;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    if (!file)
        die("give it a history");
    while ((size = getline(&line, &room, file)) > 0) {
        struct record record = {.replaces = "-", .within = "-"};
        size_t const length = strcspn(line, "\r\n");
        if (length == 0 || line[0] == '#')
            continue;
        unsigned char *data = malloc(length);
        struct reader reader = {data, data + decode(line, length, data)};
        parse_record(&reader, &record);
        if (record.hash[0])
            printf("%" PRIu64 " %s %s %s\n", record.height, record.hash, record.replaces,
                   record.within);
        else
            printf("%" PRIu64 " %" PRIu64 " %s %s\n", record.height, record.total, record.replaces,
                   record.within);
        free(data);
    }
    free(line);
    fclose(file);
    return 0;
}
