/* SPDX-License-Identifier: Apache-2.0 */
#include "export_to.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

char *export_to_memory(const char *name, struct export_job *job, size_t *size, struct fault *fault)
{
    const struct export_format *format = export_format_find(name);
    assert_non_null(format);
    char *data = NULL;
    FILE *file = open_memstream(&data, size);
    assert_non_null(file);
    struct output *out = output_create(file, format->always_gzip ? COMPRESS_GZIP : COMPRESS_NONE);
    assert_non_null(out);
    int err = export_write(format, job, out, fault);
    assert_int_equal(output_finish(out, NULL), 0);
    fclose(file);
    if (err == 0)
        return data;
    free(data);
    return NULL;
}

void export_to_file(const char *name, struct export_job *job, char *path, const char *suffix)
{
    const struct export_format *format = export_format_find(name);
    assert_non_null(format);
    int fd = mkstemps(path, (int)strlen(suffix));
    CHECK(fd >= 0);
    FILE *file = fdopen(fd, "w");
    enum compression compression = format->always_gzip ? COMPRESS_GZIP : compression_of_name(path);
    struct output *out = output_create(file, compression);
    struct fault fault = {.text = ""};
    if (export_write(format, job, out, &fault) < 0)
        fail_msg("%s", fault.text);
    assert_int_equal(output_finish(out, NULL), 0);
    fclose(file);
}
