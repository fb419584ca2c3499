/* frame_words.h - words about a frame in a tree of pages. */
#pragma once

#include "analyze/memory/page_frames.h"

/* For a frame in no file: code made at run time, or only a name. */
#define NO_FILE "[no file]"

/* Returns the file without its folders and without "(deleted)", or NO_FILE. */
struct slice frame_executable(const struct recording *recording, const struct page_frame *frame);

/* Returns "rust", "cpp", "go", "ocaml", "nim", "c", or "jit" for code in no file; NULL if unknown.
 * Depends on the symbol, and on the runtimes that the recording found in the file. */
const char *frame_language(const struct recording *recording, const struct page_frame *frame);

/* Returns "nodeRust" or "nodeCpp" for the program itself, and "systemLib" for other files. */
const char *frame_category(const struct recording *recording, const struct page_frame *frame);

/* Writes the name of the function to `name`, cut if it does not fit; with the hash of Rust's older
 * names, as in "core::ptr::read::h0123456789abcdef".  If only the symbol is known, writes the
 * symbol.  Returns `name`; NULL if neither is known. */
const char *frame_function(const struct recording *recording, const struct page_frame *frame,
                           char *name, size_t room);
#define FRAME_FUNCTION_MOST (65 * 1024) /* fits every name */
