/* SPDX-License-Identifier: Apache-2.0 */
#include "xml_check.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define DEPTH_MAX 64
#define NAMES_MAX 32

struct name {
    const char *text;
    size_t size;
};

struct reader {
    const char *start, *at, *end;
    const char *fault;
    struct name open[DEPTH_MAX];
    size_t depth;
    bool has_root;
};

static bool fail(struct reader *reader, const char *fault)
{
    if (!reader->fault)
        reader->fault = fault;
    return false;
}

static bool starts(const struct reader *reader, const char *text)
{
    size_t const size = strlen(text);
    return (size_t)(reader->end - reader->at) >= size && memcmp(reader->at, text, size) == 0;
}

static bool skip_past(struct reader *reader, const char *text)
{
    char *found = memmem(reader->at, (size_t)(reader->end - reader->at), text, strlen(text));
    if (!found)
        return fail(reader, "something that begins never ends");
    reader->at = found + strlen(text);
    return true;
}

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && isspace((unsigned char)*reader->at))
        reader->at++;
}

static struct name parse_name(struct reader *reader)
{
    struct name name = {reader->at, 0};
    while (reader->at < reader->end &&
           (isalnum((unsigned char)*reader->at) || strchr("-_:.", *reader->at)))
        reader->at++;
    name.size = (size_t)(reader->at - name.text);
    return name;
}

static bool same(struct name a, struct name b)
{
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

static bool parse_entity(struct reader *reader)
{
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#39;"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (starts(reader, known[i])) {
            reader->at += strlen(known[i]);
            return true;
        }
    }
    return fail(reader, "a bare &");
}

static bool parse_attribute(struct reader *reader, struct name *names, size_t *count)
{
    struct name const name = parse_name(reader);
    if (name.size == 0 || !starts(reader, "=\""))
        return fail(reader, "an attribute without name or quotes");
    for (size_t i = 0; i < *count; i++)
        if (same(names[i], name))
            return fail(reader, "an attribute twice");
    if (*count == NAMES_MAX)
        return fail(reader, "too many attributes");
    names[(*count)++] = name;
    reader->at += 2;
    while (reader->at < reader->end && *reader->at != '"') {
        if (*reader->at == '<')
            return fail(reader, "< in an attribute");
        if (*reader->at == '&' ? !parse_entity(reader) : (reader->at++, false))
            return false;
    }
    if (reader->at == reader->end)
        return fail(reader, "an attribute without end");
    reader->at++;
    return true;
}

static bool parse_element(struct reader *reader)
{
    struct name names[NAMES_MAX];
    size_t count = 0;
    reader->at++;
    struct name const name = parse_name(reader);
    if (name.size == 0)
        return fail(reader, "a < that begins no element");
    if (reader->depth == 0 && reader->has_root)
        return fail(reader, "a second root");
    reader->has_root = true;
    for (;;) {
        const char *before = reader->at;
        skip_space(reader);
        if (starts(reader, "/>")) {
            reader->at += 2;
            return true;
        }
        if (starts(reader, ">"))
            break;
        if (before == reader->at || !parse_attribute(reader, names, &count))
            return fail(reader, "attributes run together");
    }
    reader->at++;
    if (reader->depth == DEPTH_MAX)
        return fail(reader, "too deep");
    reader->open[reader->depth++] = name;
    return true;
}

static bool parse_end(struct reader *reader)
{
    reader->at += 2;
    struct name const name = parse_name(reader);
    skip_space(reader);
    if (reader->depth == 0 || !same(reader->open[reader->depth - 1], name) || !starts(reader, ">"))
        return fail(reader, "an end tag that ends nothing");
    reader->depth--;
    reader->at++;
    return true;
}

static bool parse_piece(struct reader *reader)
{
    if (starts(reader, "<?"))
        return skip_past(reader, "?>");
    if (starts(reader, "<![CDATA["))
        return reader->depth ? skip_past(reader, "]]>") : fail(reader, "CDATA outside");
    if (starts(reader, "</"))
        return parse_end(reader);
    if (starts(reader, "<"))
        return parse_element(reader);
    if (starts(reader, "&"))
        return parse_entity(reader);
    if (starts(reader, "]]>"))
        return fail(reader, "]]> in text");
    if (reader->depth == 0 && !isspace((unsigned char)*reader->at))
        return fail(reader, "text outside the root");
    reader->at++;
    return true;
}

static const char *bad_character(const char *data, size_t size, size_t *offset)
{
    for (size_t i = 0; i < size;) {
        size_t const length = utf8_length(data + i, size - i);
        unsigned char const c = (unsigned char)data[i];
        bool const is_control = c < 0x20 && c != '\n' && c != '\t' && c != '\r';
        bool const is_nothing = length == 3 && c == 0xef && (unsigned char)data[i + 1] == 0xbf &&
                                (unsigned char)data[i + 2] >= 0xbe;
        *offset = i;
        if (length == 0)
            return "not UTF-8";
        if (is_control || is_nothing)
            return "a character XML does not allow";
        i += length;
    }
    return NULL;
}

const char *xml_fault(const char *data, size_t size, size_t *offset)
{
    const char *fault = bad_character(data, size, offset);
    if (fault)
        return fault;
    struct reader reader = {.start = data, .at = data, .end = data + size};
    while (reader.at < reader.end && parse_piece(&reader))
        continue;
    *offset = (size_t)(reader.at - data);
    if (!reader.fault && (reader.depth || !reader.has_root))
        reader.fault = "elements are left open";
    return reader.fault;
}
