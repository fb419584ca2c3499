/* SPDX-License-Identifier: Apache-2.0 */
/* eh_frame_rows_test.c - every row of real modules, as readelf understands them. */
#include "unwind/eh_frame.h"

#include <alloca.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "guarded.h"
#include "loaded_module.h"
#include "readelf_rows.h"

/* Rows of many shapes for our own binary. */
__attribute__((noinline)) static int realigned(int depth)
{
    _Alignas(64) volatile char room[128];
    room[0] = (char)depth;
    volatile char *more = alloca((size_t)depth * 16 + 16);
    more[0] = room[0];
    return depth ? realigned(depth - 1) + more[0] : room[0];
}

struct comparison {
    const struct eh_view *view;
    uint64_t bias;
    long pcs, different, expressions;
};

static const char *const base_names[REG_COUNT] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                  "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                  "r12", "r13", "r14", "r15", "rip"};

static void print_row(const struct unwind_row *row, char *cfa, char saved[REG_COUNT][8])
{
    const char *base = row->cfa_register < REG_COUNT ? base_names[row->cfa_register] : "?";
    if (row->cfa_is_expr)
        snprintf(cfa, 16, "exp");
    else
        snprintf(cfa, 16, "%s%+d", base, (int)row->cfa_offset);
    for (int i = 0; i < REG_COUNT; i++) {
        const struct register_rule *rule = &row->registers[i];
        if (rule->place == PLACE_AT)
            snprintf(saved[i], 8, "c%+d", rule->offset);
        else if (rule->place == PLACE_IS)
            snprintf(saved[i], 8, "v%+d", rule->offset);
        else if (rule->place == PLACE_REGISTER)
            snprintf(saved[i], 8, "r%d", rule->offset);
        else if (rule->place == PLACE_AT_EXPR)
            snprintf(saved[i], 8, "exp");
        else if (rule->place == PLACE_IS_EXPR)
            snprintf(saved[i], 8, "vexp");
        else if (rule->place == PLACE_UNDEFINED || i != REG_IP)
            snprintf(saved[i], 8, "u"); /* readelf has one letter for unchanged and undefined */
        else
            snprintf(saved[i], 8, "same");
    }
}

static void compare_at(struct comparison *comparison, const struct told_row *told, uint64_t pc)
{
    struct unwind_row row;
    char cfa[16] = "", saved[REG_COUNT][8] = {""};
    bool same = eh_frame_row(comparison->view, pc + comparison->bias, &row) == 0;
    comparison->pcs++;
    if (same) {
        print_row(&row, cfa, saved);
        same = strcmp(cfa, told->cfa) == 0;
        for (int i = 0; i < REG_COUNT; i++) {
            bool unsaid = told->saved[i][0] == '\0' || strcmp(told->saved[i], "s") == 0;
            same = same && strcmp(saved[i], unsaid ? "u" : told->saved[i]) == 0;
        }
        comparison->expressions += row.cfa_is_expr;
    }
    if (!same && comparison->different++ < 5)
        print_error("at %llx: readelf says cfa=%s rbp=%s ra=%s, we %s rbp=%s ra=%s\n",
                    (unsigned long long)pc, told->cfa, told->saved[REG_FP], told->saved[REG_IP],
                    cfa, saved[REG_FP], saved[REG_IP]);
}

static void compare(void *context, const struct told_row *told)
{
    compare_at(context, told, told->start);
    if (told->end - told->start > 1)
        compare_at(context, told, told->end - 1);
    if (told->end - told->start > 4)
        compare_at(context, told, told->start + (told->end - told->start) / 2);
}

static struct comparison compare_module(const void *inside)
{
    struct loaded_module module;
    CHECK(loaded_module_find(inside, &module));
    struct comparison comparison = {.view = &module.view, .bias = module.bias};
    if (readelf_rows(module.path, compare, &comparison) < 0)
        skip(); /* no readelf here */
    return comparison;
}

TEST(all_rows_of_libc_are_those_of_readelf)
{
    struct comparison comparison = compare_module((const void *)(uintptr_t)qsort);
    CHECK(comparison.different == 0);
    CHECK(comparison.pcs > 20000);
    CHECK(comparison.expressions > 0);
}

TEST(all_rows_of_this_binary_are_those_of_readelf)
{
    CHECK(realigned(3) != 12345);
    struct comparison comparison = compare_module((const void *)(uintptr_t)realigned);
    CHECK(comparison.different == 0);
    CHECK(comparison.pcs > 50);
}

