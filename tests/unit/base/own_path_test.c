/* SPDX-License-Identifier: Apache-2.0 */
#include "base/own_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define STRANGER 65534

/* A folder that everybody may write to, and one of ours; relative paths begin there. */
static char top[] = "/tmp/own-path-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    CHECK(mkdtemp(top) && chdir(top) == 0 && chmod(top, 0755) == 0);
    CHECK(mkdir("shared", 0777) == 0 && chmod("shared", 0777) == 0 && mkdir("ours", 0700) == 0);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", top);
    return chdir("/") == 0 ? system(command) : -1; /* NOLINT(cert-env33-c) */
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *content_of(const char *path)
{
    static char text[64];
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    size_t const size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static int try_to_write(const char *path)
{
    struct fault fault = {.code = 0};
    int const fd = own_path_open(path, O_WRONLY | O_TRUNC, NULL, &fault);
    if (fd < 0) {
        CHECK(fault.code == fd && fault.text[0]);
        return fd;
    }
    CHECK(write(fd, "new", 3) == 3);
    close(fd);
    return 0;
}

static void link_of(uid_t owner, const char *target, const char *path)
{
    CHECK(symlink(target, path) == 0 && lchown(path, owner, owner) == 0);
}

TEST(new_files_are_private_and_old_ones_are_emptied)
{
    struct stat about;
    write_file("ours/old", "a long old text");
    CHECK(chmod("ours/old", 0640) == 0);
    CHECK(try_to_write("ours/old") == 0 && try_to_write("ours/fresh") == 0);
    assert_string_equal(content_of("ours/old"), "new");
    CHECK(stat("ours/old", &about) == 0 && (about.st_mode & 0777) == 0640);
    CHECK(stat("ours/fresh", &about) == 0 && (about.st_mode & 0777) == 0600);
}

TEST(all_ways_to_write_a_path_lead_there)
{
    char whole[256];
    CHECK(mkdir("ours/deep", 0700) == 0);
    snprintf(whole, sizeof(whole), "%s//ours/./deep/../deep/file", top);
    CHECK(try_to_write(whole) == 0);
    CHECK(try_to_write("./ours//deep/../deep/other") == 0);
    CHECK(access("ours/deep/file", F_OK) == 0 && access("ours/deep/other", F_OK) == 0);
    CHECK(try_to_write("ours/deep/") == -EISDIR && try_to_write("ours") == -EISDIR);
    CHECK(try_to_write("/") == -EISDIR && try_to_write("") == -ENOENT);
    CHECK(try_to_write("ours/none/file") == -ENOENT);
    CHECK(try_to_write("ours/deep/file/under") == -ENOTDIR);
    CHECK(try_to_write("/dev/null") == 0 && try_to_write("/dev/stderr") == 0);
}

TEST(own_links_are_followed_wherever_they_are)
{
    CHECK(mkdir("ours/real", 0700) == 0);
    CHECK(symlink("../ours/real", "shared/way") == 0 && symlink("end", "ours/real/last") == 0);
    CHECK(try_to_write("shared/way/last") == 0 && access("ours/real/end", F_OK) == 0);
    CHECK(symlink("round", "ours/round") == 0 && try_to_write("ours/round") == -ELOOP);
    CHECK(try_to_write("ours/round/on") == -ELOOP);
    CHECK(symlink("", "ours/empty") < 0 && symlink("/", "ours/root") == 0);
    CHECK(try_to_write("ours/root/dev/null") == 0);
}

TEST(links_of_others_are_refused_in_every_part)
{
    if (geteuid() != 0)
        skip();
    CHECK(mkdir("precious", 0755) == 0);
    write_file("precious/file", "precious");
    link_of(STRANGER, "../precious", "shared/folder");
    link_of(STRANGER, "../precious/file", "shared/last");
    link_of(STRANGER, "/", "shared/root");
    link_of(0, "folder", "shared/ours_by_theirs");
    CHECK(try_to_write("shared/folder/file") == -EPERM);
    CHECK(try_to_write("shared/folder/new") == -EPERM);
    CHECK(try_to_write("shared/last") == -EPERM);
    CHECK(try_to_write("shared/root/dev/null") == -EPERM);
    CHECK(try_to_write("shared/ours_by_theirs/file") == -EPERM);
    assert_string_equal(content_of("precious/file"), "precious");
    CHECK(access("precious/new", F_OK) < 0);
}

TEST(files_of_others_are_refused_where_everybody_may_put_them)
{
    if (geteuid() != 0)
        skip();
    write_file("shared/theirs", "theirs");
    CHECK(chown("shared/theirs", STRANGER, STRANGER) == 0 && mkfifo("shared/pipe", 0666) == 0 &&
          chown("shared/pipe", STRANGER, STRANGER) == 0);
    write_file("ours/theirs", "theirs");
    CHECK(chown("ours/theirs", STRANGER, STRANGER) == 0);
    CHECK(try_to_write("shared/theirs") == -EPERM && try_to_write("shared/pipe") == -EPERM);
    CHECK(try_to_write("ours/theirs") == 0); /* root was asked for that very file */
}

TEST(what_changes_after_the_look_is_not_opened)
{
    struct own_place place;
    write_file("shared/mine", "mine");
    write_file("ours/kept", "kept");
    CHECK(own_place_find("shared/mine", &place, NULL) == 0 && place.exists);
    CHECK(unlink("shared/mine") == 0 && own_place_open(&place, O_WRONLY | O_TRUNC) == -EAGAIN);
    CHECK(symlink("../ours/kept", "shared/mine") == 0);
    CHECK(own_place_open(&place, O_WRONLY | O_TRUNC) == -EAGAIN);
    CHECK(unlink("shared/mine") == 0 && link("ours/kept", "shared/mine") == 0);
    CHECK(own_place_open(&place, O_WRONLY | O_TRUNC) == -EAGAIN);
    own_place_close(&place);
    assert_string_equal(content_of("ours/kept"), "kept");

    CHECK(own_place_find("shared/late", &place, NULL) == 0 && !place.exists);
    CHECK(symlink("../ours/late", "shared/late") == 0);
    CHECK(own_place_open(&place, O_WRONLY) == -EAGAIN && access("ours/late", F_OK) < 0);
    own_place_close(&place);
}

TEST(the_folder_that_was_found_is_written_to_and_no_other)
{
    struct own_place place;
    CHECK(mkdir("shared/sub", 0700) == 0 && mkdir("ours/sub", 0700) == 0);
    CHECK(own_place_find("shared/sub/file", &place, NULL) == 0);
    CHECK(rename("shared/sub", "shared/moved") == 0 && symlink("../ours/sub", "shared/sub") == 0);
    int const fd = own_place_open(&place, O_WRONLY);
    CHECK(fd >= 0 && access("shared/moved/file", F_OK) == 0 && access("ours/sub/file", F_OK) < 0);
    close(fd);
    own_place_close(&place);
}

TEST(a_resolved_path_has_no_links)
{
    char place[PATH_MAX], wanted[PATH_MAX];
    CHECK(mkdir("ours/there", 0700) == 0 && symlink("there", "ours/here") == 0);
    snprintf(wanted, sizeof(wanted), "%s/ours/there/file", top);
    CHECK(own_path_resolve("ours/here/file", place, NULL) == 0);
    assert_string_equal(place, wanted);
    CHECK(own_path_resolve("/none", place, NULL) == 0);
    assert_string_equal(place, "/none");
}

TEST(a_path_stays_where_only_we_may_change_it)
{
    char path[PATH_MAX];
    write_file("ours/stays", "");
    snprintf(path, sizeof(path), "%s/ours/stays", top);
    CHECK(own_path_stays(path) && !own_path_stays("ours/stays"));
    write_file("shared/goes", "");
    snprintf(path, sizeof(path), "%s/shared/goes", top);
    CHECK(!own_path_stays(path));
    CHECK(chmod("shared", 01777) == 0 && own_path_stays(path));
    CHECK(chmod("shared", 0777) == 0);
    if (geteuid() == 0) {
        CHECK(chown("ours", STRANGER, STRANGER) == 0);
        snprintf(path, sizeof(path), "%s/ours/stays", top);
        CHECK(!own_path_stays(path) && chown("ours", 0, 0) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_files_are_private_and_old_ones_are_emptied),
        cmocka_unit_test(all_ways_to_write_a_path_lead_there),
        cmocka_unit_test(own_links_are_followed_wherever_they_are),
        cmocka_unit_test(links_of_others_are_refused_in_every_part),
        cmocka_unit_test(files_of_others_are_refused_where_everybody_may_put_them),
        cmocka_unit_test(what_changes_after_the_look_is_not_opened),
        cmocka_unit_test(the_folder_that_was_found_is_written_to_and_no_other),
        cmocka_unit_test(a_resolved_path_has_no_links),
        cmocka_unit_test(a_path_stays_where_only_we_may_change_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
