/* ocaml_numbers.h - what the runtime of OCaml 4.13 and 4.14 counts about its heap, found through
 * its symbols. */
#pragma once

#include "model/memory/breakdown.h"
#include "runtimes/process_bytes.h"
#include "runtimes/program_file.h"

/* Claims the chunks of the major heap, and the minor heap, and adds a view.  If the runtime has
 * another version, or no symbols, the view has a sentence. */
void ocaml_numbers_look(struct breakdown *breakdown, const struct process_bytes *process,
                        const struct program_file *program);
