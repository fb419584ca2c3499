/* check.h - cmocka with its includes in the right order.  CHECK(x) is assert_true(x). */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK(condition) assert_true(condition)

/* One test: TEST(a_full_ring_waits) { ... }, listed in main() with cmocka_unit_test. */
#define TEST(name) static void name(void **state __attribute__((unused)))
