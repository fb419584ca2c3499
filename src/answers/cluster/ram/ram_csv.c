/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/csv_out.h"
#include "cluster/ram/ram_report.h"

#define SECOND_US 1000000

static void put_heading(struct csv_out *csv, const struct ram *ram)
{
    csv_format(csv, "when,dt,round");
    for (size_t node = 0; node < ram->nodes.count; node++)
        vec_each (column, &ram->columns) {
            char name[600];
            snprintf(name, sizeof(name), "%s#%s", ram_node_label(ram, node), *column);
            csv_text(csv, name);
        }
    csv_end_row(csv);
}

static void put_since(struct csv_out *csv, int64_t since_us)
{
    if (since_us % SECOND_US)
        csv_format(csv, "%" PRId64 ".%06d", since_us / SECOND_US, (int)(since_us % SECOND_US));
    else
        csv_int(csv, since_us / SECOND_US);
}

static void put_number(struct csv_out *csv, int64_t value)
{
    csv_int_if(csv, value != RAM_NONE, value);
}

void ram_csv_write(const struct ram *ram, FILE *out)
{
    char stamp[RUN_STAMP_MAX];
    struct csv_out csv;
    csv_init(&csv, out);
    put_heading(&csv, ram);
    for (size_t row = 0; row < ram->stamps.count; row++) {
        csv_text(&csv, run_stamp_text(ram->stamps.items[row], 0, stamp));
        put_since(&csv, ram->stamps.items[row] - ram->stamps.items[0]);
        put_number(&csv, ram_round_of_all(ram, row));
        for (size_t node = 0; node < ram->nodes.count; node++)
            for (size_t column = 0; column < ram->columns.count; column++)
                put_number(&csv, ram_value(ram, node, column, row));
        csv_end_row(&csv);
    }
}
