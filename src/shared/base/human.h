/* human.h - numbers as people read and type them.
 *
 * Rendering writes into the caller's buffer of HUMAN_MAX bytes and returns it, so calls nest in a
 * printf with one buffer each.  Sizes are binary (1 KiB = 1024 B), times decimal. */
#pragma once

#include <stdint.h>

#define HUMAN_MAX 40

const char *human_bytes(int64_t bytes, char out[HUMAN_MAX]); /* "0 B" "1.50 KiB" "-12.3 MiB" */
const char *human_count(int64_t count, char out[HUMAN_MAX]); /* "1,234,567" */
const char *human_count_short(int64_t count,
                              char out[HUMAN_MAX]); /* "950" "12.3k" "4.56M" "1.20G" */
const char *human_duration(uint64_t ns,
                           char out[HUMAN_MAX]); /* "850 ns" "1.24 s" "3 min 05 s" "2 d 4 h" */
/* "12.3 %"; "<0.1 %" for what is there but rounds to nothing, "-" when the whole is 0. */
const char *human_share(int64_t part, int64_t whole, char out[HUMAN_MAX]);
/* In the unit of a metric: "bytes", "ns", or anything counted. */
const char *human_value(int64_t value, const char *unit, char out[HUMAN_MAX]);

/* "SIGKILL" "SIGRTMIN+3" "signal 33" */
const char *human_signal(int signal, char out[HUMAN_MAX]);

/* "4096", "64K", "256M", "1.5G", "2T", also "256MiB" and "256MB"; all powers of 1024.
 * 0, -EINVAL for anything else, -ERANGE when it does not fit; *bytes is then untouched. */
int human_parse_bytes(const char *text, uint64_t *bytes);

/* "90" (seconds), "10s", "1.5s", "250ms", "1h30m", "2d": parts from larger to smaller units of
 * d h m (min) s ms us ns.  Failure as above. */
int human_parse_duration(const char *text, uint64_t *ns);

/* A whole number, nothing around it.  Failure as above. */
int human_parse_count(const char *text, uint64_t *count);
/* "1%" or "0.5 %" as 0.01 and 0.005.  Failure as above. */
int human_parse_share(const char *text, double *share);
