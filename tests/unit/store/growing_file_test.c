/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/growing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "sample.h"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool has(const char *path, const char *text)
{
    char read[64] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t const size = fread(read, 1, sizeof(read) - 1, file);
    fclose(file);
    return size == strlen(text) && memcmp(read, text, size) == 0;
}

/* Whoever reads the old file goes on reading it, and the new one is locked from its first
 * moment. */
TEST(takes_the_place_of_what_was_there)
{
    char *path = sample_path();
    struct growing_file file;
    put(path, "old");
    int const old = open(path, O_RDONLY);
    char letter = 0;
    assert_int_equal(growing_file_create(&file, path), 0);
    assert_int_equal(growing_file_append(&file, "new", 3), 0);
    assert_int_equal(pread(old, &letter, 1, 0), 1);
    assert_int_equal(letter, 'o');
    assert_true(has(path, "new"));
    int const seen = open(path, O_RDONLY);
    assert_true(growing_file_is_open(seen));
    close(seen);
    close(old);
    growing_file_close(&file);
    sample_forget_path(path);
}

TEST(a_file_that_somebody_writes_is_left_alone)
{
    char *path = sample_path();
    struct growing_file first, second;
    assert_int_equal(growing_file_create(&first, path), 0);
    assert_int_equal(growing_file_append(&first, "first", 5), 0);
    assert_int_equal(growing_file_create(&second, path), -EBUSY);
    assert_true(has(path, "first"));
    growing_file_close(&first);
    assert_int_equal(growing_file_create(&second, path), 0);
    growing_file_close(&second);
    sample_forget_path(path);
}

TEST(a_claim_keeps_others_off_until_it_is_taken)
{
    char *path = sample_path();
    struct growing_file file, other;
    for (unsigned is_old = 0; is_old < 2; is_old++) {
        if (is_old)
            put(path, "old");
        int const claim = growing_file_claim(path);
        assert_true(claim >= 0);
        assert_int_equal(growing_file_claim(path), -EBUSY);
        assert_int_equal(growing_file_create(&other, path), -EBUSY);
        assert_int_equal(growing_file_take(&file, path, claim), 0);
        assert_int_equal(growing_file_create(&other, path), -EBUSY);
        growing_file_close(&file);
    }
    int const claim = growing_file_claim(path); /* to a file that goes */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(growing_file_take(&file, path, claim), 0);
    assert_int_equal(growing_file_append(&file, "new", 3), 0);
    assert_true(has(path, "new"));
    growing_file_close(&file);
    sample_forget_path(path);
}

#define RIVALS 8
static void rival(const char *path, int wait_fd)
{
    struct growing_file file;
    char letter;
    (void)!read(wait_fd, &letter, 1);
    if (growing_file_create(&file, path) < 0)
        _exit(1);
    usleep(200000);
    struct stat own, named;
    bool const is_mine =
        fstat(file.fd, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino;
    _exit(is_mine ? 0 : 2);
}

/* However close together they come: one writes, the others are refused. */
TEST(of_many_at_once_one_wins)
{
    for (unsigned round = 0; round < 20; round++) {
        char *path = sample_path();
        int go[2], won = 0;
        pid_t rivals[RIVALS];
        assert_int_equal(pipe(go), 0);
        if (round % 2)
            put(path, "old");
        for (unsigned i = 0; i < RIVALS; i++) {
            rivals[i] = fork();
            if (rivals[i] == 0) {
                close(go[1]);
                rival(path, go[0]);
            }
        }
        close(go[0]);
        close(go[1]);
        for (unsigned i = 0; i < RIVALS; i++) {
            int status;
            assert_int_equal(waitpid(rivals[i], &status, 0), rivals[i]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            won += WEXITSTATUS(status) == 0;
        }
        assert_int_equal(won, 1);
        sample_forget_path(path);
    }
}

/* A copy takes the place of its own file, and of no other. */
TEST(a_copy_replaces_only_its_own)
{
    char *path = sample_path(), *name;
    struct growing_file file, copy;
    assert_true(asprintf(&name, "%s.tmp", path) > 0);
    put(name, "of somebody else");
    assert_int_equal(growing_file_create(&file, path), 0);
    assert_int_equal(growing_file_create_beside(&copy, path), 0);
    assert_int_equal(growing_file_append(&copy, "copy", 4), 0);
    assert_int_equal(growing_file_replace(&copy, path, &file), 0);
    assert_true(has(path, "copy"));
    growing_file_close(&file);

    assert_int_equal(unlink(path), 0);
    put(path, "another");
    assert_int_equal(growing_file_create_beside(&file, path), 0);
    assert_int_equal(growing_file_replace(&file, path, &copy), -EEXIST);
    growing_file_discard(&file);
    growing_file_close(&copy);
    assert_true(has(path, "another"));
    assert_true(has(name, "of somebody else"));
    unlink(name);
    free(name);
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_place_of_what_was_there),
        cmocka_unit_test(a_file_that_somebody_writes_is_left_alone),
        cmocka_unit_test(a_claim_keeps_others_off_until_it_is_taken),
        cmocka_unit_test(of_many_at_once_one_wins),
        cmocka_unit_test(a_copy_replaces_only_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
