/* SPDX-License-Identifier: Apache-2.0 */
#include "process_map/walk_region.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "procfs/memory/pagemap.h"

#define SCAN_MOST ((uint64_t)32 << 40) /* some hundred thousand calls of the kernel */
#define READ_MOST ((uint64_t)64 << 30) /* without PAGEMAP_SCAN, 8 bytes per page */

struct walk_filling {
    uint64_t start;
    struct region_cells *cells;
};

uint64_t region_cell_bytes(uint64_t size, uint64_t page, size_t most)
{
    uint64_t const pages = (size + page - 1) / page;
    uint64_t const each = (pages + most - 1) / most;
    return (each ? each : 1) * page;
}

/* A run of pages may reach over many cells. */
static void fill(void *context, const struct page_run *run)
{
    struct walk_filling *filling = context;
    struct region_cells *cells = filling->cells;
    uint64_t const cell_bytes = cells->cell_bytes;
    for (uint64_t at = run->start; at < run->end;) {
        uint64_t const place =
            at < filling->start ? UINT64_MAX : (at - filling->start) / cell_bytes;
        if (place >= cells->items.count)
            return; /* the kernel told more than it was asked for */
        uint64_t const end = filling->start + (place + 1) * cell_bytes;
        uint64_t const bytes = (end < run->end ? end : run->end) - at;
        struct region_cell *cell = &cells->items.items[place];
        cell->resident += run->state & PAGE_PRESENT ? bytes : 0;
        cell->swapped += run->state & PAGE_SWAPPED ? bytes : 0;
        cell->of_file += run->state & PAGE_PRESENT && run->state & PAGE_OF_FILE ? bytes : 0;
        at += bytes;
    }
}

static int make_room(uint64_t size, size_t most, struct region_cells *cells)
{
    cells->cell_bytes = region_cell_bytes(size, (uint64_t)sysconf(_SC_PAGESIZE), most);
    size_t const count = (size_t)((size + cells->cell_bytes - 1) / cells->cell_bytes);
    if (!vec_reserve(&cells->items, count))
        return -ENOMEM;
    memset(cells->items.items, 0, count * sizeof(struct region_cell));
    cells->items.count = count;
    return 0;
}

int walk_region(uint32_t pid, uint64_t start, uint64_t end, size_t most, struct region_cells *cells,
                struct fault *fault)
{
    struct pagemap pagemap;
    char size[HUMAN_MAX];
    *cells = (struct region_cells){.cell_bytes = 0};
    int err = pagemap_open(&pagemap, pid, true);
    if (err < 0)
        return fault_set(fault, err, "memoir may not read the page tables of process %u", pid);
    pagemap.tells_files = true;
    if (end - start > (pagemap.scans ? SCAN_MOST : READ_MOST)) {
        err = fault_set(fault, -E2BIG, "a mapping of %s is too large to be shown page by page",
                        human_bytes((int64_t)(end - start), size));
    } else {
        struct walk_filling filling = {start, cells};
        err = make_room(end - start, most, cells);
        if (err == 0)
            err = pagemap_walk(&pagemap, start, end, fill, &filling);
        if (err < 0)
            fault_set(fault, err, "the pages of process %u could not be walked", pid);
    }
    pagemap_close(&pagemap);
    if (err < 0)
        region_cells_fini(cells);
    return err;
}

void region_cells_fini(struct region_cells *cells)
{
    vec_free(&cells->items);
}
