#!/usr/bin/env bash
# Programs that lock their memory, or may use little of it, are not broken by ours.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

subject=$subjects/subject-tight_memory
limited() { # limited KIB PROGRAM…: with so much address space
    (
        ulimit -S -v "$1"
        shift
        exec "$@"
    )
}

for threads in 1 16; do
    blocks="$((threads * 10000)) $((threads * 100))"
    read -r rss size < <("$subject" $threads)

    # All of it resident: at most 16 MiB of ours, and 1 MiB for each thread; the main one is another.
    if read -r locked _ < <("$subject" $threads lock) && [ -n "$locked" ]; then
        record locked.memoir -- "$subject" $threads lock
        equal "locked-$threads-status" 0 "$status"
        read -r ours _ <locked.memoir.out
        at_most "locked-$threads-resident" $((16384 + (threads + 1) * 1024)) $((ours - locked))
        equal "locked-$threads-blocks" "$blocks" "$(site locked.memoir heap.leaked in_thread)"
        equal "locked-$threads-whole" 0 "$(quality locked.memoir lost_events)"
    else
        skip "locked-$threads" "this user may not lock memory"
    fi

    # 64 MiB of address space more than it needs alone.
    cat >limited.sh <<END
ulimit -v $((size + 65536))
exec "$subject" $threads
END
    record limited.memoir -- sh limited.sh
    equal "limited-$threads-status" 0 "$status"
    equal "limited-$threads-blocks" "$blocks" "$(site limited.memoir heap.leaked in_thread)"
    equal "limited-$threads-whole" 0 "$(quality limited.memoir lost_events)"
    at_least "limited-$threads-native" 1 "$rss"
done

# Too little even so: threads without room for a ring go unrecorded, but are counted.
cat >starved.sh <<END
ulimit -v $((size + 20480))
exec "$subject" 16
END
record starved.memoir -- sh starved.sh
equal starved-status 0 "$status"
at_least starved-calls 1600 "$(summary starved.memoir calls)"
read -r _ seen < <(site starved.memoir heap.calls in_thread)
at_most starved-seen 1599 "$seen"
at_least starved-told $((1600 - seen)) "$(quality starved.memoir lost_calls)"

# A limit that was there before us is the program's, not ours; a soft one we may lift for ourselves.
# shellcheck disable=SC2016 # the inner shell's
limited 600000 "$MEMOIR" run -o shell.memoir -- sh -c 'ulimit -v; exec "$0" 1' "$subject" >shell.out 2>shell.err
equal inherited-status 0 $?
equal inherited-limit 600000 "$(head -n 1 shell.out)"
equal inherited-blocks "10000 100" "$(site shell.memoir heap.leaked in_thread)"

# A limit that the program sets itself is for what the program takes: what we reserve goes back before.
alone=$("$subjects/subject-limits_itself" 200)
record itself.memoir -- "$subjects/subject-limits_itself" 200
equal itself-status 0 "$status"
got=$(cat itself.memoir.out)
at_least itself-gets-its-memory $((alone - 32)) "$got"
equal itself-blocks "$((got * 1048576)) $got" "$(site itself.memoir heap.leaked allocate)"
"$subjects/subject-limits_itself" 200 2 >attached.out &
program=$!
sleep 0.5
"$MEMOIR" attach --quiet -o attached.memoir $program
equal itself-attached-status 0 $?
wait $program
at_least itself-attached-gets-its-memory $((alone - 40)) "$(cat attached.out)"
equal itself-attached-blocks "$(($(cat attached.out) * 1048576)) $(cat attached.out)" "$(site attached.memoir heap.leaked allocate)"

# A limit that comes from elsewhere is not seen coming; what we reserve goes back when the program is refused memory.
record elsewhere.memoir -- "$subjects/subject-limits_itself" 200 0 elsewhere
equal elsewhere-status 0 "$status"
got=$(cat elsewhere.memoir.out)
at_least elsewhere-gets-its-memory $((alone - 32)) "$got"
equal elsewhere-blocks "$((got * 1048576)) $got" "$(site elsewhere.memoir heap.leaked allocate)"

# A limit that nobody may lift is the recorder's, too: it takes what there is.
for kilobytes in 3000000 600000; do
    (
        ulimit -v $kilobytes
        exec "$MEMOIR" run --quiet -o hard.memoir -- "$subject" 16
    ) >hard.out 2>hard.err
    equal "hard-$kilobytes-status" 0 $?
    equal "hard-$kilobytes-blocks" "160000 1600" "$(site hard.memoir heap.leaked in_thread)"
done
