/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/input.h"

#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PACKED_BYTES (256u << 10)
#define XZ_BYTES_MAX (UINT64_C(256) << 20) /* xz -9 needs 65 MiB */

struct input {
    int fd; /* -1: all of it is in [next, limit) */
    enum compression compression;
    enum input_end end;
    const unsigned char *next, *limit; /* read, and not unpacked yet */
    bool file_ended;
    z_stream gzip;
    bool gzip_open;
    ZSTD_DCtx *zstd;
    lzma_stream xz;
    bz_stream bzip2;
    bool inside; /* of a gzip member, zstd frame, xz or bzip2 stream that has begun */
    unsigned char packed[];
};

/* More packed bytes, when there are none left; false at the end of the file. */
static bool refill(struct input *input)
{
    if (input->next < input->limit)
        return true;
    if (input->file_ended || input->fd < 0)
        return false;
    ssize_t size;
    do
        size = read(input->fd, input->packed, PACKED_BYTES);
    while (size < 0 && errno == EINTR);
    input->file_ended = size <= 0;
    if (size < 0)
        input->end = INPUT_FAILED;
    if (size <= 0)
        return false;
    input->next = input->packed;
    input->limit = input->packed + size;
    return true;
}

static bool begins(const unsigned char *head, size_t size, const char *magic, size_t magic_size)
{
    return size >= magic_size && memcmp(head, magic, magic_size) == 0;
}

static bool is_bzip2(const unsigned char *head, size_t size)
{
    return begins(head, size, "BZh", 3) && size >= 10 && head[3] >= '1' && head[3] <= '9' &&
           (memcmp(head + 4, "1AY&SY", 6) == 0 || memcmp(head + 4, "\x17rE8P\x90", 6) == 0);
}

static enum compression compression_of_bytes(const unsigned char *head, size_t size)
{
    if (begins(head, size, "\x1f\x8b", 2))
        return COMPRESS_GZIP;
    if (begins(head, size, "\x28\xb5\x2f\xfd", 4))
        return COMPRESS_ZSTD;
    if (begins(head, size,
               "\xfd"
               "7zXZ\0",
               6))
        return COMPRESS_XZ;
    return is_bzip2(head, size) ? COMPRESS_BZIP2 : COMPRESS_NONE;
}

/* Looks at the first bytes and makes ready to unpack.  Takes `input` when it fails. */
static struct input *begin(struct input *input)
{
    refill(input);
    input->compression = compression_of_bytes(input->next, (size_t)(input->limit - input->next));
    if (input->compression == COMPRESS_GZIP)
        input->gzip_open = inflateInit2(&input->gzip, 15 + 16) == Z_OK; /* + 16: the gzip frame */
    if (input->compression == COMPRESS_ZSTD)
        input->zstd = ZSTD_createDCtx();
    bool const needs_one =
        input->compression == COMPRESS_GZIP || input->compression == COMPRESS_ZSTD;
    if (!needs_one || input->gzip_open || input->zstd)
        return input; /* streams of the others are opened one by one */
    input_close(input);
    return NULL;
}

struct input *input_open(const char *path, struct fault *fault)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (fd < 0 || fstat(fd, &status) < 0) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        fault_set(fault, code, "cannot open %s: %s", path, strerror(-code));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        fault_set(fault, -EINVAL, "cannot read %s: it is not an ordinary file", path);
        return NULL;
    }
    struct input *input = calloc(1, sizeof(*input) + PACKED_BYTES);
    if (input) {
        input->fd = fd;
        input = begin(input);
    } else {
        close(fd);
    }
    if (!input)
        fault_set(fault, -ENOMEM, "out of memory while opening %s", path);
    return input;
}

struct input *input_open_bytes(const void *data, size_t size)
{
    struct input *input = calloc(1, sizeof(*input));
    if (!input)
        return NULL;
    input->fd = -1;
    input->next = data;
    input->limit = input->next + size;
    return begin(input);
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->fd >= 0)
        close(input->fd);
    if (input->gzip_open)
        inflateEnd(&input->gzip);
    ZSTD_freeDCtx(input->zstd);
    lzma_end(&input->xz);
    if (input->compression == COMPRESS_BZIP2 && input->inside)
        BZ2_bzDecompressEnd(&input->bzip2);
    free(input);
}

static size_t read_plain(struct input *input, void *into, size_t size)
{
    size_t part = (size_t)(input->limit - input->next);
    if (part > size)
        part = size;
    memcpy(into, input->next, part);
    input->next += part;
    return part;
}

/* A file may have several members; zeros after the last one are padding. */
static bool begin_gzip_member(struct input *input)
{
    if (input->inside)
        return true;
    if (*input->next != 0x1f) {
        input->end = *input->next == 0 ? INPUT_WHOLE : INPUT_DAMAGED;
        return false;
    }
    input->inside = inflateReset(&input->gzip) == Z_OK;
    if (!input->inside)
        input->end = INPUT_FAILED;
    return input->inside;
}

