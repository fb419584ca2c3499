/* SPDX-License-Identifier: Apache-2.0 */
/* The first byte says what the rest is: 'n' names of files, a line each; 'm' a manifest; 'f'
 * lines of fetches, 's' a line of sizes, 'b' a header of a block. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/ram/ram_files.h"
#include "cluster/runs/run_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void names(char *text)
{
    for (char *name = strtok(text, "\n"); name; name = strtok(NULL, "\n")) {
        struct run_name parsed, again;
        char made[512], stamp[RUN_STAMP_MAX];
        run_name_is_known(name);
        run_csv_nick(name);
        if (run_name_parse(name, &parsed))
            continue;
        snprintf(made, sizeof(made), "%s.%s.%s", parsed.nick,
                 run_stamp_text(parsed.stamp_us, 0, stamp), run_kind_suffix(parsed.kind));
        if (run_name_parse(made, &again) || strcmp(parsed.nick, again.nick) != 0 ||
            parsed.stamp_us != again.stamp_us || parsed.kind != again.kind)
            abort(); /* what is read is not what would be written */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = malloc(size);
    struct run *run = calloc(1, sizeof(*run));
    if (!text || !run)
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    struct slice const all = {text, size - 1};
    if (data[0] == 'n') {
        names(text);
    } else if (data[0] == 's') {
        struct size_line line;
        if (size_line_parse(all, &line) == 0 &&
            (line.stamp_us < 0 || (line.rss_bytes < 0 && line.rss_bytes != INT64_MIN)))
            abort();
    } else if (data[0] == 'b') {
        int64_t const height = blockinfo_height(all);
        if (height < 0 && height != INT64_MIN)
            abort();
    } else {
        for (const char *nick = "abc"; *nick; nick++)
            run_node_add(run, nick, 1);
        if (data[0] == 'm')
            run_parse_manifest(run, all);
        if (run_name_nodes(run, NULL))
            abort();
        run_sort_nodes(run);
        vec_push(&run->files, (struct run_file){.name = strdup("a.20260528_000000.heap"),
                                                .stamp_us = INT64_C(1779926400000000)});
        run_parse_fetches(run, all);
    }
    free(text);
    run_close(run);
    return 0;
}
