/* module_reader.h - reads ELF objects, symbols, unwind tables and stacks of a process that may be
 * hostile, for module_client.h: confined, with nothing but that memory, to read, and a line. */
#pragma once

#include "inject/library/target_modules.h"

struct module_reader_wish {
    int line;                           /* where questions come from */
    const struct remote_memory *memory; /* to read */
    const uint8_t *own_build_id;        /* of our library */
    uint32_t own_build_id_size;
};

/* Confines this process, answers until the line ends, and ends this process. */
_Noreturn void module_reader_run(const struct module_reader_wish *wish);
