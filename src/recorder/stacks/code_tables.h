/* code_tables.h - how to unwind any function of one file, by addresses of the file.
 *
 * Made from .eh_frame (found through its header, by the program headers alone if need be), from
 * .debug_frame if there is none, and from Go's pclntab for Go's functions.  The file is hostile:
 * everything is bounded, and what is invalid is ignored. */
#pragma once

#include "stacks/code_image.h"
#include "symbols/go/pclntab.h"
#include "unwind/rule.h"

#define CODE_SEGMENTS_MAX 16u

struct code_tables {
    char build_id[ELF_BUILD_ID_HEX];
    uint64_t entry;                         /* Where the kernel enters it; 0: nowhere. */
    size_t bytes;                           /* Kept. */
    Elf64_Phdr segments[CODE_SEGMENTS_MAX]; /* The loaded ones; executable ones first. */
    uint32_t segment_count;
    bool has_frames;
    struct eh_view frames;  /* .eh_frame, searched by its header. */
    struct eh_view listed;  /* .eh_frame without a header, or .debug_frame. */
    struct eh_entry *index; /* Of `listed`, by address; NULL: none. */
    size_t index_count;
    bool is_go;
    struct pclntab go;
    uint64_t go_low, go_high;
    struct code_image image; /* The other members point into it. */
};

/* A part of code_tables_init: finds tables that have no header, and sorts their entries.  Returns
 * the part of the image that must be kept. */
struct image_part frame_index_read(struct code_tables *tables, const struct elf_view *view,
                                   const struct image_source *source);

/* Reads what is needed.  Returns 0, -EINVAL if it is not an ELF object, or -ENOMEM.  End it with
 * code_tables_fini. */
int code_tables_init(struct code_tables *tables, const struct image_source *source);
void code_tables_fini(struct code_tables *tables);
/* Frees everything except what the headers say: there are no rules then. */
void code_tables_shrink(struct code_tables *tables);

/* Returns a number that tells one content from another; reads as little as possible.  Returns 0 if
 * it is not an ELF object. */
uint64_t code_identity(const struct image_source *source);

/* Finds the difference between addresses of the process and of the file, for a mapping of the
 * file's `offset` at `start`.  Returns false if that maps no segment. */
bool code_tables_bias(const struct code_tables *tables, uint64_t start, uint64_t offset,
                      uint64_t *bias);

/* Finds the row for an address.  Returns 0, -ENOENT or -EINVAL as eh_frame_row does. */
int code_tables_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row);
/* Returns the packed rule; RULE_MISSING if there is none; RULE_OUTERMOST with an offset if the
 * stack continues elsewhere. */
unwind_rule code_tables_rule(const struct code_tables *tables, uint64_t pc, uint32_t module);

/* Returns whether this is code to which the kernel jumps, where a stack begins. */
bool code_tables_is_entry(const struct code_tables *tables, uint64_t pc);
