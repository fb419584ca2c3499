/* doctor_options.h - what the two halves of `memoir doctor` share: `memoir` checks the machine, and
 * `memoir-record` a process. */
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

/* Finds out by trying how page faults can be recorded. */
void doctor_read_pages(struct pages_facts *facts, const struct doctor_options *options);

/* Prints the answer.  Returns the exit status: 0, or 1 after a sentence. */
int doctor_answer(const struct doctor_page *page, const struct doctor_options *options);
