/* readelf_rows.h - what another program understands of the `.eh_frame` of a file. */
#pragma once

#include <stdint.h>

#define TOLD_REGISTERS 17 /* by their DWARF numbers; 16 is the return address */

/* One row of readelf's interpretation of .eh_frame; addresses are the file's. */
struct told_row {
    uint64_t start, end;
    char cfa[16];                  /* "rsp+8", "exp" */
    char saved[TOLD_REGISTERS][8]; /* "u", "c-16", "exp"; "" when it is not in the table */
};
typedef void (*told_row_fn)(void *context, const struct told_row *row);

/* Runs `readelf` on a file and hands on every row.  How many; -1 when there is no readelf. */
long readelf_rows(const char *path, told_row_fn told, void *context);
