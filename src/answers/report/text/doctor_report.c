/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/doctor_report.h"

#include <ctype.h>
#include <string.h>

#include "base/json_out.h"
#include "base/utf8.h"

#define STATE_COLUMNS 8
#define NAME_COLUMNS  22
#define INDENT        (2 + STATE_COLUMNS + 1 + NAME_COLUMNS)

static const enum ink inks[CHECK_STATES] = {
    [CHECK_OK] = INK_PLAIN,
    [CHECK_LIMITED] = INK_WARN,
    [CHECK_MISSING] = INK_BAD,
    [CHECK_NOTE] = INK_DIM,
};

static void put_group(const struct text_style *style, FILE *out, const char *group)
{
    text_ink(style, out, INK_STRONG);
    if (strcmp(group, "works") == 0)
        fputs("What works here", out);
    else
        fprintf(out, "%c%s", toupper((unsigned char)group[0]), group + 1);
    text_ink(style, out, INK_PLAIN);
    putc('\n', out);
}

/* Wraps `text` at spaces under its own beginning, which is where the line is now. */
static void put_wrapped(const struct text_style *style, FILE *out, const char *text)
{
    size_t column = INDENT;
    while (*text) {
        size_t const size = strcspn(text, " "), columns = utf8_columns(text, size);
        bool const is_first = column == INDENT;
        if (!is_first && style->width && column + 1 + columns > style->width) {
            fprintf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (!is_first) {
            putc(' ', out);
            column++;
        }
        char word[256];
        snprintf(word, sizeof(word), "%.*s", (int)size, text);
        column += text_write(out, word, SIZE_MAX);
        text += size;
        text += strspn(text, " ");
    }
    putc('\n', out);
}

static void put_check(const struct text_style *style, FILE *out, const struct check *check)
{
    fputs("  ", out);
    text_ink(style, out, inks[check->state]);
    fprintf(out, "%-*s", STATE_COLUMNS, check_state_names[check->state]);
    text_ink(style, out, INK_PLAIN);
    fprintf(out, " %-*s", NAME_COLUMNS, check->name);
    put_wrapped(style, out, check->found);
    if (check->command[0]) {
        text_ink(style, out, INK_STRONG);
        fprintf(out, "%*s%s\n", INDENT + 2, "", check->command);
        text_ink(style, out, INK_PLAIN);
    }
}

void doctor_text_write(const struct doctor_page *page, const struct text_style *style, FILE *out)
{
    const char *group = "";
    text_write(out, page->heading, text_room(style, 0));
    putc('\n', out);
    for (size_t i = 0; i < page->checkup->count; i++) {
        const struct check *check = &page->checkup->checks[i];
        if (strcmp(group, check->group) != 0) {
            putc('\n', out);
            put_group(style, out, check->group);
        }
        group = check->group;
        put_check(style, out, check);
    }
}

int doctor_json_write(const struct doctor_page *page, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "version", page->version);
    json_text_field(&json, "system", page->heading);
    json_key(&json, "checks");
    json_array_begin(&json);
    for (size_t i = 0; i < page->checkup->count; i++) {
        const struct check *check = &page->checkup->checks[i];
        json_object_begin_inline(&json);
        json_text_field(&json, "group", check->group);
        json_text_field(&json, "name", check->name);
        json_text_field(&json, "state", check_state_names[check->state]);
        json_text_field(&json, "found", check->found);
        json_text_field(&json, "command", check->command[0] ? check->command : NULL);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}
