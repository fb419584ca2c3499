/* doctor_report.h - writes a checkup as text and as JSON. */
#pragma once

#include "doctor/checkup.h"
#include "report/text/text_style.h"

struct doctor_page {
    const struct checkup *checkup;
    const char *heading; /* one line */
    const char *version;
};

/* Writes the checks by group, in their order.  A command that helps is below the check that
 * failed. */
void doctor_text_write(const struct doctor_page *page, const struct text_style *style, FILE *out);
int doctor_json_write(const struct doctor_page *page, FILE *out); /* Returns 0 or -EIO. */
