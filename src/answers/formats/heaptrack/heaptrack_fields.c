/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_fields.h"

#define N  HEAPTRACK_NO_DIGIT
#define N8 N, N, N, N, N, N, N, N

const uint8_t heaptrack_digits[256] = {
    N8, N8, N8, N8, N8, N8,                                         /* up to '/' */
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  N,  N,  N,  N,  N,  N,  /* '0' */
    N8, N8, N8, N8,                                                 /* capital letters are none */
    N,  10, 11, 12, 13, 14, 15, N,  N8, N8, N8,                     /* 'a' */
    N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, N8, /* past ASCII */
};

static void skip_blank(struct heaptrack_fields *fields)
{
    fields->at += fields->at < fields->end && *fields->at == ' ';
}

bool heaptrack_parse_number(struct heaptrack_fields *fields, uint64_t *value)
{
    skip_blank(fields);
    return heaptrack_number(&fields->at, value) &&
           (fields->at == fields->end || *fields->at == ' ');
}

bool heaptrack_parse_number32(struct heaptrack_fields *fields, uint32_t *value)
{
    uint64_t wide;
    if (!heaptrack_parse_number(fields, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool heaptrack_parse_sized(struct heaptrack_fields *fields, struct slice *text)
{
    uint64_t size;
    if (!heaptrack_parse_number(fields, &size))
        return false;
    skip_blank(fields);
    if (size > (size_t)(fields->end - fields->at))
        return false;
    *text = (struct slice){fields->at, (size_t)size};
    fields->at += size;
    return true;
}

bool heaptrack_parse_word(struct heaptrack_fields *fields, struct slice *text)
{
    skip_blank(fields);
    const char *from = fields->at;
    while (fields->at < fields->end && *fields->at != ' ')
        fields->at++;
    *text = (struct slice){from, (size_t)(fields->at - from)};
    return text->size > 0;
}

struct slice heaptrack_parse_rest(struct heaptrack_fields *fields)
{
    skip_blank(fields);
    struct slice rest = {fields->at, (size_t)(fields->end - fields->at)};
    fields->at = fields->end;
    return rest;
}
