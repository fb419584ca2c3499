/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of source files as strangers' recordings name them: what comes out never leads upward,
 * and stays in its room. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/content/source_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source_path path;
    char *named = malloc(size + 1);
    if (!named)
        return 0;
    memcpy(named, data, size);
    named[size] = '\0';
    if (source_path_parse(named, &path) == 0) {
        if (path.count == 0 || path.count > SOURCE_PARTS_MOST)
            abort();
        for (size_t i = 0; i < path.count; i++) {
            const char *part = source_path_part(&path, i);
            size_t const length = strnlen(part, sizeof(path.text) - path.starts[i]);
            if (path.starts[i] + length >= sizeof(path.text) || length == 0 ||
                memchr(part, '/', length) || strcmp(part, ".") == 0 || strcmp(part, "..") == 0 ||
                !strstr(named, part))
                abort();
        }
        if (source_path_is_code(&path) && !strchr(source_path_part(&path, path.count - 1), '.'))
            abort();
        source_path_is_hidden(&path, 0);
    }
    free(named);
    return 0;
}
