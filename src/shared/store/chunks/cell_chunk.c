/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chunks/cell_chunk.h"

#include <errno.h>

#include "base/invariant.h"

void cell_lists_free(struct cell_lists *lists)
{
    free(lists->cells);
    free(lists->thread_cells);
    free(lists->moments);
    *lists = (struct cell_lists){0};
}

static int put_list(struct chunk_draft *draft, struct cell *cells, size_t *count, enum section tag)
{
    if (*count == 0)
        return 0;
    struct cell *scratch = malloc(*count * sizeof(cells[0]));
    if (!scratch)
        return -ENOMEM;
    *count = cells_tidy(cells, *count, scratch);
    free(scratch);
    INVARIANT(cells_are_tidy(cells, *count));
    cells_put(&draft->section, cells, *count);
    draft_packed_section(draft, tag);
    return 0;
}

int cell_lists_put(struct chunk_draft *draft, struct cell_lists *lists)
{
    INVARIANT(draft->section.size == 0);
    int err = put_list(draft, lists->cells, &lists->cell_count, SECTION_CELLS);
    if (err < 0)
        return err;
    err = put_list(draft, lists->thread_cells, &lists->thread_cell_count, SECTION_THREAD_CELLS);
    if (err < 0 || lists->moment_count == 0)
        return err;
    moments_order(lists->moments, lists->moment_count);
    moments_put(&draft->section, lists->moments, lists->moment_count);
    draft_packed_section(draft, SECTION_MOMENTS);
    return 0;
}

static int parse_section(uint8_t tag, struct byte_reader *body, struct cell_lists *lists)
{
    if (tag == SECTION_CELLS && !lists->cells)
        return cells_parse(body, &lists->cells, &lists->cell_count);
    if (tag == SECTION_THREAD_CELLS && !lists->thread_cells)
        return cells_parse(body, &lists->thread_cells, &lists->thread_cell_count);
    if (tag == SECTION_MOMENTS && !lists->moments)
        return moments_parse(body, &lists->moments, &lists->moment_count);
    return 0;
}

int cell_lists_parse(struct chunk_packer *packer, const struct found_chunk *found,
                     struct cell_lists *lists)
{
    struct byte_reader parts, body;
    uint8_t tag;
    *lists = (struct cell_lists){0};
    int err = chunk_unpack(packer, &found->header, found->payload, &parts);
    while (err == 0 && section_next(&parts, &tag, &body))
        err = parse_section(tag, &body, lists);
    if (err == 0 && parts.failed)
        err = -EINVAL;
    if (err < 0)
        cell_lists_free(lists);
    return err;
}

int cell_columns_parse(struct chunk_packer *packer, const struct found_chunk *found,
                       const bool *wanted, struct bucket_cells *into)
{
    struct byte_reader parts, body;
    uint8_t tag;
    into->cells.count = into->thread_cells.count = 0;
    int err = chunk_unpack(packer, &found->header, found->payload, &parts);
    while (err == 0 && section_next(&parts, &tag, &body)) {
        if (tag == SECTION_CELLS && into->cells.count == 0)
            err = cells_parse_columns(&body, wanted, &into->cells);
        else if (tag == SECTION_THREAD_CELLS && into->thread_cells.count == 0)
            err = cells_parse_columns(&body, wanted, &into->thread_cells);
    }
    return err == 0 && parts.failed ? -EINVAL : err;
}
