#!/usr/bin/env bash
# Heap, pages and time in one recording, on one clock; and several processes in one.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
subjects=$BUILD/tests/subjects
if [ "$(id -u)" != 0 ]; then
    skip cpu_together "needs root: waits with stacks, pages and the whole machine"
    exit 0
fi

value() { # value FILE METRIC FUNCTION [OPTIONS]: of stacks with this function in them
    "$MEMOIR" export "$1" --to folded --metric "$2" "${@:4}" 2>/dev/null |
        awk -v function_name="$3" 'index(";" $0, ";" function_name ";") || index(";" $0, ";" function_name " ") { sum += $NF } END { printf "%.0f\n", sum }'
}

# Time is recorded of a program that allocates nothing, or of which that is not to be seen; and the answer is about it unasked.
"$MEMOIR" run --heap off --cpu --quiet -o alone.memoir -- "$subjects/subject-burns_shares" >out 2>err
equal alone-status 0 $?
equal alone-said "" "$(cat err)"
equal alone-metric cpu.on "$("$MEMOIR" report alone.memoir --json | jq -r .metric)"
at_least alone-time 100000000 "$("$MEMOIR" report alone.memoir --json | jq .total.value)"
equal alone-text 0 "$("$MEMOIR" report alone.memoir | grep -c '0 allocations\|0 blocks')"
"$MEMOIR" report alone.memoir --metric heap.live >out 2>err
equal alone-heap-status 1 $?
one_sentence alone-heap err 'not traced in this recording .--heap off'

# A second of allocating, one of computing, one of waiting: each metric has its own.
"$MEMOIR" run --heap full --cpu=499 --off-cpu --pages --quiet -o all.memoir -- "$subjects/subject-works_in_phases" >out 2>err
equal all-status 0 $?
equal all-output "done" "$(cat out)"
at_least heap-of-allocate 10485760 "$(value all.memoir heap.allocated allocate)"
equal heap-of-compute 0 "$(value all.memoir heap.allocated compute)"
at_least pages-of-allocate 10485760 "$(value all.memoir pages.anon allocate)"
at_least time-of-compute 100000000 "$(value all.memoir cpu.on compute)"
at_most time-of-idle 100000000 "$(value all.memoir cpu.on idle)"
at_least waits-of-idle 950000000 "$(value all.memoir cpu.off idle)"
at_most waits-of-idle-not-more 1200000000 "$(value all.memoir cpu.off idle)"
at_least waits-of-allocate 900000000 "$(value all.memoir cpu.off allocate)"
at_least samples 40 "$("$MEMOIR" report all.memoir --json | jq .quality.time.samples)"
equal lost 0 "$("$MEMOIR" report all.memoir --json | jq '.quality.time.lost_samples + .quality.lost_events')"

# One call tree: main is one function for all of them, and a thread one row.
equal one-thread 1 "$("$MEMOIR" report all.memoir --by thread --metric cpu.on --json | jq '.rows | length')"
"$MEMOIR" report all.memoir --metric cpu.on,heap.allocated >both.txt 2>both.err
equal side-by-side-status 0 $?
at_least side-by-side 1 "$(grep -c compute both.txt)"

# --between cuts them all, in buckets of the recording.
length=$("$MEMOIR" report all.memoir --json | jq .recording.duration_ns/1000000)
late="$((${length%.*} * 2 / 3))ms,100%"
at_most between-heap 1048576 "$(value all.memoir heap.allocated allocate --between "$late")"
at_least between-waits 400000000 "$(value all.memoir cpu.off idle --between "$late")"

# A process that runs, attached.
"$subjects/subject-works_in_phases" >attached.out &
phases=$!
sleep 0.2
"$MEMOIR" attach --cpu --quiet -o attached.memoir $phases 2>attached.err
equal attached-status 0 $?
wait $phases
equal attached-goes-on 0 $?
at_least attached-time 50000000 "$(value attached.memoir cpu.on compute)"

# Three of one name in one recording, a root each.
mkdir cluster
cp "$subjects/subject-burns_shares" cluster/burning-node
for i in 1 2 3; do
    cluster/burning-node 8 1 >"cluster/$i.out" </dev/null &
    nodes[i]=$!
done
sleep 0.3
"$MEMOIR" cpu --name burning-node --for 2s -o cluster.memoir 2>cluster.err
equal cluster-status 0 $?
for i in 1 2 3; do
    at_least "cluster-node-$i" 10101010 "$(value cluster.memoir cpu.on "burning-node ${nodes[i]}")"
done
equal cluster-is-all-of-it 0 "$("$MEMOIR" export cluster.memoir --to folded --metric cpu.on | grep -vc '^burning-node ')"
mkdir each
(cd each && "$MEMOIR" cpu --each --quiet --for 1s "${nodes[1]}" "${nodes[2]}" 2>each.err)
equal each-recordings 2 "$(find each -name '*.memoir' | wc -l)"
"$MEMOIR" cpu -a --for 1s --quiet -o machine.memoir 2>machine.err
equal machine-status 0 $?
at_least machine 10101010 "$(value machine.memoir cpu.on "burning-node ${nodes[1]}")"
equal machine-no-idling 0 "$("$MEMOIR" export machine.memoir --to folded --metric cpu.on | grep -c ';do_idle')"
for i in 1 2 3; do wait "${nodes[i]}"; done

# Wrong usage is told in one sentence.
"$MEMOIR" cpu --hz 998 -- true 2>hz.err
equal hz-status 2 $?
one_sentence hz hz.err '1 to 997'
"$MEMOIR" cpu 2>none.err
equal whom-status 2 $?
one_sentence whom none.err 'no process: give a PID'
"$MEMOIR" cpu -a -- true 2>ways.err
equal ways-status 2 $?
one_sentence ways ways.err 'one of these'
"$MEMOIR" cpu -- ./there-is-no-such-program 2>gone.err
equal gone-status 127 $?
"$MEMOIR" cpu 999999999 2>pid.err
equal pid-status 1 $?
"$MEMOIR" run --cpu=0 -- true 2>zero.err
equal zero-status 2 $?
true
