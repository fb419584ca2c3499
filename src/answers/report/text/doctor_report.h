/* doctor_report.h - a checkup for a person, and as JSON. */
#pragma once

#include "doctor/checkup.h"
#include "report/text/text_style.h"

struct doctor_page {
    const struct checkup *checkup;
    const char *heading; /* one line */
    const char *version;
};

/* Group by group, in the order of the checks; a command stands under what it mends. */
void doctor_text_write(const struct doctor_page *page, const struct text_style *style, FILE *out);
int doctor_json_write(const struct doctor_page *page, FILE *out); /* Returns 0 or -EIO. */
