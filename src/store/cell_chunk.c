/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cell_chunk.h"

#include <errno.h>

void cell_pair_free(struct cell_pair *pair)
{
    free(pair->cells);
    free(pair->thread_cells);
    *pair = (struct cell_pair){0};
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
    cells_put(&draft->section, cells, *count);
    draft_packed_section(draft, tag);
    return 0;
}

int cell_pair_put(struct chunk_draft *draft, struct cell_pair *pair)
{
    int err = put_list(draft, pair->cells, &pair->cell_count, SECTION_CELLS);
    if (err < 0)
        return err;
    return put_list(draft, pair->thread_cells, &pair->thread_cell_count, SECTION_THREAD_CELLS);
}

static int take_section(uint8_t tag, struct byte_reader *body, struct cell_pair *pair)
{
    if (tag == SECTION_CELLS && !pair->cells)
        return cells_take(body, &pair->cells, &pair->cell_count);
    if (tag == SECTION_THREAD_CELLS && !pair->thread_cells)
        return cells_take(body, &pair->thread_cells, &pair->thread_cell_count);
    return 0;
}

int cell_pair_take(struct chunk_packer *packer, const struct found_chunk *found,
                   struct cell_pair *pair)
{
    struct byte_reader parts, body;
    uint8_t tag;
    *pair = (struct cell_pair){0};
    int err = chunk_unpack(packer, &found->header, found->payload, &parts);
    while (err == 0 && section_next(&parts, &tag, &body))
        err = take_section(tag, &body, pair);
    if (err == 0 && parts.failed)
        err = -EINVAL;
    if (err < 0)
        cell_pair_free(pair);
    return err;
}
