/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/memoir-launch-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static const char *make_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
    const char *path = in_folder(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    CHECK(fchmod(fd, mode) == 0 && close(fd) == 0);
    return path;
}

/* An executable of one segment; `interpreter`: the kind that a loader starts. */
static const char *make_elf(const char *name, uint16_t machine, uint8_t class,
                            const char *interpreter)
{
    struct {
        Elf64_Ehdr elf;
        Elf64_Phdr segments[2];
        char text[128];
    } file = {.elf = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class, ELFDATA2LSB, 1},
                      .e_type = ET_DYN,
                      .e_machine = machine,
                      .e_phoff = sizeof(Elf64_Ehdr),
                      .e_phentsize = sizeof(Elf64_Phdr),
                      .e_phnum = 2}};
    file.segments[0].p_type = PT_LOAD;
    file.segments[1].p_type = interpreter ? PT_INTERP : PT_NOTE;
    file.segments[1].p_offset = offsetof(__typeof__(file), text);
    snprintf(file.text, sizeof(file.text), "%s", interpreter ? interpreter : "");
    return make_file(name, &file, sizeof(file), 0755);
}

/* One sentence that names what it is about. */
static void expect_fault(const struct fault *fault, int code, const char *part)
{
    assert_int_equal(fault->code, code);
    if (!strstr(fault->text, part))
        fail_msg("no \"%s\" in \"%s\"", part, fault->text);
    CHECK(!strchr(fault->text, '\n'));
}

TEST(names_are_found_as_a_shell_finds_them)
{
    struct fault fault;
    char path[4096], search[1024];
    make_file("program", "#!/bin/sh\n", 10, 0755);
    make_file("data", "#!/bin/sh\n", 10, 0644);
    CHECK(launch_find(in_folder("program"), path, sizeof(path), &fault) == 0);
    assert_string_equal(path, in_folder("program"));
    CHECK(launch_find(in_folder("missing"), path, sizeof(path), &fault) == -ENOENT);
    expect_fault(&fault, -ENOENT, "not found");
    CHECK(launch_find(in_folder("data"), path, sizeof(path), &fault) == -EACCES);
    expect_fault(&fault, -EACCES, "chmod");
    CHECK(launch_find(folder, path, sizeof(path), &fault) == -EACCES);
    expect_fault(&fault, -EACCES, "folder");

    char *old = strdup(getenv("PATH"));
    snprintf(search, sizeof(search), "/nonexistent:%s:/bin", folder);
    setenv("PATH", search, 1);
    CHECK(launch_find("program", path, sizeof(path), &fault) == 0);
    assert_string_equal(path, in_folder("program"));
    CHECK(launch_find("missing-program", path, sizeof(path), &fault) == -ENOENT);
    CHECK(launch_find("data", path, sizeof(path), &fault) == -EACCES); /* there, but not for us */
    CHECK(launch_find("", path, sizeof(path), &fault) == -ENOENT);
    char here[4096];
    CHECK(getcwd(here, sizeof(here)) && chdir(folder) == 0);
    setenv("PATH", ":/bin", 1); /* an empty entry is where we are */
    CHECK(launch_find("program", path, sizeof(path), &fault) == 0);
    CHECK(launch_find("sh", path, sizeof(path), &fault) == 0);
    setenv("PATH", "", 1);
    launch_find("program", path, sizeof(path), &fault);
    CHECK(chdir(here) == 0);
    setenv("PATH", old, 1);
    free(old);
}

