/* name_message.h - the messages between the recorder and the process that looks up names.
 *
 * The namer reads files of hostile programs, so anything may be in what it sends: a message has a
 * fixed size, or the size that its head says, within a bound; each message is copied once and then
 * checked. */
#pragma once

#include <stdbool.h>

#include "base/clock.h"
#include "foreign/foreign_request.h"
#include "symbols/lookup/resolver.h"

#define NAME_ADDRESSES_MAX 64u /* Of one module, asked together, because waiting costs most. */
#define NAME_BUILD_MAX     129 /* 64 bytes in hex, and the NUL. */
#define NAME_PART_BYTES    ((size_t)48 << 10) /* Of an answer's body, in one message. */
#define NAME_BODY_MAX      ((size_t)13 << 20) /* RESOLVED_MAX entries of three texts of 64 KiB. */
#define NAME_WORK_MAX_S    300u               /* Of CPU time; after this, a namer is replaced. */
#define NAME_LIMIT_S       600u               /* After this, the kernel ends it. */
#define NAME_WORK_MAX_NS   (NAME_WORK_MAX_S * NS_PER_SECOND)

enum name_order { NAME_ASK, NAME_REST };

/* Sent to the namer. */
struct name_question {
    uint32_t order, count; /* `count` of addresses; each gets an answer, in this order. */
    int32_t nice;          /* The priority of namers that it starts for this. */
    uint64_t addresses[NAME_ADDRESSES_MAX];
    char root[FOREIGN_ROOT_MAX], build_id[NAME_BUILD_MAX], path[PATH_MAX]; /* With their NUL. */
};

enum name_reply { NAME_ANSWER, NAME_OPEN };

/* Sent by the namer: an answer, whose body follows in parts; or a file that it needs. */
struct name_head {
    uint32_t reply, count;  /* `count` of functions. */
    uint32_t into_function; /* As in struct frame. */
    uint32_t body_bytes;
    uint64_t memory_bytes; /* The most memory it had so far. */
    /* CPU time of namers of its own; believed only of a process that the keeper started for known
     * names (known_names.h). */
    uint64_t worked_ns;
    struct foreign_request file;
};

/* The body: `count` entries, then their texts in the same order, without NULs. */
struct name_entry {
    uint32_t line, function_bytes, symbol_bytes, file_bytes;
};

/* Makes a question.  Returns false if a text is too long. */
bool name_question_fill(struct name_question *question, const struct resolver_module *module,
                        const uint64_t *addresses, size_t count);
bool name_question_is_valid(const struct name_question *question);

/* Returns whether a head is valid: counts and sizes within their bounds, texts that end. */
bool name_head_is_valid(const struct name_head *head);

struct name_answer;

/* Sends a head with an answer, then its body.  Returns 0 or -errno. */
int name_answer_send(int line, const struct name_answer *answer, uint64_t memory_bytes,
                     uint64_t worked_ns);

/* Returns the body of an answer, which the caller frees; NULL when out of memory. */
char *name_body_make(const struct resolved *names, size_t count, size_t *bytes);

/* Returns the names in a body, in one block with all texts, which the caller frees; NULL if the
 * sizes in it do not add up, or when out of memory.  Control characters and bytes that are not
 * UTF-8 become '?'. */
struct resolved *name_body_parse(const char *body, size_t bytes, size_t count);
