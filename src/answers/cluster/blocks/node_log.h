/* node_log.h - what a node wrote about its own doing: JSON, a line each.  Plain logs, folders of
 * them, and the output of a test that shows several under headings; packed or not.
 *
 * A line that is no JSON object costs itself and is counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

struct log_numbers {
    uint64_t round, period, step;
};

/* Texts that are longer are cut, texts that are not there are empty. */
struct log_event {
    int64_t time_us; /* Unix time; INT64_MIN: not told, or not to be understood */
    char context[32], type[48], hash[64], sender[72];
    char message[512], local[256], remote[256];
    struct log_numbers at, object;
    uint64_t weight, weight_total;
};

/* One line, which may have words of another program before the object.  Returns 0 or -EINVAL. */
int log_line_parse(struct slice line, struct log_event *event);
/* "2026-05-28T10:00:00.123456-05:00", with any number of digits behind the point, or Z.  Returns 0
 * or -EINVAL. */
int log_time_parse(const char *text, int64_t *time_us);
/* "10:00:00.123456", or "2026-05-28T10:00:00.123456Z"; UTC. */
#define LOG_TIME_MAX 96
const char *log_clock_render(int64_t time_us, char out[LOG_TIME_MAX]);
const char *log_date_render(int64_t time_us, char out[LOG_TIME_MAX]);
/* Returns the node of a heading such as "  Primary/node.log:"; the bytes of its name, or 0. */
size_t log_heading_parse(struct slice line, const char **name);

struct log_reading {
    /* Called for each line that is one, with the node it is of.  A return value of 1 ends this
     * file, another one that is not 0 ends all and is returned. */
    int (*handle)(void *context, const char *node, const struct log_event *event);
    void *context;
    uint64_t files, lines, odd_lines;
    bool has_headings; /* a file showed several nodes */
};

/* `path` is a file, or a folder with *-node.log, node.log or NODE/node.log in it.  The node is
 * named by the heading, else by the file (r1-node.log), else by its folder.  Returns 0 or -errno
 * with a sentence. */
int node_log_read(struct log_reading *reading, const char *path, struct fault *fault);
/* Like node_log_read, from memory; for tests. */
int node_log_read_bytes(struct log_reading *reading, struct slice text, const char *node);
