/* node_log.h - reads the log of a node: one JSON object per line.  Reads plain logs, folders of
 * logs, and the output of a test with the logs of several nodes under headings; packed or not.
 *
 * A line that is no JSON object is counted and skipped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

struct log_numbers {
    uint64_t round, period, step;
};

/* Longer texts are cut; missing texts are empty. */
struct log_event {
    int64_t time_us; /* Unix time; INT64_MIN: missing or not understood */
    char context[32], type[48], hash[64], sender[72];
    char message[512], local[256], remote[256];
    struct log_numbers at, object;
    uint64_t weight, weight_total;
};

/* Parses one line, in which words of another program may precede the object.  Returns 0 or
 * -EINVAL. */
int log_line_parse(struct slice line, struct log_event *event);
/* Parses "2026-05-28T10:00:00.123456-05:00", with any number of digits after the point, or with Z.
 * Returns 0 or -EINVAL. */
int log_time_parse(const char *text, int64_t *time_us);
/* Render "10:00:00.123456", and "2026-05-28T10:00:00.123456Z"; UTC. */
#define LOG_TIME_MAX 96
const char *log_clock_render(int64_t time_us, char out[LOG_TIME_MAX]);
const char *log_date_render(int64_t time_us, char out[LOG_TIME_MAX]);
/* Finds the name of the node in a heading such as "  Primary/node.log:".  Returns the size of the
 * name; 0: this is no heading. */
size_t log_heading_parse(struct slice line, const char **name);

struct log_reading {
    /* Called for each line with an object, with the node that wrote it.  Returns 0 to continue, 1
     * to end this file; any other value ends the reading and is returned. */
    int (*handle)(void *context, const char *node, const struct log_event *event);
    void *context;
    uint64_t files, lines, odd_lines;
    bool has_headings; /* a file had several nodes */
};

/* Reads a file, or a folder with *-node.log, node.log or NODE/node.log in it.  The name of the node
 * is from the heading, else from the file (r1-node.log), else from its folder.  Returns 0 or -errno
 * with a sentence. */
int node_log_read(struct log_reading *reading, const char *path, struct fault *fault);
/* Like node_log_read, from memory; for tests. */
int node_log_read_bytes(struct log_reading *reading, struct slice text, const char *node);
