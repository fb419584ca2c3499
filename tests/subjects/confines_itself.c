/* confines_itself MODE [ever] - takes 1000 blocks of 100 bytes and keeps the last, forbids
 * itself system calls or the clock, takes 500000 blocks more, says "ok" and ends with status 6.
 * What a mode forbids kills whoever does it.  `ever`: confines itself when it is written to, and
 * goes on taking blocks. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEFORE 1000
#define AFTER  500000
#define TSYNC  1ul /* SECCOMP_FILTER_FLAG_TSYNC */

#define NUMBER  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define SAY(x)  BPF_STMT(BPF_RET | BPF_K, x)
#define WHEN(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1)

static struct sock_filter little[] = {NUMBER,
                                      WHEN(SYS_write),
                                      SAY(SECCOMP_RET_ALLOW),
                                      WHEN(SYS_exit_group),
                                      SAY(SECCOMP_RET_ALLOW),
                                      WHEN(SYS_brk),
                                      SAY(SECCOMP_RET_ALLOW),
                                      SAY(SECCOMP_RET_KILL_PROCESS)};
static struct sock_filter all[] = {SAY(SECCOMP_RET_ALLOW)};
static struct sock_filter no_files[] = {NUMBER,
                                        WHEN(SYS_openat),
                                        SAY(SECCOMP_RET_KILL_PROCESS),
                                        WHEN(SYS_newfstatat),
                                        SAY(SECCOMP_RET_KILL_PROCESS),
                                        SAY(SECCOMP_RET_ALLOW)};
#define PROGRAM(code)                                                                              \
    &(struct sock_fprog)                                                                           \
    {                                                                                              \
        sizeof(code) / sizeof((code)[0]), code                                                     \
    }

static void *volatile last;

static void allocate(int count)
{
    for (int i = 0; i < count; i++) {
        free(last);
        last = malloc(100);
    }
}

static _Atomic int begun;

/* What libc does for a new thread, and for the first block of one, the filter forbids: it waits
 * for that. */
static void *keep_allocating(void *unused)
{
    (void)unused;
    free(malloc(200));
    begun++;
    for (;;)
        free(malloc(200));
    return NULL;
}

static void fork_one(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        allocate(AFTER);
        _exit(3);
    }
    int status;
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
        _exit(9);
}

/* What libseccomp asks the kernel to find out what it knows; none of it is done. */
static void ask_in_vain(void)
{
    syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, TSYNC, NULL);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 8l, 0l, 0l);
    syscall(SYS_prctl, PR_SET_SECCOMP, 77, 0l, 0l, 0l);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1ul << 30, PROGRAM(little));
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t thread;
    char asked = 0;
    allocate(BEFORE);
    if (argc > 2 && read(0, &asked, 1) != 1)
        return 9;
    prctl(PR_SET_NO_NEW_PRIVS, 1l, 0l, 0l, 0l);
    if (strcmp(mode, "strict") == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else if (strcmp(mode, "little") == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PROGRAM(little));
    else if (strcmp(mode, "all") == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PROGRAM(all));
    else if (strcmp(mode, "no-files") == 0)
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, PROGRAM(no_files));
    else if (strcmp(mode, "clock") == 0)
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0l, 0l, 0l);
    else if (strcmp(mode, "vain") == 0)
        ask_in_vain();
    else if (strcmp(mode, "threads") == 0) {
        for (int i = 0; i < 4; i++)
            pthread_create(&thread, NULL, keep_allocating, NULL);
        while (begun < 4)
            usleep(1000);
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, TSYNC, PROGRAM(little));
    }
    if (strcmp(mode, "no-files") == 0)
        fork_one();
    allocate(AFTER);
    if (write(1, "ok\n", 3) != 3)
        return 9;
    while (argc > 2)
        allocate(AFTER);
    syscall(strcmp(mode, "strict") == 0 ? SYS_exit : SYS_exit_group, 6);
}
