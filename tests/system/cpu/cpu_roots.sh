#!/usr/bin/env bash
# One recording of processes that have roots and mounts of their own, as containers do: each has the names of its own files.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
subjects=$BUILD/tests/subjects
if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
    skip cpu_roots "needs root, and mounts of its own"
    exit 0
fi
started=()
tidy_up() {
    [ ${#started[@]} = 0 ] || kill -9 "${started[@]}" 2>/dev/null
}
trap tidy_up EXIT

# makes NAME: a root with the program, where nobody else has it, and its libraries.
makes() {
    mkdir -p "$1/inside-$1"
    cp "$subjects/subject-works_for_seconds" "$1/inside-$1/worker"
    ldd "$subjects/subject-works_for_seconds" | grep -o '/[^ )]*' | while read -r library; do
        mkdir -p "$1$(dirname "$library")"
        cp -L "$library" "$1$library"
    done
}
# lives_in NAME SECONDS: the program, on a file system that nobody else has mounted.
lives_in() {
    # shellcheck disable=SC2016
    unshare --mount sh -c 'mkdir -p mounted && mount -t tmpfs tmpfs mounted && cp -a "$0/." mounted && cd mounted && mkdir before &&
        pivot_root . before && cd / && exec "/inside-$0/worker" "$1"' "$1" "$2" >/dev/null &
    started+=("$!")
}
for name in one two; do
    makes $name
    lives_in $name 60
done
begun() { # begun PID…
    local pid
    for pid; do grep -q ^/inside- "/proc/$pid/cmdline" || return 1; done
}
wait_until 10 begun "${started[@]}"
if [ "$(readlink "/proc/${started[0]}/root")" != / ]; then
    skip roots "we are in a root below another ourselves: the kernel tells us paths of other roots from the outermost one on"
    exit 0
fi
"$MEMOIR" cpu --for 3s --quiet -o both.memoir -p "${started[0]},${started[1]}" 2>err
equal status 0 $?
"$MEMOIR" export both.memoir --to folded --metric cpu.on >both.folded 2>/dev/null
for i in 0 1; do
    at_least "process-$i-has-names" 1 "$(grep -c "^worker ${started[i]};.*;work;" both.folded)"
done
# Innermost may be a stub of the linker's, which has none anywhere.
equal functions-without-names 0 "$(grep -c 'worker+0x[0-9a-f]*;' both.folded)"

# Also when they are gone before the names are asked for.
for name in one two; do
    lives_in $name 3
done
wait_until 10 begun "${started[@]:2}"
"$MEMOIR" cpu --for 20s --quiet -o gone.memoir -p "${started[2]},${started[3]}" 2>err
equal gone-status 0 $?
"$MEMOIR" export gone.memoir --to folded --metric cpu.on >gone.folded 2>/dev/null
at_least gone-has-names 2 "$(grep -c ';work;' gone.folded)"
equal gone-functions-without-names 0 "$(grep -c 'worker+0x[0-9a-f]*;' gone.folded)"
true