TEST(what_cannot_be_traced_is_told)
{
    struct fault fault;
    CHECK(launch_check("/bin/sh", &fault) == 0);
    CHECK(launch_check(make_elf("good", EM_X86_64, ELFCLASS64, "/lib64/ld-linux-x86-64.so.2"),
                       &fault) == 0);
    CHECK(launch_check(make_elf("static", EM_X86_64, ELFCLASS64, NULL), &fault) == -ENOEXEC);
    expect_fault(&fault, -ENOEXEC, "statically linked");
    CHECK(launch_check(make_elf("small", EM_386, ELFCLASS32, "/lib/ld-linux.so.2"), &fault) ==
          -ENOEXEC);
    expect_fault(&fault, -ENOEXEC, "architecture");
    CHECK(launch_check(make_elf("arm", EM_AARCH64, ELFCLASS64, "/lib/ld-linux-aarch64.so.1"),
                       &fault) == -ENOEXEC);
    expect_fault(&fault, -ENOEXEC, "architecture");
    CHECK(launch_check(make_elf("musl", EM_X86_64, ELFCLASS64, "/lib/ld-musl-x86_64.so.1"),
                       &fault) == -ENOEXEC);
    expect_fault(&fault, -ENOEXEC, "glibc");
    CHECK(launch_check(make_file("text", "hello", 5, 0755), &fault) == -ENOEXEC);
    expect_fault(&fault, -ENOEXEC, "neither");
    CHECK(launch_check(make_file("empty", "", 0, 0755), &fault) == -ENOEXEC);
    CHECK(launch_check(make_file("cut", ELFMAG "\2\1\1", 7, 0755), &fault) == -ENOEXEC);
}

TEST(scripts_are_judged_by_their_interpreter)
{
    struct fault fault;
    char text[300];
    CHECK(launch_check(make_file("shell", "#!/bin/sh\n", 10, 0755), &fault) == 0);
    CHECK(launch_check(make_file("spaces", "#! \t/bin/sh -e\n", 15, 0755), &fault) == 0);
    CHECK(launch_check(make_file("no-newline", "#!/bin/sh", 9, 0755), &fault) == 0);
    CHECK(launch_check(make_file("lost", "#!/no/such/thing\n", 17, 0755), &fault) == -ENOENT);
    expect_fault(&fault, -ENOENT, "/no/such/thing");
    int size = snprintf(text, sizeof(text), "#!%s\n", make_elf("static2", EM_X86_64, 2, NULL));
    CHECK(launch_check(make_file("to-static", text, (size_t)size, 0755), &fault) == -ENOEXEC);
    expect_fault(&fault, -ENOEXEC, "statically linked");
    size = snprintf(text, sizeof(text), "#!%s\n", in_folder("itself"));
    launch_check(make_file("itself", text, (size_t)size, 0755), &fault); /* an end, whichever */
    CHECK(launch_check(make_file("bare", "#!\n", 3, 0755), &fault) == -ENOEXEC);
    memset(text, 'x', sizeof(text));
    memcpy(text, "#!/", 3);
    CHECK(launch_check(make_file("long", text, sizeof(text), 0755), &fault) < 0);
}

