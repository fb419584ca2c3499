/* name_message.h - what the recorder and the process that looks up names tell each other.
 *
 * The namer reads files of hostile programs, so whatever it sends may be anything: a message has a
 * fixed size, or the size that its head says, within a bound; each is copied once and then
 * checked. */
#pragma once

#include <stdbool.h>

#include "base/clock.h"
#include "foreign/foreign_request.h"
#include "symbols/lookup/resolver.h"

#define NAME_ADDRESSES_MAX 64u /* of one module, asked together: waiting costs most */
#define NAME_BUILD_MAX     129 /* 64 bytes in hex and the NUL */
#define NAME_PART_BYTES    ((size_t)48 << 10) /* of an answer's body, in one message */
#define NAME_BODY_MAX      ((size_t)13 << 20) /* RESOLVED_MAX entries of three texts of 64 KiB */
#define NAME_WORK_MAX_S    300u               /* of processor time; a namer then gives way */
#define NAME_LIMIT_S       600u               /* ... or is ended by the kernel */
#define NAME_WORK_MAX_NS   (NAME_WORK_MAX_S * NS_PER_SECOND)

enum name_order { NAME_ASK, NAME_REST };

/* To the namer. */
struct name_question {
    uint32_t order, count; /* of addresses; each gets an answer, in this order */
    uint64_t addresses[NAME_ADDRESSES_MAX];
    char root[FOREIGN_ROOT_MAX], build_id[NAME_BUILD_MAX], path[PATH_MAX]; /* with their NUL */
};

enum name_reply { NAME_ANSWER, NAME_OPEN };

/* From the namer: an answer, whose body follows in parts, or a file that it needs. */
struct name_head {
    uint32_t reply, count;  /* of functions */
    uint32_t into_function; /* as in struct frame */
    uint32_t body_bytes;
    uint64_t memory_bytes; /* the most it had so far */
    struct foreign_request file;
};

/* The body: `count` of these, then their texts in that order, without NULs. */
struct name_entry {
    uint32_t line, function_bytes, symbol_bytes, file_bytes;
};

/* A question of these; false when a text is too long for one. */
bool name_question_fill(struct name_question *question, const struct resolver_module *module,
                        const uint64_t *addresses, size_t count);
bool name_question_is_valid(const struct name_question *question);

/* Whether what the head says can be: counts and sizes within their bounds, texts that end. */
bool name_head_is_valid(const struct name_head *head);

/* The body of an answer; NULL when there is no memory for it.  The caller frees. */
char *name_body_make(const struct resolved *names, size_t count, size_t *bytes);

/* The names in a body, in one block that the caller frees, texts and all; NULL when the sizes in it
 * do not add up, or out of memory.  Control characters and bytes that are no UTF-8 become '?'. */
struct resolved *name_body_parse(const char *body, size_t bytes, size_t count);