TEST(code_outside_every_function_has_no_row)
{
    struct loaded_module module;
    struct unwind_row row;
    CHECK(loaded_module_find((const void *)(uintptr_t)qsort, &module));
    CHECK(eh_frame_row(&module.view, module.bias, &row) == -ENOENT);
    CHECK(eh_frame_row(&module.view, module.bias - 1, &row) == -ENOENT);
    CHECK(eh_frame_row(&module.view, (uint64_t)module.view.high + 12345678, &row) == -ENOENT);
    CHECK(eh_frame_row(&module.view, 0, &row) == -ENOENT);
    CHECK(eh_frame_row(&module.view, UINT64_MAX, &row) == -ENOENT);
}

/* The tables from the header on, elsewhere in memory, as a recorder would read them from a file. */
static struct eh_view view_of_copy(const struct loaded_module *module, const struct guarded *copy)
{
    return (struct eh_view){.header = copy->bytes + (module->view.header - module->view.low),
                            .low = copy->bytes,
                            .high = copy->bytes + copy->size,
                            .slide = (uint64_t)module->view.low - (uint64_t)copy->bytes};
}

static bool rows_equal(const struct unwind_row *a, const struct unwind_row *b)
{
    if (a->cfa_is_expr != b->cfa_is_expr || a->signal_frame != b->signal_frame ||
        (!a->cfa_is_expr &&
         (a->cfa_register != b->cfa_register || a->cfa_offset != b->cfa_offset)) ||
        (a->cfa_is_expr && (a->cfa_expr_size != b->cfa_expr_size ||
                            memcmp(a->cfa_expr, b->cfa_expr, a->cfa_expr_size) != 0)))
        return false;
    for (int i = 0; i < REG_COUNT; i++) {
        if (a->registers[i].place != b->registers[i].place ||
            a->registers[i].offset != b->registers[i].offset ||
            a->registers[i].expr_size != b->registers[i].expr_size)
            return false;
    }
    return true;
}

TEST(a_copy_of_the_tables_gives_the_same_rows)
{
    struct loaded_module module;
    CHECK(loaded_module_find((const void *)(uintptr_t)qsort, &module));
    struct guarded copy =
        guarded_copy(module.view.low, (size_t)(module.view.high - module.view.low));
    struct eh_view view = view_of_copy(&module, &copy);
    uint64_t pc = (uint64_t)(uintptr_t)qsort - 50000;
    unsigned found = 0;
    for (int i = 0; i < 20000; i++, pc += 7) {
        struct unwind_row here = {0}, there = {0};
        int err = eh_frame_row(&module.view, pc, &here);
        CHECK(eh_frame_row(&view, pc, &there) == err);
        CHECK(err < 0 || rows_equal(&here, &there));
        found += err == 0;
    }
    CHECK(found > 10000);
    guarded_free(&copy);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Any answer is right, but it must come, and not by reading past the end. */
TEST(damaged_and_cut_tables_are_survived)
{
    struct loaded_module module;
    uint64_t seed = 88172645463325252ull;
    CHECK(loaded_module_find((const void *)(uintptr_t)realigned, &module));
    size_t size = (size_t)(module.view.high - module.view.low);
    uint64_t near = (uint64_t)(uintptr_t)realigned;
    size_t header = (size_t)(module.view.header - module.view.low);
    for (int round = 0; round < 300; round++) {
        size_t kept = round % 3 == 0 ? header + next_random(&seed) % (size - header) : size;
        struct guarded copy = guarded_copy(module.view.low, kept);
        struct eh_view view = view_of_copy(&module, &copy);
        for (int i = 0; i < round % 50; i++) {
            size_t at = header + next_random(&seed) % (kept - header + 1);
            if (at < kept)
                copy.bytes[at] = (uint8_t)next_random(&seed);
        }
        for (int i = 0; i < 200; i++) {
            struct unwind_row row;
            int err = eh_frame_row(&view, near + next_random(&seed) % 8192 - 4096, &row);
            CHECK(err == 0 || err == -ENOENT || err == -EINVAL);
        }
        guarded_free(&copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_of_libc_are_those_of_readelf),
        cmocka_unit_test(all_rows_of_this_binary_are_those_of_readelf),
        cmocka_unit_test(code_outside_every_function_has_no_row),
        cmocka_unit_test(a_copy_of_the_tables_gives_the_same_rows),
        cmocka_unit_test(damaged_and_cut_tables_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
