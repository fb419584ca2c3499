#!/usr/bin/env bash
# Before main and after exit; what the program can see of us (nothing); other preloaded libraries.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

record edges.memoir -- "$subjects/subject-before_main_after_exit"
equal edges-status 0 "$status"
while read -r name bytes calls freed frees; do
    equal "edges-$name" "$bytes $calls $freed $frees" \
        "$(site edges.memoir heap.allocated "$name") $(site edges.memoir heap.freed "$name")"
done <<'END'
in_preinit 303 3 202 2
in_constructor 202 1 202 1
in_main 303 1 303 1
in_handler 404 1 404 1
in_destructor 1010 2 505 1
END

export -n MEMOIR BUILD BUILD_ASAN TOP # for us, not for the programs

see() { # see CASE COMMAND…: the same output, natively and recorded
    local name=$1
    shift
    "$@" >"$name.native" 2>"$name.native.err"
    local native=$?
    "$MEMOIR" run -o "$name.memoir" -- "$@" >"$name.recorded" 2>"$name.recorded.err"
    equal "$name-status" $native $?
    # Not the question: the shell's variable for the command it starts, numbers of pipes, the output's name.
    sed -i "/^\(env \)\?_=/d; s/$name\.\(native\|recorded\)\(\.err\)\?/OUTPUT\2/; s/^\(fd [0-9]* [a-z]*:\).*/\1/" "$name.native" "$name.recorded"
    same_text "$name" "$name.native" "$name.recorded"
}

show=$subjects/subject-prints_surroundings
other=$subjects/libsubject-preloaded.so
see environment "$show" environment
see auxiliary "$show" auxiliary
see auxiliary-after-exec sh -c "exec $show auxiliary"
see descriptors "$show" descriptors
see signals "$show" signals
see limits "$show" limits
see everything "$show"
see child-environment "$show" child-environment
exec 9<"$0"
see open-descriptor "$show" descriptors
exec 9<&-
LD_PRELOAD=$other see preload-kept "$show"
grep -q 'libc preloaded' preload-kept.recorded || not_ok preload-works "the other library is not there"
LD_PRELOAD=$other:$subjects/libsubject-alpha.so see preload-two "$show"
LD_PRELOAD="$other $subjects/libsubject-alpha.so" see preload-spaces "$show"
LD_PRELOAD='' see preload-empty "$show"
LD_PRELOAD=$other see preload-auxiliary sh -c "exec $show auxiliary"
LD_PRELOAD=$other see preload-child "$show" child-environment
trap '' USR1
see ignored-signal "$show" signals
trap - USR1

# Nothing of ours in what it saw, apart from paths and the strict sandbox of this test run.
shown=$(sed "s,$TOP,,g; s,$PWD,,g; /^\(env \)\{0,1\}MEMOIR_SANDBOX=/d" ./*.recorded | grep -i memoir | head -n 3)
equal invisible "" "$shown"

# What is preloaded into the program is not in the recorder, whose descriptors and memory it would share.
recorder_has() { # recorder_has PID LIBRARY
    local pid
    for pid in $(recorders_of "$1"); do grep -c "$2" "/proc/$pid/maps"; done | awk '{ sum += $1 } END { print sum + 0 }'
}
LD_PRELOAD=$subjects/libsubject-preloaded.so "$MEMOIR" run -o preloaded.memoir -- sleep 100 >/dev/null 2>&1 &
front=$!
wait_until 20 sh -c "grep -q libsubject-preloaded /proc/\$(cat /proc/$front/task/*/children | cut -d' ' -f1)/maps"
equal preload-in-the-program 0 $?
equal preload-not-in-the-recorder 0 "$(recorder_has $front libsubject-preloaded)"
kill "$front"
wait "$front" 2>/dev/null || true
