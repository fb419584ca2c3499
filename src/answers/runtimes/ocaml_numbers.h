/* ocaml_numbers.h - what the runtime of OCaml 4.13 and 4.14 counts about its heap, read through
 * its symbols. */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"
#include "runtimes/program_file.h"

/* Claims the chunks of the major heap and the minor one, and adds a view; with a sentence where
 * the runtime is another, or the symbols are gone. */
void ocaml_numbers_look(struct breakdown *breakdown, const struct process_bytes *process,
                        const struct program_file *program);
