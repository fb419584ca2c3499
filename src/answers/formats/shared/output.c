/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/utf8.h"

#define BUFFER_BYTES (256u << 10)

struct output {
    FILE *file;
    enum compression compression;
    int failed;   /* -errno of the first failure */
    bool is_text; /* output_be_text was called */
    z_stream gzip;
    ZSTD_CCtx *zstd;
    size_t used;
    unsigned char buffer[BUFFER_BYTES]; /* before compression */
    unsigned char packed[BUFFER_BYTES]; /* after it */
};

static int ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);
    return size >= tail && strcmp(text + size - tail, end) == 0;
}

enum compression compression_of_name(const char *name)
{
    if (ends_with(name, ".gz"))
        return COMPRESS_GZIP;
    return ends_with(name, ".zst") ? COMPRESS_ZSTD : COMPRESS_NONE;
}

/* Level 1 and 3: exports are read once and repeat themselves; both pack them well. */
static int start_compression(struct output *output)
{
    if (output->compression == COMPRESS_GZIP) {
        int window = 15 + 16; /* + 16: the gzip frame */
        return deflateInit2(&output->gzip, 1, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    }
    if (output->compression == COMPRESS_ZSTD) {
        output->zstd = ZSTD_createCCtx();
        return output->zstd != NULL;
    }
    return 1;
}

struct output *output_create(FILE *file, enum compression compression)
{
    struct output *output = malloc(sizeof(*output));
    if (!output)
        return NULL;
    memset(output, 0, offsetof(struct output, buffer));
    output->file = file;
    output->compression = compression;
    if (!start_compression(output)) {
        free(output);
        return NULL;
    }
    return output;
}

static void store(struct output *output, const void *data, size_t size)
{
    errno = 0;
    if (!output->failed && size && fwrite(data, 1, size, output->file) != size)
        output->failed = errno ? -errno : -EIO;
}

static void pack_gzip(struct output *output, int last)
{
    output->gzip.next_in = output->buffer;
    output->gzip.avail_in = (uInt)output->used;
    do {
        output->gzip.next_out = output->packed;
        output->gzip.avail_out = BUFFER_BYTES;
        deflate(&output->gzip, last ? Z_FINISH : Z_NO_FLUSH);
        store(output, output->packed, BUFFER_BYTES - output->gzip.avail_out);
    } while (output->gzip.avail_out == 0);
}

static void pack_zstd(struct output *output, int last)
{
    ZSTD_inBuffer in = {output->buffer, output->used, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {output->packed, BUFFER_BYTES, 0};
        left = ZSTD_compressStream2(output->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            output->failed = output->failed ? output->failed : -EIO;
            return;
        }
        store(output, output->packed, out.pos);
    } while (last ? left != 0 : in.pos < in.size);
}

/* Makes the buffer harmless but for a character that the next bytes may complete: its length. */
static size_t tame(struct output *output, bool is_last)
{
    unsigned char *text = output->buffer;
    for (size_t at = 0; at < output->used;) {
        size_t const left = output->used - at;
        size_t const length = utf8_length((const char *)text + at, left);
        bool const is_kept = text[at] == '\n' || text[at] == '\t';
        if (length == 0 && left < UTF8_MAX && !is_last)
            return left;
        if (length == 0)
            text[at] = '?';
        else if (!is_kept && utf8_steers((const char *)text + at, length))
            memset(text + at, '?', length);
        at += length ? length : 1;
    }
    return 0;
}

static void drain(struct output *output, int last)
{
    unsigned char cut[UTF8_MAX];
    size_t const cut_size = output->is_text ? tame(output, last) : 0;
    output->used -= cut_size;
    memcpy(cut, output->buffer + output->used, cut_size);
    if (output->compression == COMPRESS_GZIP)
        pack_gzip(output, last);
    else if (output->compression == COMPRESS_ZSTD)
        pack_zstd(output, last);
    else
        store(output, output->buffer, output->used);
    memcpy(output->buffer, cut, cut_size);
    output->used = cut_size;
}

void output_be_text(struct output *output)
{
    output->is_text = true;
}

int output_finish(struct output *output, struct fault *fault)
{
    drain(output, 1);
    if (!output->failed && fflush(output->file) != 0)
        output->failed = -errno;
    int failed = output->failed;
    if (output->compression == COMPRESS_GZIP)
        deflateEnd(&output->gzip);
    ZSTD_freeCCtx(output->zstd);
    free(output);
    if (failed)
        return fault_set(fault, failed, "The export could not be written: %s.", strerror(-failed));
    return 0;
}

void output_bytes(struct output *output, const void *data, size_t size)
{
    const unsigned char *from = data;
    while (size > 0) {
        size_t room = BUFFER_BYTES - output->used;
        size_t part = size < room ? size : room;
        memcpy(output->buffer + output->used, from, part);
        output->used += part;
        from += part;
        size -= part;
        if (output->used == BUFFER_BYTES)
            drain(output, 0);
    }
}

void output_text(struct output *output, const char *text)
{
    output_bytes(output, text, strlen(text));
}

void output_line(struct output *output, const char *text)
{
    for (; *text; text++)
        output_char(output, *text == '\n' || *text == '\r' ? ' ' : *text);
    output_char(output, '\n');
}

void output_char(struct output *output, char c)
{
    output_bytes(output, &c, 1);
}

void output_format(struct output *output, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (size > 0)
        output_bytes(output, text, (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

void output_hex(struct output *output, uint64_t value)
{
    char digits[16];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    output_bytes(output, digits + at, sizeof(digits) - at);
}
