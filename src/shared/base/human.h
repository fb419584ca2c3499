/* human.h - numbers as people read and type them.
 *
 * Functions that render write into the caller's buffer of HUMAN_MAX bytes and return that buffer,
 * so several calls fit into one printf with one buffer each.  Sizes are binary (1 KiB = 1024 B),
 * times are decimal. */
#pragma once

#include <stdint.h>

#define HUMAN_MAX 40

/* "0 B" "1.50 KiB" "-12.3 MiB" */
const char *human_bytes(int64_t bytes, char out[HUMAN_MAX]);
/* "1,234,567" */
const char *human_count(int64_t count, char out[HUMAN_MAX]);
/* "950" "12.3k" "4.56M" "1.20G" */
const char *human_count_short(int64_t count, char out[HUMAN_MAX]);
/* "850 ns" "1.24 s" "3 min 05 s" "2 d 4 h" */
const char *human_duration(uint64_t ns, char out[HUMAN_MAX]);
/* "12.3 %"; "<0.1 %" for a part above 0 that would round to 0; "-" if `whole` is 0. */
const char *human_share(int64_t part, int64_t whole, char out[HUMAN_MAX]);
/* Renders a value in the unit of a metric: "bytes", "ns", or any other unit as a count. */
const char *human_value(int64_t value, const char *unit, char out[HUMAN_MAX]);

/* "SIGKILL" "SIGRTMIN+3" "signal 33" */
const char *human_signal(int signal, char out[HUMAN_MAX]);

/* Parses "4096", "64K", "256M", "1.5G", "2T", also "256MiB" and "256MB"; all are powers of 1024.
 * Returns 0; -EINVAL for any other text; -ERANGE if the number does not fit.  On failure, *bytes
 * is unchanged. */
int human_parse_bytes(const char *text, uint64_t *bytes);

/* Parses "90" (seconds), "10s", "1.5s", "250ms", "1h30m", "2d": parts from larger to smaller units
 * of d h m (min) s ms us ns.  Fails like human_parse_bytes. */
int human_parse_duration(const char *text, uint64_t *ns);

/* Parses a whole number with nothing around it.  Fails like human_parse_bytes. */
int human_parse_count(const char *text, uint64_t *count);
/* Parses "1%" or "0.5 %" to 0.01 and 0.005.  Fails like human_parse_bytes. */
int human_parse_share(const char *text, double *share);
