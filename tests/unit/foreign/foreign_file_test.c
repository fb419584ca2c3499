/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"

static const struct foreign_limits small = {.bytes_max = 1 << 20};

static const char *in_folder(const char *name)
{
    static char path[400];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int root_of_test(void)
{
    int const fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(fd >= 0);
    return fd;
}

/* Opens "name" in the folder as a root, and reads what is in it. */
static int open_inside(const char *name, char *text, size_t size, struct fault *fault)
{
    int const root = root_of_test();
    int const fd = foreign_file_open(root, name, &small, fault);
    text[0] = '\0';
    if (fd >= 0) {
        ssize_t const got = read(fd, text, size - 1);
        text[got > 0 ? got : 0] = '\0';
        CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        close(fd);
    }
    close(root);
    return fd;
}

static void expect_text(const char *name, const char *expected)
{
    char text[64];
    CHECK(open_inside(name, text, sizeof(text), NULL) >= 0);
    assert_string_equal(text, expected);
}

static void expect_refusal(const char *name, int error, const char *word)
{
    char text[64];
    struct fault fault = {.text = ""};
    assert_int_equal(open_inside(name, text, sizeof(text), &fault), error);
    CHECK(strstr(fault.text, word) != NULL);
    CHECK(strchr(fault.text, '\n') == NULL);
}

TEST(a_regular_file_is_read)
{
    put("file", "hello");
    expect_text("file", "hello");
    expect_text("/file", "hello");
    expect_text("../../../file", "hello"); /* nothing is above a root */
    int const fd = foreign_file_open_below("", in_folder("file"), &small, NULL);
    CHECK(fd >= 0);
    close(fd);
}

TEST(links_stay_inside_the_root)
{
    put("file", "inside");
    CHECK(mkdir(in_folder("etc"), 0700) == 0);
    put("etc/passwd", "theirs");
    CHECK(symlink("/etc/passwd", in_folder("absolute")) == 0);
    CHECK(symlink("../../../../../../etc/passwd", in_folder("upward")) == 0);
    CHECK(symlink("upward", in_folder("twice")) == 0);
    expect_text("absolute", "theirs");
    expect_text("upward", "theirs");
    expect_text("twice", "theirs");
    CHECK(symlink("round", in_folder("round")) == 0);
    expect_refusal("round", -ELOOP, "round");
}

TEST(a_last_link_is_refused_where_it_must_be_none)
{
    struct foreign_limits const limits = {.bytes_max = 1 << 20, .refuses_link = true};
    struct fault fault = {.text = ""};
    put("file", "x");
    CHECK(symlink("file", in_folder("link")) == 0 && symlink(".", in_folder("here")) == 0);
    int const root = root_of_test();
    assert_int_equal(foreign_file_open(root, "link", &limits, &fault), -EACCES);
    CHECK(strstr(fault.text, "a symbolic link") != NULL);
    int const fd = foreign_file_open(root, "here/file", &limits, &fault);
    CHECK(fd >= 0);
    close(fd);
    close(root);
}

/* A link of /proc leads anywhere at all, and to what has no name. */
TEST(links_of_proc_are_not_followed)
{
    int const root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(foreign_file_open(root, "/proc/self/exe", &small, NULL), -ELOOP);
    assert_int_equal(foreign_file_open(root, "/proc/self/root/etc/passwd", &small, NULL), -ELOOP);
    assert_int_equal(foreign_file_open(root, "/proc/self/maps", &small, NULL), -EACCES);
    assert_int_equal(foreign_file_open(root, "/sys/kernel/uevent_seqnum", &small, NULL), -EACCES);
    close(root);
    assert_int_equal(foreign_file_open(FOREIGN_OWN_ROOT, "/proc/self/mem", &small, NULL), -EACCES);
}

static void make_socket(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int const fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", folder, name);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
    close(fd);
}

/* Not even for a moment: opening a device does something, and a FIFO lets a writer go on. */
TEST(what_is_no_file_is_never_opened)
{
    static const char *const names[] = {"fifo", "socket", "folder", "device"};
    char event[4096];
    int const watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    CHECK(watch >= 0 && mkfifo(in_folder("fifo"), 0600) == 0);
    CHECK(mkdir(in_folder("folder"), 0700) == 0);
    make_socket("socket");
    bool const has_device = mknod(in_folder("device"), S_IFCHR | 0600, makedev(1, 3)) == 0;
    for (size_t i = 0; i < (has_device ? 4 : 3); i++) {
        CHECK(inotify_add_watch(watch, in_folder(names[i]), IN_OPEN) >= 0);
        expect_refusal(names[i], -EACCES, names[i]);
    }
    assert_int_equal(read(watch, event, sizeof(event)), -1);
    assert_int_equal(errno, EAGAIN);
    close(open(in_folder("fifo"), O_RDONLY | O_NONBLOCK)); /* that is what would be seen */
    CHECK(read(watch, event, sizeof(event)) > 0);
    close(watch);
}

TEST(a_size_has_a_bound)
{
    struct foreign_limits const large = {.bytes_max = FOREIGN_PROGRAM_MAX};
    int const file = open(in_folder("large"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int const root = root_of_test();
    CHECK(write(file, "\177ELF", 4) == 4 && ftruncate(file, (1 << 20) + 1) == 0);
    expect_refusal("large", -EFBIG, "1048577 bytes");
    CHECK(ftruncate(file, (off_t)8 << 30) == 0);
    assert_int_equal(foreign_file_open(root, "large", &large, NULL), -EFBIG); /* all hole */
    close(file);
    close(root);
    /* Where a file can be as large as a number says. */
    int const memory = memfd_create("large", MFD_CLOEXEC);
    CHECK(write(memory, "\177ELF", 4) == 4 && ftruncate(memory, INT64_MAX) == 0);
    char name[64];
    snprintf(name, sizeof(name), "/proc/self/fd/%d", memory);
    assert_int_equal(foreign_file_open(FOREIGN_OWN_ROOT, name, &large, NULL), -EFBIG);
    close(memory);
}

/* Whoever opens a file that has a lease waits for its holder, 45 seconds by default. */
TEST(a_lease_makes_nobody_wait)
{
    signal(SIGIO, SIG_IGN);
    int const file = open(in_folder("leased"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fcntl(file, F_SETLEASE, F_WRLCK) < 0)
        skip();
    expect_refusal("leased", -EAGAIN, "leased");
    CHECK(fcntl(file, F_SETLEASE, F_UNLCK) == 0);
    close(file);
    expect_text("leased", "");
}

/* Puts a FIFO, a device-like folder, a link and a file to one name, as fast as it can. */
static pid_t start_swapper(void)
{
    put("is_file", "fine");
    CHECK(mkfifo(in_folder("is_fifo"), 0600) == 0);
    CHECK(symlink("/etc/passwd", in_folder("is_link")) == 0);
    pid_t const pid = fork();
    if (pid == 0) {
        static const char *const kinds[] = {"is_file", "is_fifo", "is_link"};
        char from[400], to[400];
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(to, sizeof(to), "%s/name", folder);
        for (unsigned i = 0;; i++) {
            char fresh[400];
            snprintf(from, sizeof(from), "%s/%s", folder, kinds[i % 3]);
            snprintf(fresh, sizeof(fresh), "%s/fresh", folder);
            if (linkat(AT_FDCWD, from, AT_FDCWD, fresh, 0) == 0)
                rename(fresh, to);
            unlink(fresh); /* rename leaves two names of the same file alone */
        }
    }
    return pid;
}

TEST(a_name_that_changes_is_a_file_or_nothing)
{
    pid_t const pid = start_swapper();
    int const root = root_of_test();
    unsigned files = 0;
    for (int i = 0; i < 20000 || (files == 0 && i < 2000000); i++) {
        struct stat facts;
        char text[8] = "";
        int const fd = foreign_file_open(root, "name", &small, NULL);
        if (fd < 0)
            continue;
        CHECK(fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode));
        CHECK(read(fd, text, sizeof(text) - 1) == 4 && strcmp(text, "fine") == 0);
        close(fd);
        files++;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(root);
    CHECK(files > 0);
}

TEST(a_program_without_a_name_is_found_by_its_process)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    char head[4];
    int const fd = foreign_program_open((uint32_t)getpid(), &limits, NULL);
    CHECK(fd >= 0 && read(fd, head, 4) == 4 && memcmp(head, "\177ELF", 4) == 0);
    close(fd);
    CHECK(foreign_program_open(0, &limits, NULL) == -ENOENT);
}

/* A mapped device is seen in map_files like any file. */
TEST(a_mapped_device_is_not_opened)
{
    struct fault fault = {.text = ""};
    int const zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, zero, 0);
    CHECK(zero >= 0 && at != MAP_FAILED);
    uint64_t const start = (uint64_t)(uintptr_t)at;
    CHECK(foreign_mapping_open((uint32_t)getpid(), start, start + 4096, &small, &fault) < 0);
    if (geteuid() == 0)
        CHECK(strstr(fault.text, "a device") != NULL);
    munmap(at, 4096);
    close(zero);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_regular_file_is_read),
        IN_FOLDER(links_stay_inside_the_root),
        IN_FOLDER(a_last_link_is_refused_where_it_must_be_none),
        cmocka_unit_test(links_of_proc_are_not_followed),
        IN_FOLDER(what_is_no_file_is_never_opened),
        IN_FOLDER(a_size_has_a_bound),
        IN_FOLDER(a_lease_makes_nobody_wait),
        IN_FOLDER(a_name_that_changes_is_a_file_or_nothing),
        cmocka_unit_test(a_program_without_a_name_is_found_by_its_process),
        cmocka_unit_test(a_mapped_device_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
