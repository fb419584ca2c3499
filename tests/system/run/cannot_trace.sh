#!/usr/bin/env bash
# Programs that cannot be traced: one sentence, the exit status of a shell, nothing run untraced.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

refuse() { # refuse CASE STATUS PATTERN PROGRAM…
    local name=$1 expected=$2 pattern=$3
    shift 3
    record "$name.memoir" -- "$@"
    equal "$name-status" "$expected" "$status"
    one_sentence "$name-sentence" "$name.memoir.err" "$pattern"
    equal "$name-not-run" "" "$(cat "$name.memoir.out")"
    if [ -e "$name.memoir" ]; then not_ok "$name-no-file" "an empty recording was left"; fi
}

refuse missing 127 'no such|not found' ./missing
refuse missing-in-path 127 'not found|no such' no-such-program-anywhere
refuse folder 126 'directory|folder' ./
printf 'not a program' >plain
refuse not-executable 126 'permission|execut' ./plain
chmod +x plain
printf '\177ELF\001\001\001' >other32
head -c 100 /dev/zero >>other32
chmod +x other32
refuse other-architecture 126 'architecture|32-bit|format|x86-64' ./other32
echo 'int puts(const char *); int main(void) { return puts("ran"); }' >hello.c
if gcc -static -o static hello.c 2>/dev/null; then
    refuse static 126 'static' ./static
else
    skip static "no static libc"
fi
gcc -o dynamic hello.c
loader=$(readelf -lW dynamic | sed -n 's/.*program interpreter: \(.*\)]/\1/p')
refuse loader 126 'is the loader.*memoir run -- PROGRAM' "$loader" ./dynamic

# A kernel thread has no program that could be recorded.
if grep -q '^kthreadd$' /proc/2/comm; then
    "$MEMOIR" cpu --for 1s -o kernel.memoir 2 2>kernel.err
    equal kernel-thread-status 1 $?
    one_sentence kernel-thread-sentence kernel.err 'process 2 is a kernel thread'
    if [ -e kernel.memoir ]; then not_ok kernel-thread-no-file "a recording was left"; else ok kernel-thread-no-file; fi
else
    skip kernel-thread "they are not seen here"
fi
if [ "$(id -u)" = 0 ] && cp dynamic setuid && chown nobody setuid && chmod 4755 setuid; then
    refuse setuid 126 'set-?uid|privilege' "$PWD/setuid"
else
    skip setuid "only root can make a program of another user"
fi
printf '#!/missing/interpreter\n' >lost-script
chmod +x lost-script
refuse lost-interpreter 127 'interpreter' ./lost-script

# A script works: its interpreter is what is traced.
printf '#!/bin/sh\necho from the script\nexit 6\n' >script
chmod +x script
record script.memoir -- ./script
equal script-status 6 "$status"
equal script-output "from the script" "$(cat script.memoir.out)"
at_least script-recorded 1 "$(summary script.memoir calls)"

# Wrong usage is 2, with one sentence.
"$MEMOIR" run >out 2>err
equal usage-nothing 2 $?
"$MEMOIR" run --no-such-option -- true >out 2>err
equal usage-option 2 $?
at_least usage-option-named 1 "$(grep -c -- '--no-such-option' err)"

# A place where no recording can be written: nothing is run.
"$MEMOIR" run -o /no/such/folder/x.memoir -- sh -c 'echo ran' >out 2>err
equal unwritable-status 1 $?
one_sentence unwritable-sentence err 'no such|folder|directory'
equal unwritable-not-run "" "$(cat out)"
