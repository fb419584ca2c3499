/* code_tables.h - how to step out of any function of one file, by addresses of the file.
 *
 * Made from .eh_frame (found through its header, by the program headers alone if need be), from
 * .debug_frame where there is none, and from Go's pclntab for Go's functions.  The file is
 * hostile: everything is bounded, and what makes no sense is as if it were not there. */
#pragma once

#include "stacks/code_image.h"
#include "symbols/go/pclntab.h"
#include "unwind/rule.h"

#define CODE_SEGMENTS_MAX 16u

struct code_tables {
    char build_id[ELF_BUILD_ID_HEX];
    uint64_t entry;                         /* where the kernel enters it; 0: nowhere */
    size_t bytes;                           /* kept */
    Elf64_Phdr segments[CODE_SEGMENTS_MAX]; /* the loaded ones, executable ones first */
    uint32_t segment_count;
    bool has_frames;
    struct eh_view frames;  /* .eh_frame, searched by its header */
    struct eh_view listed;  /* .eh_frame without one, or .debug_frame */
    struct eh_entry *index; /* of the listed, by address; NULL: none */
    size_t index_count;
    bool is_go;
    struct pclntab go;
    uint64_t go_low, go_high;
    struct code_image image; /* what the others point into */
};

/* Part of code_tables_init: finds tables that have no header, and sorts their entries.  What is
 * to be kept of the image. */
struct image_part frame_index_read(struct code_tables *tables, const struct elf_view *view,
                                   const struct image_source *source);

/* Reads what is needed.  0, -EINVAL when it is no ELF object, -ENOMEM.  The caller ends it with
 * code_tables_fini. */
int code_tables_init(struct code_tables *tables, const struct image_source *source);
void code_tables_fini(struct code_tables *tables);
/* Gives up all but what the headers say: there are no rules then. */
void code_tables_shrink(struct code_tables *tables);

/* What tells one content from another: reads as little as possible.  0 when it is no ELF object. */
uint64_t code_identity(const struct image_source *source);

/* Where the mapping of the file's `offset` at `start` puts the file's addresses: false when it
 * maps no segment of it. */
bool code_tables_bias(const struct code_tables *tables, uint64_t start, uint64_t offset,
                      uint64_t *bias);

/* The row for an address.  0, -ENOENT, -EINVAL as eh_frame_row. */
int code_tables_row(const struct code_tables *tables, uint64_t pc, struct unwind_row *row);
/* The packed rule; RULE_MISSING when there is none, RULE_OUTERMOST with an offset when the stack
 * goes on elsewhere. */
unwind_rule code_tables_rule(const struct code_tables *tables, uint64_t pc, uint32_t module);

/* Whether this is code that the kernel jumps to, where a stack begins. */
bool code_tables_is_entry(const struct code_tables *tables, uint64_t pc);
