#!/usr/bin/env bash
# Children are not the parent; with --children each process has a recording of its own.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

record tree.memoir -- "$subjects/subject-fork_tree"
equal fork-status 0 "$status"
equal fork-output "0 failures" "$(cat tree.memoir.out)"
equal fork-own-blocks "10000 10" "$(site tree.memoir heap.allocated in_process main)"
equal fork-blocks-before "2500 5" "$(site tree.memoir heap.leaked before_fork main)"
equal fork-nothing-else 15 "$(summary tree.memoir calls)"
equal fork-one-recording 1 "$(find . -name '*.memoir' | wc -l)"

record vfork.memoir -- "$subjects/subject-vfork_exec"
equal vfork-output "0 failures" "$(cat vfork.memoir.out)"
equal vfork-own-blocks "5000 50" "$(site vfork.memoir heap.allocated around_children main)"
at_least vfork-complete 0.999 "$(quality vfork.memoir complete_stacks_share)"

# A child that shares the memory allocates for the thread that made it, which may not have done so itself.
for way in main threads clone; do
    times=$([ "$way" = threads ] && echo 5 || echo 1)
    record shared.memoir -- "$subjects/subject-allocates_for_thread" "$way"
    equal "shared-$way-status" 0 "$status"
    equal "shared-$way-in-child" "$((times * 20000)) $((times * 1000))" "$(site shared.memoir heap.leaked in_child)"
    own=$([ "$way" = threads ] && echo 6 || echo 1)
    equal "shared-$way-after" "$((own * 3000)) $((own * 100))" "$(site shared.memoir heap.leaked after_child)"
    equal "shared-$way-lost" 0 "$(quality shared.memoir lost_events)"
done
# One whose thread libc does not know is no thread of the program: what it allocates is counted.
record stranger.memoir -- "$subjects/subject-allocates_for_thread" stranger
equal stranger-status 0 "$status"
equal stranger-lost 1000 "$(quality stranger.memoir lost_events)"
equal stranger-after "3000 100" "$(site stranger.memoir heap.leaked after_child)"

record exec.memoir -- "$subjects/subject-exec_chain" 3
equal exec-status 5 "$status"
equal exec-last-image "1000 1" "$(site exec.memoir heap.allocated in_link main)"

# A child may be about to give up rights: unless it is followed, it can write to nothing that its parent reads.
record alone.memoir -- "$subjects/subject-leaves_child_alone"
equal child-is-alone "0 writable" "$(cat alone.memoir.out)"

# Calls under a function, and those that were lost.
booked() { # booked FILE FUNCTION
    local value count
    read -r value count < <(site "$1" heap.calls "$2")
    : "$value"
    echo $((count + $(quality "$1" lost_calls)))
}

# A handler that forks in the middle of our own code: the child goes on there, and harms nobody.
record handler.memoir -- "$subjects/subject-forks_in_handler"
read -r made failures <handler.memoir.out
equal handler-output 0 "$failures"
equal handler-calls "$made" "$(summary handler.memoir calls)"
equal handler-blocks "$made" "$(booked handler.memoir in_loop)"
kept=$((made / 1000)) # a busy machine may have lost some, but counts them
[ "$(quality handler.memoir lost_events)" != 0 ] ||
    equal handler-left "$((kept * 48)) $kept" "$(site handler.memoir heap.leaked in_loop main)"

