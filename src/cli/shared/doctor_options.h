/* doctor_options.h - what `memoir doctor` shares between looking at the machine, in `memoir`,
 * and at a process, in `memoir-record`. */
#pragma once

#include <stdbool.h>

#include "cli/shared/options.h"
#include "doctor/pages_checkup.h"
#include "report/text/doctor_report.h"

struct doctor_options {
    bool json, no_color;
    const char *folder;
    const char *agent; /* its socket; NULL: the usual one */
};

extern const struct option_rule doctor_rules[];                 /* into a struct doctor_options */
struct command_help doctor_help(const struct option_set *sets); /* one set */

/* How page faults can be seen, by trying. */
void doctor_read_pages(struct pages_facts *facts, const struct doctor_options *options);

/* Writes the answer to standard output.  The exit status: 0, or 1 after a sentence. */
int doctor_answer(const struct doctor_page *page, const struct doctor_options *options);
