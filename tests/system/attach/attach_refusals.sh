#!/usr/bin/env bash
# Processes that cannot be recorded: one sentence that says what and what to do, and the process is as before.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# Fails with one sentence; the process runs on, untouched.
refuse() { # refuse CASE PATTERN PID [MEMOIR…]
    local name=$1 pattern=$2 pid=$3
    shift 3
    [ $# -gt 0 ] || set -- "$MEMOIR"
    "$@" attach -o "$name.memoir" "$pid" >"$name.said.out" 2>"$name.said"
    equal "$name-status" 1 $?
    one_sentence "$name-sentence" "$name.said" "$pattern"
    if [ -e "$name.memoir" ] || [ -e "$house/own/$name.memoir" ]; then not_ok "$name-no-file" "a recording was left"; fi
    if grep -qs memoir "/proc/$pid/maps"; then not_ok "$name-untouched" "our library is in it"; else ok "$name-untouched"; fi
}

end() { # end PID…
    kill -9 "$@" 2>/dev/null
    wait "$@" 2>/dev/null
    true # and not the status of what was killed
}

sleep 0.01 &
gone=$!
wait $gone
refuse no-such-process 'there is no process' $gone
"$MEMOIR" attach 2>usage
equal usage-nothing 2 $?
one_sentence usage-nothing-sentence usage 'no process: give a PID'
"$MEMOIR" attach redis 2>usage
equal usage-name 2 $?
one_sentence usage-name-sentence usage '\-\-name redis'
"$MEMOIR" attach --name x --wait-exec y 2>usage
equal usage-several 2 $?
"$MEMOIR" attach --name no-such-program-anywhere 2>usage
equal no-such-name 1 $?
one_sentence no-such-name-sentence usage 'named no-such-program-anywhere'

begin threads "$subjects/subject-notices_everything" 100
wait_until 10 has_line threads.out ready
thread=$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$target" | head -n 1)
refuse a-thread "thread of process $target" "$thread"
end "$target"
begin sleeps sleep 100
kill -STOP "$target"
wait_until 10 grep -q '^State:.T' "/proc/$target/status"
refuse stopped 'kill -CONT' "$target"
kill -CONT "$target"
strace -q -o /dev/null -p "$target" &
tracer=$!
started+=("$tracer")
if wait_until 10 grep -Eq '^TracerPid:.[1-9]' "/proc/$target/status"; then
    refuse traced 'traced already, by strace' "$target"
else
    skip traced "strace may not trace here"
fi
kill "$tracer"
wait "$tracer" 2>/dev/null
lives stopped-and-traced-lives "$target"
end "$target"

if grep -qs kthreadd /proc/2/comm; then refuse kernel 'kernel thread' 2; else skip kernel "no kernel threads in sight"; fi

/usr/bin/python3 -c 'import os, time
pid = os.fork()
if pid == 0: os._exit(0)
print(pid, flush=True)
time.sleep(60)' >zombie.out &
started+=("$!")
wait_until 10 grep -q . zombie.out
wait_until 10 is_gone "$(cat zombie.out)"
refuse zombie 'zombie' "$(cat zombie.out)"

cat >waits.c <<'END'
#include <unistd.h>
int main(void)
{
    write(1, "ready\n", 6);
    for (;;)
        pause();
}
END
attempt() { # attempt CASE PATTERN COMPILER…: builds a program and refuses it
    local name=$1 pattern=$2
    shift 2
    if ! "$@" 2>/dev/null; then
        skip "$name" "cannot be built here"
        return
    fi
    begin "$name" "./$name"
    wait_until 10 has_line "$name.out" ready || true
    refuse "$name" "$pattern" "$target"
    lives "$name-lives" "$target"
    end "$target"
}
attempt static 'statically linked' gcc -static -o static waits.c
attempt static-pie 'statically linked' gcc -static-pie -o static-pie waits.c
attempt musl 'another libc' musl-gcc -o musl waits.c
attempt sanitized 'sanitizer' gcc -fsanitize=address -o sanitized waits.c
cat >bare.s <<'END'
.globl _start
_start: jmp _start
END
attempt bits32 'another architecture|64-bit' gcc -m32 -nostdlib -static -o bits32 bare.s
cat >pure.go <<'END'
package main

import (
	"fmt"
	"time"
)

func main() {
	fmt.Println("ready")
	time.Sleep(time.Minute)
}
END
attempt gopure 'Go program' env CGO_ENABLED=0 GOCACHE="$PWD/gocache" GOFLAGS=-mod=mod go build -o gopure pure.go

cat >filtered.c <<'END'
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argc > 1 ? atoi(argv[1]) : 0, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (argc > 1 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        return 1;
    write(1, "ready\n", 6);
    char letter;
    while (read(0, &letter, 1) == 1)
        ;
    if (argc > 1)
        for (;;)
            pause();
    for (;;)
        ;
}
END
gcc -o filtered filtered.c
begin strict ./filtered
wait_until 10 has_line strict.out ready
refuse strict 'strict mode' "$target"
lives strict-lives "$target"
end "$target"
begin filter ./filtered 28 # madvise
wait_until 10 has_line filter.out ready
refuse filter 'forbids madvise|only root may read' "$target"
lives filter-lives "$target"
end "$target"
begin harmless ./filtered 169 # reboot: not needed
wait_until 10 has_line harmless.out ready
if [ "$(id -u)" = 0 ]; then
    "$MEMOIR" attach --for 200ms -o harmless.memoir "$target" 2>harmless.said
    equal harmless-filter 0 $?
    lives harmless-filter-lives "$target"
fi
end "$target"

# The only thread never leaves a signal handler.
cat >handler.c <<'END'
#include <signal.h>
#include <unistd.h>
static void handle(int number)
{
    write(1, "ready\n", 6);
    for (;;)
        pause();
}
int main(void)
{
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
}
END
gcc -O1 -o handler handler.c
begin handler ./handler
wait_until 10 has_line handler.out ready
refuse handler 'no thread.*borrowed safely.*signal handler' "$target"
lives handler-lives "$target"
end "$target"

begin recorded "$MEMOIR" run --quiet -o recorded.memoir -- "$subjects/subject-works_for_seconds" 60
wait_until 20 has_line recorded.out working
program=$(descendants "$target" | head -n 1)
"$MEMOIR" attach "$program" 2>recorded.said
equal recorded-status 1 $?
one_sentence recorded-sentence recorded.said "recorded already.*memoir detach $program"
end "$program" "$target"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    begin roots sleep 60
    open_house
    refuse other-user 'belongs to user root' "$target" as_nobody "$house/memoir"
    refuse no-capability 'CAP_SYS_PTRACE' "$target" setpriv --bounding-set=-sys_ptrace "$MEMOIR"
    lives other-user-lives "$target"
    end "$target"
    begin protected "${nobody[@]}" /usr/bin/python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
print("ready", flush=True)
time.sleep(60)'
    wait_until 10 has_line protected.out ready
    refuse undumpable 'protects itself' "$target" as_nobody "$house/memoir"
    end "$target"
else
    skip other-user "only root can be somebody else"
fi
