/* SPDX-License-Identifier: Apache-2.0 */
/* route_export.c - a recording as a file of another program: the bytes that `memoir export` writes
 * for the same selection. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/shared/registry.h"
#include "serve/content/ask.h"
#include "serve/routes/routes.h"

#define EXPORT_BYTES_MOST ((size_t)128 << 20) /* of one answer: it is in memory until it is sent */

/* A body that ends at its bound, rather than take all memory. */
struct bounded {
    FILE *into;
    size_t left;
    bool is_full;
};

static ssize_t write_bounded(void *cookie, const char *data, size_t size)
{
    struct bounded *bounded = cookie;
    if (size > bounded->left) {
        bounded->is_full = true;
        errno = EFBIG;
        return 0;
    }
    bounded->left -= size;
    return (ssize_t)fwrite(data, 1, size, bounded->into);
}

/* What cannot be asked for, as a sentence; NULL with `*format` when all is well. */
static const char *find_format(const struct request *request, const struct selection *selection,
                               const struct export_format **format)
{
    const char *to = request_parameter(request, "to");
    *format = export_format_find(to ? to : "");
    if (!*format)
        return "to is folded, pprof, heaptrack, massif, callgrind or perf.";
    return export_refusal(*format, selection->metric_given,
                          selection->at_given || selection->between_given,
                          selection->filter != NULL);
}

/* The program and its process: "node.4242.pb.gz".  Nothing but letters, digits and dots, as the
 * program chose it. */
static void name_file(const struct recording *recording, const struct export_format *format,
                      char name[FILE_NAME_MOST])
{
    const char *path = recording_text(recording, recording->program);
    const char *last = strrchr(path, '/');
    char plain[48];
    size_t size = 0;
    for (const char *from = last ? last + 1 : path; *from && size + 1 < sizeof(plain); from++)
        plain[size++] = isalnum((unsigned char)*from) || strchr("._-", *from) ? *from : '_';
    plain[size] = '\0';
    snprintf(name, FILE_NAME_MOST, "%s.%u%s", size && plain[0] != '.' ? plain : "memoir",
             recording->pid, format->suffix);
}

static int write_bytes(struct export_job *job, const struct export_format *format, FILE *file,
                       struct fault *fault)
{
    struct output *out = output_create(
        file, format->always_gzip ? COMPRESS_GZIP : compression_of_name(format->suffix));
    if (!out)
        return fault_set(fault, -ENOMEM, "out of memory");
    int const err = export_write(format, job, out, fault);
    int const end = output_finish(out, err ? NULL : fault);
    return err ? err : end;
}

static void answer_export(const struct ask *ask, const struct export_format *format,
                          const struct request *request, struct answer *answer)
{
    const struct selection *selection = &ask->selection;
    struct fault fault = {.text = ""};
    bool const has_metric = selection->metric_given || export_needs_metric(format, ask->recording);
    struct export_job job = {.recording = ask->recording,
                             .metric = has_metric ? selection->metric : NULL,
                             .range = ask->range,
                             .filter = selection->pattern,
                             .hides_addresses = !request->may_see_addresses,
                             .max_events = EXPORT_MAX_EVENTS,
                             .threshold_share = selection->threshold_share};
    struct bounded bounded = {.into = answer_begin(answer), .left = EXPORT_BYTES_MOST};
    FILE *file = bounded.into
                     ? fopencookie(&bounded, "w", (cookie_io_functions_t){.write = write_bounded})
                     : NULL;
    int err = file ? write_bytes(&job, format, file, &fault)
                   : fault_set(&fault, -ENOMEM, "out of memory");
    if (file && fclose(file) != 0 && !err)
        err = -EIO;
    answer_finish(answer, bounded.into, "application/octet-stream");
    if (bounded.is_full)
        answer_error(answer, request, 413,
                     "The file would be larger than 128 MiB: choose less, or make it with memoir "
                     "export --to %s.",
                     format->name);
    else if (err)
        ask_refuse(err, &fault, request, answer);
    else
        name_file(ask->recording, format, answer->own_name);
}

void route_export(struct target *target, struct request *request, struct answer *answer)
{
    struct ask ask;
    const struct export_format *format;
    if (!ask_begin(&ask, false, target, request, answer))
        return;
    struct fault fault = {.text = ""};
    const char *refusal = find_format(request, &ask.selection, &format);
    if (refusal)
        ask_refuse(fault_set(&fault, -EINVAL, "%s", refusal), &fault, request, answer);
    else
        answer_export(&ask, format, request, answer);
    ask_end(&ask);
}
