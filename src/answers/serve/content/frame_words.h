/* frame_words.h - what is told about a frame in a tree of pages. */
#pragma once

#include "analyze/memory/page_frames.h"

/* Where a frame is in no file: made at run time, or only a name. */
#define NO_FILE "[no file]"

/* Returns the file without its folders and without "(deleted)", or NO_FILE. */
struct slice frame_executable(const struct recording *recording, const struct page_frame *frame);

/* "rust", "cpp", "go", "ocaml", "nim", "c", "jit" for code in no file; NULL when nothing tells.
 * By the symbol, and by which runtimes the recording found in the file. */
const char *frame_language(const struct recording *recording, const struct page_frame *frame);

/* "nodeRust" or "nodeCpp" in the program itself, "systemLib" elsewhere. */
const char *frame_category(const struct recording *recording, const struct page_frame *frame);

/* Into `name`: the function, with the hash of Rust's older names as in
 * "core::ptr::read::h0123456789abcdef", or the symbol when there is only that.  NULL when
 * neither is known; what does not fit is cut. */
const char *frame_function(const struct recording *recording, const struct page_frame *frame,
                           char *name, size_t room);
#define FRAME_FUNCTION_MOST (65 * 1024) /* fits every name */
