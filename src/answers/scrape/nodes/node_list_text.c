/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/node_list_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "base/utf8.h"
#include "report/text/text_style.h"
#include "scrape/watch/node_watch.h"

enum {
    COLUMN_NAME,
    COLUMN_NICK,
    COLUMN_ROLE,
    COLUMN_CLASS,
    COLUMN_ADDRESS,
    COLUMN_TOKEN,
    COLUMN_PID,
    COLUMN_ASKED,
    COLUMNS
};
static const char *const titles[COLUMNS] = {"name",    "nick",  "role", "class",
                                            "address", "token", "pid",  "asked for"};

/* One node, as texts. */
struct row {
    const char *cells[COLUMNS];
    char asked[128], pid[24];
};

static void add_word(char *text, size_t size, const char *word)
{
    size_t const used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

static bool gives(const struct node *node, unsigned capture, uint32_t captures)
{
    captures = node->captures ? node->captures : captures;
    if (!(captures & 1u << capture))
        return false;
    return 1u << capture == CAPTURE_RSS ? node->has_process
                                        : node_gives(node, (enum run_kind)capture);
}

/* "heap metrics", and what memoir itself records: "memoir:cpu". */
static void fill_asked(const struct node *node, uint32_t captures, char *asked, size_t size)
{
    asked[0] = '\0';
    for (unsigned i = 0; node_capture_name(i); i++)
        if (gives(node, i, captures))
            add_word(asked, size, node_capture_name(i));
    for (unsigned i = 0; node_recording_name(i); i++)
        if (node->recordings & 1u << i) {
            char word[32];
            snprintf(word, sizeof(word), "memoir:%s", node_recording_name(i));
            add_word(asked, size, word);
        }
}

static const char *address_of(const struct node *node)
{
    if (node->base_url)
        return node->base_url;
    return node->metrics_url ? node->metrics_url : node->pprof_url ? node->pprof_url : "";
}

static void fill_row(const struct node *node, uint32_t captures, struct row *row)
{
    struct fault why;
    uint32_t const pid = node->has_process ? node_pid(node, &why) : 0;
    fill_asked(node, captures, row->asked, sizeof(row->asked));
    row->pid[0] = '\0';
    if (pid)
        snprintf(row->pid, sizeof(row->pid), "%u", pid);
    else if (node->has_process)
        snprintf(row->pid, sizeof(row->pid), "gone");
    row->cells[COLUMN_NAME] = node->name;
    row->cells[COLUMN_NICK] = node->nick;
    row->cells[COLUMN_ROLE] = node->role;
    row->cells[COLUMN_CLASS] = node->class->name;
    row->cells[COLUMN_ADDRESS] = address_of(node);
    row->cells[COLUMN_ASKED] = row->asked;
    row->cells[COLUMN_PID] = row->pid;
    row->cells[COLUMN_TOKEN] = node->token || node->admin_token ? "yes" : "";
}

static void write_cell(FILE *out, const char *text, size_t width, bool is_last)
{
    size_t const columns = text_write(out, text, SIZE_MAX);
    if (!is_last)
        fprintf(out, "%*s", (int)(width > columns ? width - columns : 0) + 2, "");
}

/* Columns in which nobody has anything are left out. */
static void write_row(FILE *out, const char *const *cells, const size_t *widths)
{
    size_t last = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (widths[i] && cells[i][0])
            last = i;
    for (size_t i = 0; i <= last; i++)
        if (widths[i])
            write_cell(out, cells[i], widths[i], i == last);
    fputc('\n', out);
}

static void write_table(const struct node_list *list, const struct row *rows, FILE *out)
{
    size_t widths[COLUMNS] = {0};
    size_t const count = list->nodes.count;
    for (size_t i = 0; i < COLUMNS; i++) {
        for (size_t k = 0; k < count; k++) {
            size_t const columns = utf8_columns(rows[k].cells[i], strlen(rows[k].cells[i]));
            widths[i] = columns > widths[i] ? columns : widths[i];
        }
        if (widths[i] && widths[i] < strlen(titles[i]))
            widths[i] = strlen(titles[i]);
    }
    if (count)
        write_row(out, titles, widths);
    for (size_t k = 0; k < count; k++)
        write_row(out, rows[k].cells, widths);
    fprintf(out, "%s%zu node%s\n", count ? "\n" : "", count, count == 1 ? "" : "s");
    vec_each (doubt, &list->doubts)
        fprintf(out, "note: %s\n", *doubt);
}

static void write_csv(const struct node_list *list, const struct row *rows, FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "name,nick,role,class,address,token,pid,asked_for");
    for (size_t k = 0; k < list->nodes.count; k++) {
        for (size_t i = 0; i < COLUMNS; i++) {
            bool const is_gone = i == COLUMN_PID && strcmp(rows[k].pid, "gone") == 0;
            csv_text(&csv, is_gone ? "" : rows[k].cells[i]);
        }
        csv_end_row(&csv);
    }
}

static void write_json_node(struct json_out *json, const struct node *node, uint32_t captures,
                            const struct row *row)
{
    json_object_begin(json);
    json_text_field(json, "name", node->name);
    json_text_field(json, "nick", node->nick);
    json_text_field(json, "role", node->role);
    json_text_field(json, "class", node->class->name);
    json_text_field(json, "address", address_of(node)[0] ? address_of(node) : NULL);
    json_text_field(json, "metrics_url", node->metrics_url);
    json_text_field(json, "pprof_url", node->pprof_url);
    json_bool_field(json, "token", node->token || node->admin_token);
    json_bool_field(json, "local", node->has_process);
    json_uint_field_if(json, "pid", row->pid[0] >= '0' && row->pid[0] <= '9',
                       strtoull(row->pid, NULL, 10));
    json_key(json, "captures");
    json_array_begin_inline(json);
    for (unsigned i = 0; node_capture_name(i); i++)
        if (gives(node, i, captures))
            json_text(json, node_capture_name(i));
    json_array_end(json);
    json_key(json, "recordings");
    json_array_begin_inline(json);
    for (unsigned i = 0; node_recording_name(i); i++)
        if (node->recordings & 1u << i)
            json_text(json, node_recording_name(i));
    json_array_end(json);
    json_object_end(json);
}

static int write_json(const struct node_list *list, uint32_t captures, const struct row *rows,
                      FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_array_begin(&json);
    for (size_t i = 0; i < list->nodes.count; i++)
        write_json_node(&json, list->nodes.items[i], captures, &rows[i]);
    json_array_end(&json);
    return json_finish(&json);
}

int node_list_write(const struct node_list *list, uint32_t captures, enum node_list_form form,
                    FILE *out)
{
    size_t const count = list->nodes.count;
    struct row *rows = calloc(count ? count : 1, sizeof(*rows));
    int err = 0;
    if (!rows)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        fill_row(list->nodes.items[i], captures, &rows[i]);
    if (form == NODE_LIST_JSON)
        err = write_json(list, captures, rows, out);
    else if (form == NODE_LIST_CSV)
        write_csv(list, rows, out);
    else
        write_table(list, rows, out);
    free(rows);
    return err ? err : ferror(out) ? -EIO : 0;
}
