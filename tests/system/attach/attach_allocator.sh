#!/usr/bin/env bash
# Attaching to programs that have an allocator of their own inside: its functions are hooked while all threads stand still,
# everything is exact from then on, and after detaching the code is what it was.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"
. "$TOP/tests/system/prefixed.bash"

if ! prefix_jemalloc; then
    skip attach-allocator "libjemalloc-dev is not installed"
    exit
fi
renamed=()
for name in malloc calloc realloc free; do renamed+=("-D$name=_rjem_$name"); done
# shellcheck disable=SC2046
gcc -O1 -g -D_GNU_SOURCE -w "${renamed[@]}" "$TOP/tests/subjects/obeys.c" -o obeys $(link_prefixed)
# shellcheck disable=SC2046
gcc -O1 -g -D_GNU_SOURCE "$TOP/tests/subjects/inside/busy.c" -o busy $(link_prefixed)

# The first bytes of a function in the memory of the process.
bytes_of() { # bytes_of PID PROGRAM FUNCTION
    local base at
    base=$(awk -v path="$PWD/$2" '$6 == path { sub("-.*", "", $1); print $1; exit }' "/proc/$1/maps")
    at=$(nm "$2" | awk -v name="$3" '$3 == name { print $1 }')
    dd "if=/proc/$1/mem" bs=1 count=8 "skip=$((0x$base + 0x$at))" 2>/dev/null | od -An -tx1
}

explains() { # explains FILE
    "$MEMOIR" explain "$1" | grep -q 'resident memory that recording takes'
}

known_answers() {
    begin_obedient known ./obeys
    tell known "a 100 10000"
    before=$(bytes_of "$target" obeys _rjem_malloc)
    attach known.memoir "$target" || return
    tell known "a 50 200"
    if [ "$(bytes_of "$target" obeys _rjem_malloc)" = "$before" ]; then
        not_ok known-hooked "the function is as it was"
    else
        ok known-hooked
    fi
    equal known-map-knows-hooks "0 1" "$("$MEMOIR" map "$target" | awk '/^Anonymous Memory/ { on = 1 } /Subtotal/ { on = 0 }
        on && /Executable/ { code++ } on && /memoir.s own/ { own++ } END { print code + 0, own + 0 }')"
    wait_until 20 explains known.memoir
    equal known-explain-knows-hooks 0 "$("$MEMOIR" explain known.memoir --top 1000 | grep -c 'code made at run time')"
    tell known "f 120"
    end_attach
    equal known-status 0 "$status"
    equal known-code-restored "$before" "$(bytes_of "$target" obeys _rjem_malloc)"
    tell known "a 7 7"
    equal known-calls 50 "$(summary known.memoir calls)"
    equal known-bytes 10000 "$(summary known.memoir allocated_bytes)"
    equal known-frees 20 "$(summary known.memoir freed_calls)"
    equal known-leaked "6000 30" "$(summary known.memoir leaked_bytes) $(summary known.memoir leaked_calls)"
    equal known-freed-from-before 100 "$(fact known.memoir .before.freed_calls)"
    equal known-nothing-lost "0 0" "$(quality known.memoir lost_events) $(quality known.memoir implied_frees)"
    equal known-note 'jemalloc inside obeys is recorded through 13 functions' "$(quality known.memoir 'notes[0]')"
    at_least known-tells-stop 1 "$(grep -c 'no other thread stood still for longer than' known.memoir.err)"
    echo "c 5" >&9
    wait "$target"
    equal known-goes-on 5 $?
}

# A recorder that is killed leaves the jumps behind; they do nothing, and the next one uses them.
recorder_dies() {
    begin_obedient dies ./obeys
    before=$(bytes_of "$target" obeys _rjem_free)
    attach dies.memoir "$target" || return
    tell dies "a 10 100"
    kill -9 "$recorder"
    wait "$recorder" 2>/dev/null
    tell dies "a 10 100"
    tell dies "f 5"
    attach dies.memoir "$target" || return
    tell dies "a 20 100"
    tell dies "f 40"
    end_attach
    equal dies-calls 20 "$(summary dies.memoir calls)"
    equal dies-frees "20 15" "$(summary dies.memoir freed_calls) $(fact dies.memoir .before.freed_calls)"
    equal dies-code-restored "$before" "$(bytes_of "$target" obeys _rjem_free)"
    echo "c 6" >&9
    wait "$target"
    equal dies-goes-on 6 $?
}

# Again and again, on threads that are nearly always in there.
cycles() {
    local i first='' last=''
    begin busy ./busy
    sleep 0.2
    before=$(bytes_of "$target" busy _rjem_sdallocx)
    for i in $(seq 6); do
        "$MEMOIR" attach --quiet --for 100ms -o busy.memoir "$target" 2>busy.memoir.err
        status=$?
        [ "$status" = 0 ] || not_ok "busy-cycle-$i" "status $status: $(cat busy.memoir.err)"
        equal "busy-cycle-$i-code" "$before" "$(bytes_of "$target" busy _rjem_sdallocx)"
        last=$(size_of "$target")
        first=${first:-$last}
    done
    equal busy-same-size "$first" "$last"
    at_least busy-calls 1000 "$(summary busy.memoir calls)"
    kill "$target"
    wait "$target"
    equal busy-status 0 $?
    equal busy-output fine "$(cat busy.out)"
}

known_answers
recorder_dies
cycles
