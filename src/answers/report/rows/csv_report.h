/* csv_report.h - the rows of a report as CSV (RFC 4180, with a header line, "\n" at line ends):
 * value,count,share,total_value,total_count,function,module,file,line,thread,stack
 * `stack` is outermost first with ';' between functions, as in folded files. */
#pragma once

#include "report/rows/report.h"

/* 0 or -ENOMEM.  Write errors stay in `out` for its owner to find. */
int csv_report_write(const struct report *report, FILE *out);
