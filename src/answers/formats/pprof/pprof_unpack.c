/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "formats/shared/input.h"
#include "formats/pprof/pprof_parts.h"

#define RATIO_MOST 64 /* between packed and unpacked, that is believed unseen */
#define LAYERS_MAX 4  /* the file's own, and what was put around it on its way */

static int tell_end(enum input_end end, struct fault *fault)
{
    if (end == INPUT_WHOLE)
        return 0;
    if (end == INPUT_CUT)
        return fault_set(fault, -EINVAL, "its gzip data is cut short: it was not fetched whole");
    if (end == INPUT_DAMAGED)
        return fault_set(fault, -EINVAL, "its gzip data is damaged");
    if (end == INPUT_MORE)
        return fault_set(fault, -E2BIG, "unpacked it is larger than %zu MiB",
                         PPROF_BYTES_MAX >> 20);
    return fault_set(fault, -EIO, "it could not be read to its end");
}

/* All bytes of `input`; `hint` is how many they may be.  NULL with a sentence. */
static char *read_whole(struct input *input, size_t hint, size_t *size, struct fault *fault)
{
    size_t room = (hint < PPROF_BYTES_MAX ? hint : PPROF_BYTES_MAX) + 1, used = 0;
    char *bytes = malloc(room), *grown;
    while (bytes) {
        used += input_read(input, bytes + used, room - used);
        if (used > PPROF_BYTES_MAX || input_end(input) != INPUT_MORE)
            break;
        room *= 2;
        if (!(grown = realloc(bytes, room)))
            free(bytes);
        bytes = grown;
    }
    if (!bytes) {
        fault_set(fault, -ENOMEM, "there is not enough memory for it");
        return NULL;
    }
    *size = used;
    if (tell_end(used > PPROF_BYTES_MAX ? INPUT_MORE : input_end(input), fault) == 0)
        return bytes;
    free(bytes);
    return NULL;
}

static bool is_gzip(struct slice bytes)
{
    return bytes.size >= 2 && (unsigned char)bytes.data[0] == 0x1f &&
           (unsigned char)bytes.data[1] == 0x8b;
}

/* gzip's last four bytes are the size of what is packed, unless they lie. */
static size_t likely_size(struct slice packed)
{
    uint32_t size = 0;
    if (!is_gzip(packed) || packed.size < 18)
        return packed.size;
    for (int i = 1; i <= 4; i++)
        size = size << 8 | (unsigned char)packed.data[packed.size - (size_t)i];
    return size <= packed.size * RATIO_MOST ? size : packed.size * 4;
}

static char *unpack_layer(struct slice packed, size_t *size, struct fault *fault)
{
    struct input *input = input_open_bytes(packed.data, packed.size);
    char *bytes = NULL;
    if (input)
        bytes = read_whole(input, likely_size(packed), size, fault);
    else
        fault_set(fault, -ENOMEM, "there is not enough memory for it");
    input_close(input);
    return bytes;
}

char *pprof_unpack(struct slice packed, size_t *size, struct fault *fault)
{
    char *bytes = unpack_layer(packed, size, fault);
    for (int layer = 1; bytes && is_gzip((struct slice){bytes, *size}); layer++) {
        char *inner = NULL;
        if (layer < LAYERS_MAX)
            inner = unpack_layer((struct slice){bytes, *size}, size, fault);
        else
            fault_set(fault, -EINVAL, "it is gzip in gzip in gzip without end");
        free(bytes);
        bytes = inner;
    }
    return bytes;
}