static size_t read_gzip(struct input *input, void *into, size_t size)
{
    z_stream *gzip = &input->gzip;
    if (!begin_gzip_member(input))
        return 0;
    gzip->next_in = (unsigned char *)(uintptr_t)input->next; /* zlib does not write there */
    gzip->avail_in = (uInt)(input->limit - input->next);
    gzip->next_out = into;
    gzip->avail_out = (uInt)size;
    int result = inflate(gzip, Z_NO_FLUSH);
    input->next = gzip->next_in;
    if (result == Z_STREAM_END)
        input->inside = false;
    else if (result == Z_MEM_ERROR)
        input->end = INPUT_FAILED;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        input->end = INPUT_DAMAGED;
    return size - gzip->avail_out;
}

static size_t read_zstd(struct input *input, void *into, size_t size)
{
    ZSTD_inBuffer in = {input->next, (size_t)(input->limit - input->next), 0};
    ZSTD_outBuffer out = {into, size, 0};
    size_t result = ZSTD_decompressStream(input->zstd, &out, &in);
    input->next += in.pos;
    input->inside = result != 0;
    if (ZSTD_isError(result))
        input->end = INPUT_DAMAGED;
    return out.pos;
}

/* The next of several streams; zeros after the last one are padding. */
static bool begin_xz_stream(struct input *input)
{
    if (input->inside)
        return true;
    if (*input->next != 0xfd) {
        input->end = *input->next == 0 ? INPUT_WHOLE : INPUT_DAMAGED;
        return false;
    }
    input->inside = lzma_stream_decoder(&input->xz, XZ_BYTES_MAX, 0) == LZMA_OK;
    if (!input->inside)
        input->end = INPUT_FAILED;
    return input->inside;
}

static size_t read_xz(struct input *input, void *into, size_t size)
{
    lzma_stream *xz = &input->xz;
    if (!begin_xz_stream(input))
        return 0;
    xz->next_in = input->next;
    xz->avail_in = (size_t)(input->limit - input->next);
    xz->next_out = into;
    xz->avail_out = size;
    lzma_ret const result = lzma_code(xz, LZMA_RUN);
    input->next = xz->next_in;
    if (result == LZMA_STREAM_END)
        input->inside = false;
    else if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
        input->end = INPUT_FAILED;
    else if (result != LZMA_OK && result != LZMA_BUF_ERROR)
        input->end = INPUT_DAMAGED;
    return size - xz->avail_out;
}

static bool begin_bzip2_stream(struct input *input)
{
    if (input->inside)
        return true;
    if (*input->next != 'B') {
        input->end = INPUT_DAMAGED;
        return false;
    }
    input->bzip2 = (bz_stream){0};
    input->inside = BZ2_bzDecompressInit(&input->bzip2, 0, 0) == BZ_OK;
    if (!input->inside)
        input->end = INPUT_FAILED;
    return input->inside;
}

static size_t read_bzip2(struct input *input, void *into, size_t size)
{
    bz_stream *bzip2 = &input->bzip2;
    unsigned const room = size < UINT32_MAX ? (unsigned)size : UINT32_MAX;
    if (!begin_bzip2_stream(input))
        return 0;
    bzip2->next_in = (char *)(uintptr_t)input->next; /* it does not write there */
    bzip2->avail_in = (unsigned)(input->limit - input->next);
    bzip2->next_out = into;
    bzip2->avail_out = room;
    int const result = BZ2_bzDecompress(bzip2);
    input->next = (const unsigned char *)bzip2->next_in;
    if (result == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(bzip2);
        input->inside = false;
    } else if (result == BZ_MEM_ERROR) {
        input->end = INPUT_FAILED;
    } else if (result != BZ_OK) {
        input->end = INPUT_DAMAGED;
    }
    return room - bzip2->avail_out;
}

/* What was read but could not be handed out for lack of room comes without further input. */
static size_t read_some(struct input *input, void *into, size_t size)
{
    static size_t (*const readers[])(struct input *, void *,
                                     size_t) = {[COMPRESS_NONE] = read_plain,
                                                [COMPRESS_GZIP] = read_gzip,
                                                [COMPRESS_ZSTD] = read_zstd,
                                                [COMPRESS_XZ] = read_xz,
                                                [COMPRESS_BZIP2] = read_bzip2};
    size_t got = 0;
    if (refill(input))
        return readers[input->compression](input, into, size);
    if (input->inside && input->end == INPUT_MORE)
        got = readers[input->compression](input, into, size);
    if (got == 0 && input->end == INPUT_MORE)
        input->end = input->inside ? INPUT_CUT : INPUT_WHOLE;
    return got;
}

size_t input_read(struct input *input, void *into, size_t size)
{
    size_t done = 0;
    while (done < size && input->end == INPUT_MORE)
        done += read_some(input, (char *)into + done, size - done);
    return done;
}

enum input_end input_end(const struct input *input)
{
    return input->end;
}

enum compression input_compression(const struct input *input)
{
    return input->compression;
}
