/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"

static char top[PATH_MAX];
static struct source_text source;
static struct fault fault;

static const char *in_top(const char *name)
{
    static char paths[4][PATH_MAX + 64];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
    return path;
}

static void make_file(const char *name, const char *text, size_t size, mode_t mode)
{
    int const fd = open(in_top(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, text, size) == (ssize_t)size && fchmod(fd, mode) == 0);
    close(fd);
}

static void make_folder(const char *name, mode_t mode)
{
    CHECK(mkdir(in_top(name), 0700) == 0 && chmod(in_top(name), mode) == 0);
}

static int set_up(void **state)
{
    char made[] = "/tmp/memoir-sources-XXXXXX";
    (void)state;
    CHECK(mkdtemp(made) && realpath(made, top) && chmod(top, 0755) == 0);
    make_folder("src", 0755);
    make_folder("src/deep", 0755);
    make_folder("src/.git", 0755);
    make_folder("closed", 0700);
    make_file("src/open.c", "int a;\n", 7, 0644);
    make_file("src/deep/tail.c", "deep\n", 5, 0644);
    make_file("src/.git/config", "secret\n", 7, 0644);
    make_file("src/.hidden.c", "secret\n", 7, 0644);
    make_file("src/private.c", "secret\n", 7, 0640);
    make_file("src/secret.key", "secret\n", 7, 0644);
    make_file("closed/inside.c", "secret\n", 7, 0644);
    make_file("src/binary.c", "a\0b", 3, 0644);
    make_file("src/latin.c", "caf\xe9\n", 5, 0644);
    make_file("src/escape.c", "\x1b[2J", 4, 0644);
    CHECK(symlink("private.c", in_top("src/link.c")) == 0);
    CHECK(symlink("src", in_top("linked")) == 0);
    CHECK(mkfifo(in_top("src/pipe.c"), 0644) == 0 && chmod(in_top("src/pipe.c"), 0644) == 0);
    return 0;
}

static int tear_down(void **state)
{
    char command[PATH_MAX + 16];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", top);
    return system(command);
}

static int read_with(const struct source_folders *folders, bool is_here, const char *named)
{
    source_text_fini(&source);
    fault = (struct fault){.text = ""};
    int const err = source_file_read(folders, is_here, named, &source, &fault);
    CHECK(!err == !fault.text[0]);
    CHECK(!err == (source.text != NULL));
    return err;
}

static int read_public(const char *named)
{
    return read_with(&(struct source_folders){.count = 0}, true, named);
}

static int read_in(const char *folder, const char *named)
{
    return read_with(&(struct source_folders){{folder}, 1}, false, named);
}

TEST(what_everybody_may_read_is_shown_here)
{
    CHECK(read_public(in_top("src/open.c")) == 0);
    assert_string_equal(source.text, "int a;\n");
    assert_string_equal(source.path, in_top("src/open.c"));
    CHECK(read_public(in_top("build/../src/open.c")) == 0);
    assert_string_equal(source.path, in_top("src/open.c"));
    CHECK(source.size == 7 && source.changed_unix_ns > UINT64_C(1600000000000000000));
    source_text_fini(&source);
}

TEST(without_sources_nothing_else_is)
{
    CHECK(read_public(in_top("src/private.c")) == -EACCES);
    CHECK(read_public(in_top("closed/inside.c")) == -EACCES);
    CHECK(read_public(in_top("src/secret.key")) == -EACCES);
    CHECK(read_public(in_top("src/.hidden.c")) == -EACCES);
    CHECK(read_public(in_top("src/link.c")) == -EACCES);
    CHECK(read_public(in_top("linked/open.c")) == -EACCES);
    CHECK(read_public(in_top("src/pipe.c")) == -EACCES);
    CHECK(read_public(in_top("src/deep")) == -EACCES);
    CHECK(read_public(in_top("src/open.c/x.c")) == -EACCES);
    CHECK(read_public(in_top("src/../closed/inside.c")) == -EACCES);
    CHECK(read_public(in_top("linked/../src/private.c")) == -EACCES);
    CHECK(read_public(in_top("../../../../../../../src/open.c")) == -EACCES);
    CHECK(read_public("src/open.c") == -EACCES);
    CHECK(read_public(in_top("src/absent.c")) == -ENOENT);
    CHECK(read_public("") == -EINVAL && read_public("/") == -EINVAL);
}

