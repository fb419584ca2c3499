/* csv_report.h - writes the rows of a report as CSV (RFC 4180, with a header line, "\n" at line
 * ends):
 *  value,count,share,total_value,total_count,function,module,file,line,thread,stack
 *
 * `stack` begins with the outermost function and has ';' between functions, as in folded files. */
#pragma once

#include "base/csv_out.h"
#include "report/rows/report.h"

/* Returns 0 or -ENOMEM.  Write errors stay in `out`, which the caller must check. */
int csv_report_write(const struct report *report, FILE *out);

/* Inside `report`: writes the cells function,module,file,line. */
struct csv_place {
    string_id function, module, file;
    uint32_t line;
};
void csv_place_write(struct csv_out *csv, const struct recording *recording,
                     const struct csv_place *place);
/* Writes the cell of a thread: "123 name"; empty if the recording does not have the thread. */
void csv_thread_write(struct csv_out *csv, const struct recording *recording, uint32_t thread);
