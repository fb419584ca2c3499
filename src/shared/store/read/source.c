/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/source.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/invariant.h"

#define READ_AHEAD ((size_t)512 * 1024)

/* Fills the window from `offset` with `want` bytes or as many as there are. */
static void fill_window(struct source *source, uint64_t offset, size_t want)
{
    bytes_clear(&source->window);
    source->window_at = offset;
    if (!bytes_reserve(&source->window, want))
        return;
    while (source->window.size < want) {
        ssize_t got = pread(source->fd, source->window.data + source->window.size,
                            want - source->window.size, (off_t)(offset + source->window.size));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        source->window.size += (size_t)got;
        INVARIANT(source->window.size <= want);
    }
}

static bool in_window(const struct source *source, uint64_t offset, size_t size)
{
    return offset >= source->window_at && size <= source->window.size &&
           offset - source->window_at <= source->window.size - size;
}

const uint8_t *source_view(struct source *source, uint64_t offset, size_t size)
{
    if (offset > source->size || size > source->size - offset)
        return NULL;
    if (!in_window(source, offset, size)) {
        if (source->fd < 0)
            return NULL;
        uint64_t left = source->size - offset;
        size_t want = size > READ_AHEAD ? size : READ_AHEAD;
        fill_window(source, offset, want < left ? want : (size_t)left);
        if (!in_window(source, offset, size))
            return NULL;
    }
    if (size == 0)
        return (const uint8_t *)"";
    INVARIANT(in_window(source, offset, size));
    return source->window.data + (offset - source->window_at);
}

bool source_refresh(struct source *source)
{
    struct stat now;
    if (source->fd < 0 || fstat(source->fd, &now) < 0 || (uint64_t)now.st_size <= source->size)
        return false;
    source->size = (uint64_t)now.st_size;
    bytes_clear(&source->window); /* its end may have been torn */
    return true;
}

void source_fini(struct source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    bytes_free(&source->window);
}
