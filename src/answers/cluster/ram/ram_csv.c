/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cluster/ram/ram_report.h"
#include "report/rows/csv_field.h"

#define SECOND_US 1000000

static void put_number(FILE *out, int64_t value)
{
    if (value == RAM_NONE)
        putc(',', out);
    else
        fprintf(out, ",%" PRId64, value);
}

static void put_heading(const struct ram *ram, FILE *out)
{
    fputs("when,dt,round", out);
    for (size_t node = 0; node < ram->nodes.count; node++)
        vec_each (column, &ram->columns) {
            char name[600];
            snprintf(name, sizeof(name), "%s#%s", ram_node_label(ram, node), *column);
            putc(',', out);
            csv_field_write(out, name);
        }
    putc('\n', out);
}

void ram_csv_write(const struct ram *ram, FILE *out)
{
    char stamp[RUN_STAMP_MAX];
    put_heading(ram, out);
    for (size_t row = 0; row < ram->stamps.count; row++) {
        int64_t const since = ram->stamps.items[row] - ram->stamps.items[0];
        fprintf(out, "%s,%" PRId64, run_stamp_text(ram->stamps.items[row], 0, stamp),
                since / SECOND_US);
        if (since % SECOND_US)
            fprintf(out, ".%06d", (int)(since % SECOND_US));
        put_number(out, ram_round_of_all(ram, row));
        for (size_t node = 0; node < ram->nodes.count; node++)
            for (size_t column = 0; column < ram->columns.count; column++)
                put_number(out, ram_value(ram, node, column, row));
        putc('\n', out);
    }
}
