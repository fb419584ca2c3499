/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "report/json/json_report.h"
#include "report/rows/snapshots_report.h"

static const char *const line_kinds[] = {
    [TREE_LINE_ROOT] = "all",
    [TREE_LINE_PLACE] = "place",
    [TREE_LINE_SMALL] = "small",
    [TREE_LINE_END] = "end",
};

static void write_line(struct json_out *json, const struct recording *recording,
                       const struct tree_line *line)
{
    json_object_begin_inline(json);
    json_text_field(json, "kind", line_kinds[line->kind]);
    json_uint_field(json, "depth", line->depth);
    json_int_field(json, "bytes", line->bytes);
    json_uint_field(json, "children", line->children);
    if (line->kind == TREE_LINE_SMALL)
        json_uint_field(json, "places", line->places);
    if (line->kind == TREE_LINE_PLACE) {
        struct shown_frame const frame = {line->function, line->module, line->file, line->line,
                                          false};
        json_key(json, "frame");
        json_frame_write(json, recording, &frame);
    }
    json_object_end(json);
}

static int write_sites(struct json_out *json, const struct snapshots_page *page,
                       const struct snapshot *snapshot)
{
    struct snapshot_tree tree;
    if (snapshots_page_tree(page, snapshot, &tree) < 0)
        return -ENOMEM;
    json_key(json, "sites");
    json_array_begin(json);
    vec_each (line, &tree.lines)
        write_line(json, page->recording, line);
    json_array_end(json);
    snapshot_tree_fini(&tree);
    return 0;
}

static int write_snapshot(struct json_out *json, const struct snapshots_page *page, size_t number)
{
    const struct snapshots *snapshots = page->snapshots;
    const struct snapshot *snapshot = &snapshots->items.items[number];
    json_object_begin(json);
    json_uint_field(json, "snapshot", number);
    json_uint_field(json, "time_ns", snapshot->time_ns);
    json_int_field(json, "total_bytes", snapshot_total(snapshot));
    json_int_field(json, "useful_bytes", snapshot->bytes);
    json_int_field_if(json, "extra_bytes", snapshots->has_slack, snapshot_extra(snapshot));
    json_int_field_if(json, "stacks_bytes", page->with_stacks && snapshots->has_stacks,
                      snapshot->stacks_bytes);
    json_int_field(json, "blocks", snapshot->blocks);
    json_int_field_if(json, "most_bytes", snapshot->most_bytes >= 0, snapshot->most_bytes);
    json_text_field(json, "tree", snapshots_tree_word(snapshots, number));
    int const err = snapshot->is_detailed ? write_sites(json, page, snapshot) : 0;
    json_object_end(json);
    return err;
}

int snapshots_json_write(const struct snapshots_page *page, FILE *out)
{
    const struct snapshots *snapshots = page->snapshots;
    struct json_out json;
    int err = 0;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_recording_write(&json, page->recording);
    json_text_field(&json, "metric", snapshots->metric->name);
    json_real_field(&json, "threshold", page->share);
    json_uint_field(&json, "peak", snapshots->peak);
    json_bool_field(&json, "peak_is_exact", snapshots->is_peak_exact);
    json_uint_field(&json, "instants", snapshots->instants);
    json_uint_field(&json, "header_bytes_each", snapshots->header_bytes_each);
    json_key(&json, "snapshots");
    json_array_begin(&json);
    for (size_t i = 0; i < snapshots->items.count && !err; i++)
        err = write_snapshot(&json, page, i);
    json_array_end(&json);
    json_object_end(&json);
    int const finished = json_finish(&json);
    return err ? err : finished;
}

void snapshots_csv_write(const struct snapshots_page *page, FILE *out)
{
    const struct snapshots *snapshots = page->snapshots;
    bool const with_stacks = page->with_stacks && snapshots->has_stacks;
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "snapshot,time_ns,total_bytes,useful_bytes,extra_bytes,stacks_bytes,blocks,"
                   "most_bytes,tree");
    for (size_t i = 0; i < snapshots->items.count; i++) {
        const struct snapshot *snapshot = &snapshots->items.items[i];
        csv_uint(&csv, i);
        csv_uint(&csv, snapshot->time_ns);
        csv_int(&csv, snapshot_total(snapshot));
        csv_int(&csv, snapshot->bytes);
        csv_int_if(&csv, snapshots->has_slack, snapshot_extra(snapshot));
        csv_int_if(&csv, with_stacks, snapshot->stacks_bytes);
        csv_int(&csv, snapshot->blocks);
        csv_int_if(&csv, snapshot->most_bytes >= 0, snapshot->most_bytes);
        csv_text(&csv, snapshots_tree_word(snapshots, i));
        csv_end_row(&csv);
    }
}