/* Starts a program and gives what it wrote.  Its exit status. */
static int run(const struct launch *launch, char *output, size_t room)
{
    struct fault fault;
    int status, pipe_ends[2], old = dup(1);
    CHECK(pipe2(pipe_ends, O_CLOEXEC) == 0);
    fflush(stdout);
    dup2(pipe_ends[1], 1);
    pid_t pid = launch_start(launch, &fault);
    dup2(old, 1);
    close(old);
    close(pipe_ends[1]);
    CHECK(pid > 0);
    size_t got = 0;
    for (ssize_t more; (more = read(pipe_ends[0], output + got, room - 1 - got)) > 0;)
        got += (size_t)more;
    output[got] = '\0';
    close(pipe_ends[0]);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void run_script(const char *script, const char *library, char **arguments, char *output,
                       size_t room)
{
    struct launch launch = {.path = make_file("script", script, strlen(script), 0755),
                            .arguments = arguments,
                            .library = library,
                            .arena = "/an/arena"};
    assert_int_equal(run(&launch, output, room), 7);
}

TEST(a_program_gets_its_arguments_and_the_tracer)
{
    char output[4096], zero[] = "other name", one[] = "first one", two[] = "";
    char *arguments[] = {zero, one, two, NULL};
    launch_remember();
    unsetenv("LD_PRELOAD");
    setenv("KEPT", "as it was", 1);
    /* an empty library: a name that the loader does not find would be told on stderr */
    run_script("#!/bin/sh\necho \"$#|$1|$2|$LD_PRELOAD|$MEMOIR_ARENA|$KEPT\"; exit 7\n", "",
               arguments, output, sizeof(output));
    assert_string_equal(output, "2|first one|||/an/arena|as it was\n");
    CHECK(!getenv("MEMOIR_ARENA") && !getenv("LD_PRELOAD")); /* ours is untouched */
}

TEST(the_library_goes_before_what_was_preloaded)
{
    char output[4096], zero[] = "x";
    char *arguments[] = {zero, NULL};
    const char *script = "#!/bin/sh\necho \"$LD_PRELOAD\"; exit 7\n";
    int quiet = open("/dev/null", O_WRONLY), old = dup(2);
    dup2(quiet, 2); /* the loader's words about libraries that are not there */
    launch_remember();
    setenv("LD_PRELOAD", "/no/theirs.so", 1);
    run_script(script, "/no/ours.so", arguments, output, sizeof(output));
    assert_string_equal(output, "/no/ours.so:/no/theirs.so\n");
    setenv("LD_PRELOAD", "", 1);
    run_script(script, "/no/ours.so", arguments, output, sizeof(output));
    assert_string_equal(output, "/no/ours.so:\n");
    unsetenv("LD_PRELOAD");
    run_script(script, "/no/ours.so", arguments, output, sizeof(output));
    assert_string_equal(output, "/no/ours.so\n");
    setenv(LAUNCH_PRELOAD, "/no/kept.so", 1); /* kept out of the recorder */
    run_script("#!/bin/sh\necho \"$LD_PRELOAD $" LAUNCH_PRELOAD "\"; exit 7\n", "/no/ours.so",
               arguments, output, sizeof(output));
    assert_string_equal(output, "/no/ours.so:/no/kept.so \n");
    unsetenv(LAUNCH_PRELOAD);
    dup2(old, 2);
    close(old);
    close(quiet);
}

static void nothing(int number)
{
    (void)number;
}

static unsigned long long signal_set(const char *status, const char *name)
{
    const char *line = strstr(status, name);
    CHECK(line != NULL);
    return strtoull(line + strlen(name), NULL, 16);
}

TEST(signals_are_as_they_were_before_we_changed_them)
{
    char output[8192], zero[] = "cat", one[] = "/proc/self/status";
    char *arguments[] = {zero, one, NULL};
    sigset_t blocked, old;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGUSR1, nothing);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_SETMASK, &blocked, &old);
    launch_remember();
    signal(SIGPIPE, SIG_DFL); /* what a recorder does for itself */
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    sigprocmask(SIG_SETMASK, &old, NULL);
    struct launch launch = {
        .path = "/bin/cat", .arguments = arguments, .library = "", .arena = "/an/arena"};
    CHECK(run(&launch, output, sizeof(output)) == 0);
    sigprocmask(SIG_SETMASK, &old, NULL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    unsigned long long ignored = signal_set(output, "SigIgn:");
    CHECK(ignored >> (SIGPIPE - 1) & 1);
    CHECK(!(ignored >> (SIGHUP - 1) & 1) && !(ignored >> (SIGINT - 1) & 1));
    CHECK(!(ignored >> (SIGUSR1 - 1) & 1));
    CHECK(signal_set(output, "SigBlk:") >> (SIGUSR2 - 1) & 1);
}

TEST(a_start_that_fails_is_told)
{
    struct fault fault;
    char zero[] = "x", *arguments[] = {zero, NULL};
    struct launch launch = {.path = in_folder("nothing here"),
                            .arguments = arguments,
                            .library = "",
                            .arena = "/an/arena"};
    CHECK(launch_start(&launch, &fault) == -ENOENT);
    expect_fault(&fault, -ENOENT, "nothing here");
    launch.path = make_file("text", "hello", 5, 0755);
    CHECK(launch_start(&launch, &fault) == -ENOEXEC);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* nobody is left behind */
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"musl",      "program", "data", "good",   "static",
                                        "small",     "arm",     "text", "empty",  "cut",
                                        "shell",     "spaces",  "lost", "itself", "static2",
                                        "to-static", "bare",    "long", "script", "no-newline"};
    (void)state;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_as_a_shell_finds_them),
        cmocka_unit_test(what_cannot_be_traced_is_told),
        cmocka_unit_test(scripts_are_judged_by_their_interpreter),
        cmocka_unit_test(a_program_gets_its_arguments_and_the_tracer),
        cmocka_unit_test(the_library_goes_before_what_was_preloaded),
        cmocka_unit_test(signals_are_as_they_were_before_we_changed_them),
        cmocka_unit_test(a_start_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
