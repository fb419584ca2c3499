/* call_table.h - the system calls that a confined process may make. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum call_verdict {
    CALL_ALLOWED,
    /* With `error`, which the caller can handle: never a reason to end the process. */
    CALL_REFUSED,
    CALL_ONE_OF, /* Allowed if the argument is one of `values`, else refused with `error`. */
    CALL_HAS,    /* Like CALL_ONE_OF, if the argument has the one bit of `values`. */
    CALL_HAS_NOT,
    CALL_OWN,  /* Like CALL_ONE_OF, if the argument is the process itself. */
    CALL_NULL, /* Like CALL_ONE_OF, if the argument is NULL. */
};

struct call_rule {
    uint16_t number;
    uint8_t needs; /* Of enum sandbox_calls; 0: for every process. */
    uint8_t verdict;
    uint8_t argument;
    uint8_t value_count;
    uint16_t error;
    const uint32_t *values;
};

/* The first rule about a call whose needs are met decides. */
extern const struct call_rule call_rules[];
extern const size_t call_rule_count;

/* The last call of Linux 6.0.  Later calls were not examined; libc has another way when one is
 * refused. */
#define CALL_NEWEST 450u
