/* module_reader.h - reads ELF objects, symbols, unwind tables and stacks of a process that may be
 * hostile, for module_client.h.  It is confined, and only has that memory for reading, and a
 * line. */
#pragma once

#include "inject/library/target_modules.h"

struct module_reader_wish {
    int line;                           /* Where questions come from. */
    const struct remote_memory *memory; /* For reading. */
    const uint8_t *own_build_id;        /* Of our library. */
    uint32_t own_build_id_size;
};

/* Confines this process, answers questions until the line is closed, then ends this process. */
_Noreturn void module_reader_run(const struct module_reader_wish *wish);