TEST(files_of_the_system_are_not_shown)
{
    static const char *const names[] = {"/etc/shadow",
                                        "/etc/passwd",
                                        "/dev/zero",
                                        "/dev/null",
                                        "/proc/self/environ",
                                        "/proc/self/mem",
                                        "/proc/self/root/etc/passwd",
                                        "/proc/self/cwd/a.c",
                                        "/dev/stdin",
                                        "/dev/fd/0",
                                        "/sys/kernel/notes",
                                        "/../../etc/passwd",
                                        "../../../etc/shadow"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        CHECK(read_public(names[i]) == -EACCES);
    CHECK(read_public("/proc/self/cwd/x/a.c") == -EACCES);
}

TEST(other_machines_see_nothing_without_sources)
{
    CHECK(read_with(&(struct source_folders){.count = 0}, false, in_top("src/open.c")) == -EACCES);
    CHECK(strstr(fault.text, "--sources"));
}

TEST(beneath_sources_the_longest_tail_counts)
{
    CHECK(read_in(in_top("src"), "/somewhere/else/deep/tail.c") == 0);
    assert_string_equal(source.text, "deep\n");
    assert_string_equal(source.path, in_top("src/deep/tail.c"));
    CHECK(read_in(in_top("src"), in_top("src/open.c")) == 0);
    CHECK(read_in(in_top("src"), "./deep/../deep/tail.c") == 0);
    CHECK(read_in(in_top("src"), "tail.c") == -ENOENT);
    CHECK(read_in(in_top("src/"), "open.c") == 0);
    CHECK(read_in(in_top("linked"), "open.c") == 0); /* the folder itself is the user's word */
    CHECK(read_in(in_top("src"), in_top("src/private.c")) == 0); /* as the server may */
    source_text_fini(&source);
}

TEST(nothing_leads_out_of_sources)
{
    const char *folder = in_top("src/deep");
    CHECK(read_in(folder, "../open.c") == -ENOENT);
    CHECK(read_in(folder, "/x/../../open.c") == -ENOENT);
    CHECK(read_in(folder, in_top("src/private.c")) == -ENOENT);
    CHECK(read_in(folder, "/etc/passwd") == -ENOENT);
    CHECK(read_in(in_top("src"), "link.c") == -EACCES);
    CHECK(read_in(in_top("src"), "pipe.c") == -EACCES);
    CHECK(read_in(in_top("src"), "deep") == -EACCES);
    CHECK(read_in(top, "linked/open.c") == -EACCES);
    CHECK(read_in(in_top("src"), ".git/config") == -EPERM);
    CHECK(read_in(in_top("src"), ".hidden.c") == -EPERM);
    CHECK(read_in(in_top("absent"), "open.c") == -ENOENT);
}

TEST(only_text_is_shown_and_not_too_much)
{
    char *large = malloc(SOURCE_BYTES_MOST + 1);
    CHECK(large);
    memset(large, 'x', SOURCE_BYTES_MOST + 1);
    make_file("src/just.c", large, SOURCE_BYTES_MOST, 0644);
    make_file("src/large.c", large, SOURCE_BYTES_MOST + 1, 0644);
    make_file("src/empty.c", "", 0, 0644);
    free(large);
    CHECK(read_public(in_top("src/just.c")) == 0 && source.size == SOURCE_BYTES_MOST);
    CHECK(read_public(in_top("src/large.c")) == -EFBIG);
    CHECK(read_public(in_top("src/empty.c")) == 0 && source.size == 0);
    CHECK(read_public(in_top("src/binary.c")) == -EILSEQ);
    CHECK(read_public(in_top("src/latin.c")) == -EILSEQ);
    CHECK(read_public(in_top("src/escape.c")) == -EILSEQ);
    source_text_fini(&source);
}

TEST(no_descriptor_is_left_open)
{
    int const before = open("/", O_PATH | O_CLOEXEC);
    close(before);
    for (int i = 0; i < 3; i++) {
        read_public(in_top("src/open.c"));
        read_public(in_top("src/private.c"));
        read_public(in_top("src/link.c"));
        read_public(in_top("src/latin.c"));
        read_in(in_top("src"), "/a/b/c/link.c");
        read_in(in_top("src"), "/a/b/deep/tail.c");
    }
    int const after = open("/", O_PATH | O_CLOEXEC);
    close(after);
    CHECK(before == after);
    source_text_fini(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_everybody_may_read_is_shown_here),
        cmocka_unit_test(without_sources_nothing_else_is),
        cmocka_unit_test(files_of_the_system_are_not_shown),
        cmocka_unit_test(other_machines_see_nothing_without_sources),
        cmocka_unit_test(beneath_sources_the_longest_tail_counts),
        cmocka_unit_test(nothing_leads_out_of_sources),
        cmocka_unit_test(only_text_is_shown_and_not_too_much),
        cmocka_unit_test(no_descriptor_is_left_open),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
