/* explain_report.h - the answer of `memoir explain`: a waterfall from the resident size to its owners. */
#pragma once

#include "analyze/explain.h"
#include "report/text_style.h"

struct explain_report {
    struct recording *recording;
    const struct explanation *explanation;
    uint64_t top; /* rows of each kind */
    uint64_t now_unix_ns;
};

/* 0, -ENOMEM, or -EIO. */
int explain_text_write(const struct explain_report *report, const struct text_style *style,
                       FILE *out);
int explain_json_write(const struct explain_report *report, FILE *out);
int explain_csv_write(const struct explain_report *report, FILE *out);

/* A sentence. */
struct text_line;
void advice_render(struct recording *recording, const struct advice *advice,
                   struct text_line *line);
