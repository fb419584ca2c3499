/* call_table.h - which system calls a confined process may make. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum call_verdict {
    CALL_ALLOWED,
    CALL_REFUSED, /* with `error`, which the caller is made for: never a reason to end it */
    CALL_ONE_OF,  /* allowed when the argument is one of `values`, refused with `error` otherwise */
    CALL_HAS,     /* ... has the one bit of `values` */
    CALL_HAS_NOT,
    CALL_OWN,  /* ... is the process itself */
    CALL_NULL, /* ... is NULL */
};

struct call_rule {
    uint16_t number;
    uint8_t needs; /* of enum sandbox_calls; 0: for every process */
    uint8_t verdict;
    uint8_t argument;
    uint8_t value_count;
    uint16_t error;
    const uint32_t *values;
};

/* The first rule about a call whose needs are met decides. */
extern const struct call_rule call_rules[];
extern const size_t call_rule_count;

/* The last one of Linux 6.0.  What came later was not judged; libc asks for it and has another
 * way. */
#define CALL_NEWEST 450u
