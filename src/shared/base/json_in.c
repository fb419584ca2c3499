/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_in.h"

#include <string.h>

static bool fail(struct json_in *json)
{
    json->failed = true;
    json->text.size = 0;
    return false;
}

static void step(struct json_in *json, size_t count)
{
    json->text.data += count;
    json->text.size -= count;
}

/* The next letter that is no space; 0 at the end. */
static char peek(struct json_in *json)
{
    while (json->text.size > 0 && strchr(" \t\r\n", json->text.data[0]) && json->text.data[0])
        step(json, 1);
    return json->text.size > 0 ? json->text.data[0] : '\0';
}

static bool consume(struct json_in *json, char letter)
{
    if (json->failed || peek(json) != letter)
        return false;
    step(json, 1);
    return true;
}

static bool begin(struct json_in *json, char letter)
{
    if (json->depth == JSON_IN_DEPTH_MAX || !consume(json, letter))
        return fail(json);
    json->is_first[json->depth++] = true;
    return true;
}

/* Whether another one follows. */
static bool next(struct json_in *json, char end)
{
    if (json->failed || json->depth == 0)
        return fail(json);
    if (consume(json, end)) {
        json->depth--;
        return false;
    }
    bool *is_first = &json->is_first[json->depth - 1];
    if (!*is_first && !consume(json, ','))
        return fail(json);
    *is_first = false;
    return true;
}

bool json_in_object(struct json_in *json)
{
    return begin(json, '{');
}

bool json_in_array(struct json_in *json)
{
    return begin(json, '[');
}

bool json_in_item(struct json_in *json)
{
    return next(json, ']');
}

bool json_in_key(struct json_in *json, char *key, size_t size)
{
    if (!next(json, '}'))
        return false;
    return json_in_text(json, key, size) && (consume(json, ':') || fail(json));
}

static int digit(char letter)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = letter ? strchr(digits, letter) : NULL;
    return found ? (int)((found - digits) % 16) : -1;
}

/* \uXXXX; halves of pairs and NUL become U+FFFD. */
static bool parse_code(struct json_in *json, char out[4], size_t *size)
{
    unsigned code = 0;
    if (json->text.size < 4)
        return fail(json);
    for (int i = 0; i < 4; i++) {
        int const value = digit(json->text.data[i]);
        if (value < 0)
            return fail(json);
        code = code * 16 + (unsigned)value;
    }
    step(json, 4);
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    *size = 0;
    if (code < 0x80) {
        out[(*size)++] = (char)code;
    } else {
        if (code < 0x800) {
            out[(*size)++] = (char)(0xc0 | code >> 6);
        } else {
            out[(*size)++] = (char)(0xe0 | code >> 12);
            out[(*size)++] = (char)(0x80 | (code >> 6 & 0x3f));
        }
        out[(*size)++] = (char)(0x80 | (code & 0x3f));
    }
    return true;
}

/* What stands for one letter of a text. */
static bool parse_letter(struct json_in *json, char out[4], size_t *size)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char const letter = json->text.data[0];
    step(json, 1);
    out[0] = letter;
    *size = 1;
    if (letter == '\0' || (letter == '\\' && json->text.size == 0))
        return fail(json);
    if (letter != '\\')
        return true;
    char const name = json->text.data[0];
    const char *found = name ? strchr(names, name) : NULL;
    if (!found && name != 'u')
        return fail(json);
    step(json, 1);
    if (name == 'u')
        return parse_code(json, out, size);
    out[0] = meanings[found - names];
    return true;
}

bool json_in_text(struct json_in *json, char *text, size_t size)
{
    size_t used = 0;
    bool is_cut = false;
    if (!consume(json, '"'))
        return fail(json);
    while (json->text.size > 0 && json->text.data[0] != '"') {
        char letter[4];
        size_t length;
        if (!parse_letter(json, letter, &length))
            return false;
        is_cut |= used + length >= size;
        if (!is_cut) {
            memcpy(text + used, letter, length);
            used += length;
        }
    }
    if (json->text.size == 0)
        return fail(json);
    step(json, 1);
    if (size > 0)
        text[used] = '\0';
    return true;
}

bool json_in_uint(struct json_in *json, uint64_t *value)
{
    uint64_t sum = 0;
    size_t digits = 0;
    (void)peek(json);
    for (; digits < json->text.size && json->text.data[digits] >= '0' &&
           json->text.data[digits] <= '9';
         digits++) {
        if (sum > (UINT64_MAX - 9) / 10)
            return fail(json);
        sum = sum * 10 + (uint64_t)(json->text.data[digits] - '0');
    }
    if (json->failed || digits == 0 ||
        (digits < json->text.size && strchr(".eE", json->text.data[digits]) &&
         json->text.data[digits]))
        return fail(json);
    step(json, digits);
    *value = sum;
    return true;
}

static bool consume_word(struct json_in *json, const char *word)
{
    size_t const size = strlen(word);
    (void)peek(json);
    if (json->text.size < size || memcmp(json->text.data, word, size) != 0)
        return false;
    step(json, size);
    return true;
}

bool json_in_int(struct json_in *json, int64_t *value)
{
    uint64_t size;
    if (!json->failed && consume_word(json, "null")) {
        *value = -1;
        return true;
    }
    bool const is_negative = consume(json, '-');
    if (!json_in_uint(json, &size) || size > INT64_MAX)
        return fail(json);
    *value = is_negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* true, false, null or a number. */
static bool skip_plain(struct json_in *json)
{
    size_t size = 0;
    if (consume_word(json, "true") || consume_word(json, "false") || consume_word(json, "null"))
        return true;
    while (size < json->text.size && json->text.data[size] &&
           strchr("+-.0123456789eE", json->text.data[size]))
        size++;
    if (size == 0)
        return fail(json);
    step(json, size);
    return true;
}

bool json_in_skip(struct json_in *json)
{
    unsigned const outside = json->depth;
    bool is_object[JSON_IN_DEPTH_MAX] = {false};
    do {
        char const letter = json->failed ? '\0' : peek(json);
        if (letter == '{' || letter == '[') {
            is_object[json->depth < JSON_IN_DEPTH_MAX ? json->depth : 0] = letter == '{';
            if (!begin(json, letter))
                return false;
        } else if (!(letter == '"' ? json_in_text(json, NULL, 0) : skip_plain(json))) {
            return false;
        }
        while (json->depth > outside &&
               !(is_object[json->depth - 1] ? json_in_key(json, NULL, 0) : json_in_item(json)))
            if (json->failed)
                return false;
    } while (json->depth > outside);
    return !json->failed;
}

bool json_in_ended(struct json_in *json)
{
    return !json->failed && peek(json) == '\0' && json->text.size == 0;
}
