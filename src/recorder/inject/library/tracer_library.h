/* tracer_library.h - libmemoir.so, ready to be passed to another process: a memfd with the part of
 * the file that the loader maps.  The parts that only debuggers read would take memory as long as
 * the process lives. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "inject/library/loaded_elf.h"

struct tracer_library {
    int fd; /* -1: not open. */
    uint8_t build_id[LOADED_BUILD_ID_MAX];
    uint32_t build_id_size;
};

/* Returns 0, or -errno with a sentence. */
int tracer_library_open(struct tracer_library *library, const char *path, struct fault *fault);
void tracer_library_close(struct tracer_library *library);
