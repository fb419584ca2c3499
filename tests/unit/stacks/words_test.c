/* SPDX-License-Identifier: Apache-2.0 */
/* words_test.c - what a walk says it rests on is all it rests on, on stacks of a real program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"
#include "stopped.h"

#define STOPS      60u
#define WORDS_MOST 3000u /* looked at per stack */

static struct stack_walk first, again;

static bool is_listed(const struct stack_walk *walk, uint64_t address)
{
    for (uint32_t i = 0; i < walk->word_count; i++)
        if (walk->words[i].address == address)
            return true;
    return false;
}

static bool is_same_walk(void)
{
    return first.end == again.end && first.frame_count == again.frame_count &&
           memcmp(first.frames, again.frames, first.frame_count * sizeof(first.frames[0])) == 0;
}

static bool are_same_words(void)
{
    return first.word_count == again.word_count &&
           memcmp(first.words, again.words, first.word_count * sizeof(first.words[0])) == 0;
}

static void check_once(const struct stack_walk *walk)
{
    for (uint32_t i = 1; i < walk->word_count; i++)
        for (uint32_t k = 0; k < i; k++)
            CHECK(walk->words[k].address != walk->words[i].address);
}

/* Where two walks that begin alike first differ, they differ in a word that both use. */
static void check_fork(uint64_t changed)
{
    uint32_t i = 0;
    while (first.words[i].address != changed)
        i++;
    CHECK(again.word_count > i);
    CHECK(memcmp(first.words, again.words, i * sizeof(first.words[0])) == 0);
    CHECK(again.words[i].address == changed && again.words[i].value != first.words[i].value);
}

/* Another value that might be a frame pointer, an address of code, or nothing. */
static uint64_t other_value(uint64_t value)
{
    switch (rand() % 4) {
    case 0:
        return value + 8;
    case 1:
        return value ^ 0x10;
    case 2:
        return (uint64_t)rand();
    default:
        return ~value;
    }
}

static void change_words(struct process_code *code, struct stopped *stopped)
{
    struct stack_copy const copy = stopped_copy(stopped);
    for (size_t at = 0; at + 8 <= stopped->size && at < 8 * WORDS_MOST; at += 8) {
        uint64_t value, changed;
        memcpy(&value, stopped->bytes + at, 8);
        changed = other_value(value);
        memcpy(stopped->bytes + at, &changed, 8);
        stack_walk(code, &copy, &again);
        memcpy(stopped->bytes + at, &value, 8);
        if (is_listed(&first, stopped->start + at))
            check_fork(stopped->start + at);
        else
            CHECK(is_same_walk() && are_same_words());
    }
}

static void change_registers(struct process_code *code, struct stopped *stopped)
{
    struct stack_copy const copy = stopped_copy(stopped);
    for (unsigned i = 0; i < REG_COUNT; i++) {
        uint64_t const value = stopped->registers[i];
        if (i == 7 || i == 16 || (i == 6 ? is_listed(&first, STACK_WORD_FP) : first.not_repeatable))
            continue;
        stopped->registers[i] = other_value(value);
        stack_walk(code, &copy, &again);
        stopped->registers[i] = value;
        CHECK(is_same_walk() && are_same_words());
    }
}

TEST(a_walk_rests_on_its_words_and_on_nothing_else)
{
    struct stopped stopped;
    struct process_code *code;
    struct code_store *store = code_store_create((size_t)64 << 20);
    unsigned checked = 0, with_rbp = 0, words = 0;
    scratch_open();
    scratch_run("cc", "-O2", "-fomit-frame-pointer", "-pthread", "-o", "every_frame",
                PROGRAMS "/every_frame.c");
    stopped_start(&stopped, (const char *const[]){scratch_path("every_frame"), NULL}, 100);
    CHECK(process_code_open(store, (uint32_t)stopped.pid, &code) == 0);
    for (unsigned i = 0; i < STOPS; i++) {
        usleep((unsigned)rand() % 700);
        if (stopped_hold(&stopped, i % stopped.thread_count, (size_t)64 << 10)) {
            struct stack_copy const copy = stopped_copy(&stopped);
            stack_walk(code, &copy, &first);
            check_once(&first);
            change_words(code, &stopped);
            change_registers(code, &stopped);
            checked++;
            with_rbp += is_listed(&first, STACK_WORD_FP);
            words += first.word_count;
        }
        stopped_let_go(&stopped);
    }
    printf("%u stacks, %u rest on rbp, %u words each\n", checked, with_rbp, words / checked);
    process_code_close(code);
    stopped_end(&stopped);
    scratch_close();
    code_store_destroy(store);
    CHECK(checked > STOPS / 2 && with_rbp > 0 && with_rbp < checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_rests_on_its_words_and_on_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