# Sums over all recordings of a folder.
sum_of() { # sum_of FOLDER METRIC FUNCTION…
    local folder=$1 file
    shift
    for file in "$folder"/*.memoir; do site "$file" "$@"; done |
        awk '{ value += $1; count += $2 } END { print value + 0, count + 0 }'
}
inherited="inherited from the parent"

mkdir tree
record tree/all.memoir --children -- "$subjects/subject-fork_tree"
equal children-status 0 "$status"
equal children-one-recording-each 7 "$(find tree -name '*.memoir' | wc -l)"
# Ten of its own in each; the two children have ten more of the first process's, theirs have twenty of both.
equal children-all-blocks "170000 170" "$(sum_of tree heap.allocated in_process)"
equal children-inherited "100000 100" "$(sum_of tree heap.allocated in_process "$inherited")"
equal children-freed-theirs "5000 10" "$(sum_of tree heap.allocated before_fork "$inherited")"
equal children-left "2500 5" "$(sum_of tree heap.leaked before_fork)"
equal children-know-all-frees 0 "$(for file in tree/*.memoir; do quality "$file" unknown_frees; done | sort -u)"
pids=$(for file in tree/*.memoir; do fact "$file" .recording.pid; done | sort -u)
equal children-pids 7 "$(wc -l <<<"$pids")"
# Linked: the parent of each but the first is among them.
orphans=0
for file in tree/*.memoir; do
    parent=$(fact "$file" .recording.parent_pid)
    grep -qx "$parent" <<<"$pids" || orphans=$((orphans + 1))
done
equal children-linked 1 "$orphans"

# A child that comes late has what its parent had at the fork, not what it has by then.
mkdir late
record late/all.memoir --children -- "$subjects/subject-late_child"
equal late-output 0 "$(cat late/all.memoir.out)"
late=$(find late -name 'subject-*.memoir')
equal late-inherited "32000 1000" "$(site "$late" heap.allocated before_fork main "$inherited")"
equal late-freed "0 0" "$(site "$late" heap.leaked before_fork)"
equal late-nothing-later "0 0" "$(site "$late" heap.allocated after_fork)"
equal late-own "1000 10" "$(site "$late" heap.allocated in_child main)"
equal late-unknown 0 "$(quality "$late" unknown_frees)"
equal late-lost 0 "$(quality "$late" lost_events)"
equal late-parent "16000 500" "$(site late/all.memoir heap.leaked before_fork main)"

mkdir handler
record handler/all.memoir --children -- "$subjects/subject-forks_in_handler" 50
read -r made failures <handler/all.memoir.out
equal handler-children-output 0 "$failures"
equal handler-children-parent "$made" "$(booked handler/all.memoir in_loop)"
equal handler-children-each 50 "$(find handler -name 'subject-*.memoir' | wc -l)"
equal handler-children-blocks "100000 1000" "$(sum_of handler heap.allocated in_child)"

mkdir chain
record chain/all.memoir --children -- "$subjects/subject-exec_chain" 3
equal chain-status 5 "$status"
equal chain-all-images "6000 6" "$(sum_of chain heap.allocated in_link)"

# More processes than the list of them has places, one after the other: each place is used again.
mkdir many
record many/all.memoir --children -- "$subjects/subject-many_children" 1100
equal many-output "0 failures" "$(cat many/all.memoir.out)"
equal many-one-recording-each 1101 "$(find many -name '*.memoir' | wc -l)"
find many -name 'subject-*.memoir' | sort | sed -n '1p;$p' >some
equal many-first-blocks "100 1" "$(site "$(head -n 1 some)" heap.leaked in_child main)"
equal many-last-blocks "100 1" "$(site "$(tail -n 1 some)" heap.leaked in_child main)"
equal many-said-in-few-lines 9 "$(wc -l <many/all.memoir.err)"

# At the same time: what finds no place runs on, and is counted.
mkdir crowd
record crowd/all.memoir --children --never-wait=20ms -- "$subjects/subject-many_children" 1100 together
equal crowd-output "0 failures" "$(cat crowd/all.memoir.out)"
equal crowd-recordings 1024 "$(find crowd -name '*.memoir' | wc -l)"
for place in all.memoir.err "$(basename "$(report_of crowd/all.memoir facts --top 1)")"; do
    if has_line "crowd/$place" '77 processes were not recorded'; then
        ok "crowd-said-in-$place"
    else
        not_ok "crowd-said-in-$place" "$(head -c 300 "crowd/$place")"
    fi
done
equal crowd-parent "300 1" "$(site crowd/all.memoir heap.leaked in_parent main)"

# Who goes on after the program is waited for: a daemon in a session of its own that says nothing for a while, and what a
# program that is lost to us in between has started.
mkdir daemon
record daemon/all.memoir --children -- "$subjects/subject-becomes_daemon" 700
equal daemon-status 0 "$status"
# Who forks in between does nothing that is recorded, and has no file.
equal daemon-blocks "10000 10" "$(sum_of daemon heap.allocated in_daemon main)"
equal daemon-parent "5000 5" "$(site daemon/all.memoir heap.leaked before_fork main)"
mkdir session
record session/all.memoir --children -- sh -c "setsid -f '$subjects/subject-becomes_daemon' 700"
equal session-blocks "10000 10" "$(sum_of session heap.allocated in_daemon main)"

# Waiting for them costs next to nothing: the recorder and its keepers look at them some times a second.
mkdir rest
"$MEMOIR" run --quiet --children -o rest/all.memoir -- sh -c 'sleep 5 & sleep 0.2' &
recorder=$!
for _ in 1 2 3 4; do # until the shell has ended: as when one of its own children ends
    sleep 0.4
    kill -CHLD $recorder
done
reads() { # of the recorder and the processes that it made
    local pid sum=0 count
    for pid in $recorder $(pgrep -P $recorder); do
        count=$(awk '/^syscr/ { print $2 }' "/proc/$pid/io" 2>/dev/null)
        sum=$((sum + ${count:-0}))
    done
    echo $sum
}
before=$(reads)
sleep 1
at_most rest-reads 3000 $(($(reads) - before))
wait $recorder
equal rest-status 0 $?

# One after the other, they lived no longer than their parent.
mkdir brief
record brief/all.memoir --children -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done'
at_least brief-recordings 10 "$(find brief -name 'sleep.*.memoir' | wc -l)"
at_most brief-durations "$(($(fact brief/all.memoir .recording.duration_ns) * 3 / 2))" \
    "$(for file in brief/sleep.*.memoir; do fact "$file" .recording.duration_ns; done | awk '{ sum += $1 } END { printf "%.0f\n", sum }')"

# In pid namespaces, where the same numbers mean other processes and threads in each.
if unshare -p -f true 2>/dev/null; then
    apart="unshare -p -f"
elif unshare -r -p -f true 2>/dev/null; then
    apart="unshare -r -p -f"
else
    apart=
    skip namespaces "this user may not make pid namespaces"
fi
if [ -n "$apart" ]; then
    mkdir apart closed
    cat >apart.sh <<END
for i in 1 2 3; do
    $apart sh -c '$subjects/subject-thread_churn 800; $subjects/subject-many_children 20 together; :' &
done
wait
END
    record apart/all.memoir --children -- sh apart.sh
    equal namespaces-output 6 "$(grep -Ec '800 threads|0 failures' apart/all.memoir.out)"
    equal namespaces-threads 3 "$(find apart -name 'subject-thread_churn.*.memoir' | wc -l)"
    for file in apart/subject-thread_churn.*.memoir; do
        site "$file" heap.leaked in_thread
        quality "$file" "lost_events, .quality.unknown_frees"
    done | sort | uniq -c | awk '{ $1 = $1; print }' >threads
    equal namespaces-each-exact "3 51200 800 6 0 " "$(sort -rn -k 2 threads | tr '\n' ' ')"
    equal namespaces-children "6000 60" "$(sum_of apart heap.leaked in_child)"
    # The numbers in the recordings are the recorder's own: no two are the same.
    for file in apart/subject-*.memoir; do fact "$file" .recording.pid; done | sort | uniq -d >twice
    equal namespaces-numbers "" "$(cat twice)"

    # Where the recorder cannot be reached nothing is recorded, and that is said.
    record closed/all.memoir --children -- sh -c "$apart --mount-proc $subjects/subject-many_children 3; :"
    equal closed-output "0 failures" "$(cat closed/all.memoir.out)"
    if has_line closed/all.memoir.err '1 program was not recorded.*container'; then
        ok closed-said
    else
        not_ok closed-said "$(cat closed/all.memoir.err)"
    fi
fi

# In a chroot our library is not to be found: the loader has nothing to complain about.
if [ "$(id -u)" = 0 ]; then
    mkdir -p jail
    for file in /bin/echo $(ldd /bin/echo | grep -o '/[^ ]*'); do
        mkdir -p "jail/$(dirname "$file")"
        cp -L "$file" "jail/$file"
    done
    for mode in --children --quiet; do
        record "jail$mode.memoir" $mode -- sh -c 'chroot jail /bin/echo from within; :' "$PWD"
        equal "jail$mode-output" "from within" "$(cat "jail$mode.memoir.out")"
        equal "jail$mode-quiet" 0 "$(grep -c 'ld.so' "jail$mode.memoir.err")"
    done
else
    skip jail "only root may chroot"
fi

# A wrapper that changes the user and becomes the program: that is what the recording is about, though it may not open what
# the recorder of root has.  It gets a descriptor, of which main sees nothing, as of the variables.
if [ "$(id -u)" = 0 ]; then
    open_house leaks_100_blocks starts_programs
    # shellcheck disable=SC2034
    fewer=(setpriv --bounding-set=-all)
    for name in nobody fewer; do
        declare -n wrapper=$name
        MEMOIR=$house/memoir record wrapped.memoir -- "${wrapper[@]}" "$house/subject-leaks_100_blocks"
        equal "wrapped-status: $name" 0 "$status"
        equal "wrapped-program: $name" "100000 100" "$(site wrapped.memoir heap.leaked leak_here main)"
        # shellcheck disable=SC2016
        MEMOIR=$house/memoir record wrapped.memoir -- "${wrapper[@]}" sh -c 'for fd in /proc/$$/fd/*; do readlink "$fd"; done; env'
        equal "wrapped-sees-nothing: $name" "" "$(grep -E 'memfd:|MEMOIR_ARENA|MEMOIR_ROOM|LD_PRELOAD' wrapped.memoir.out)"
    done
    # Where the user may not read memoir's library, nothing is handed on, and that is said.
    chmod 700 "$house"
    MEMOIR=$house/memoir record unread.memoir -- "${nobody[@]}" sh -c 'readlink /proc/self/fd/*; env'
    chmod 755 "$house"
    equal unread-sees-nothing "" "$(grep -E 'memfd:|MEMOIR_ARENA|MEMOIR_ROOM|LD_PRELOAD' unread.memoir.out)"
    equal unread-said 1 "$(grep -c 'the program became sh by exec and was not recorded from then on' unread.memoir.err)"
    # A wrapper that gives up the rights to look before it becomes the program has no way to hand it on.  That is said.
    record lost.memoir -- chroot --userspec=65534:65534 / "$house/subject-leaks_100_blocks"
    equal lost-status 0 "$status"
    for place in lost.memoir.err "$(basename "$(report_of lost.memoir facts --top 1)")"; do
        if has_line "$place" 'the program became subject-leaks_100_blocks by exec and was not recorded from then on'; then
            ok "lost-said-in-$place"
        else
            not_ok "lost-said-in-$place" "$(head -c 300 "$place")"
        fi
    done
    # From there on nothing that it starts can be recorded, and each start is said: also those that libc makes by itself.
    mkdir changed
    MEMOIR=$house/memoir record changed/all.memoir --children -- "${nobody[@]}" "$house/subject-starts_programs" /bin/true
    equal changed-status 0 "$status"
    equal changed-said 1 "$(grep -c '6 programs were not recorded' changed/all.memoir.err)"
    equal changed-noted 1 "$(for file in changed/*.memoir; do fact "$file" .quality.notes; done | grep -c '6 programs were not recorded')"
    leave_house
else
    skip wrapped "only root may change the user"
fi

# A program that cannot have our library is started without it, however it is started: address sanitizer's runtime
# would end the program, the loader of another libc as well.
echo 'int puts(const char *); int main(void) { return puts("ran") < 0; }' >hello.c
foreign() { # foreign CASE PROGRAM
    "$subjects/subject-starts_programs" "$2" >"$1.native" 2>&1
    record "$1.memoir" --children -- "$subjects/subject-starts_programs" "$2"
    equal "$1-status" 0 "$status"
    same_text "$1-output" "$1.native" "$1.memoir.out"
    equal "$1-said" 1 "$(grep -c '6 programs were not recorded' "$1.memoir.err")"
    record "$1-alone.memoir" -- "$subjects/subject-starts_programs" "$2"
    same_text "$1-alone-output" "$1.native" "$1-alone.memoir.out"
}
if gcc -fsanitize=address -o sanitized hello.c 2>/dev/null; then
    foreign sanitized ./sanitized
else
    skip sanitized "no address sanitizer"
fi
if musl-gcc -o musl hello.c 2>/dev/null; then
    foreign musl ./musl
else
    skip musl "no musl-gcc"
fi

# The first that a child does may be in several threads at once: it is one process all the same, and has its parent's blocks.
record threads.memoir --children -- "$subjects/subject-forks_into_threads" 50
equal into-threads-status 0 "$status"
equal into-threads-files 50 "$(find . -name 'subject-forks_into_threads.*.memoir' | wc -l)"
for file in subject-forks_into_threads.*.memoir; do
    fact "$file" '[.summary.heap.temporary_calls, ([.quality.notes[] | select(test("with 1[0-9][0-9] blocks .* of its parent"))] | length)] | join(" ")'
done >children
equal into-threads-whole 50 "$(grep -c '^2000 1$' children)"
