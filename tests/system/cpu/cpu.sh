#!/usr/bin/env bash
# memoir cpu by perf events on programs that know their own time: shares, waits, signals, children, exec, rights.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
subjects=$BUILD/tests/subjects
if [ "$(id -u)" != 0 ]; then
    skip cpu "needs root: samples inside the kernel, waits with stacks"
    exit 0
fi

value() { # value FILE METRIC FUNCTION: ns of stacks with this function in them
    "$MEMOIR" export "$1" --to folded --metric "$2" 2>/dev/null |
        awk -v name="$3" 'index(";" $0, ";" name ";") || index(";" $0, ";" name " ") { sum += $NF } END { printf "%.0f\n", sum }'
}
record() { # record FILE OPTIONS -- SUBJECT ARGS: it begins and ends at once
    file=$1
    shift
    printf ge | "$MEMOIR" cpu --source perf --quiet -o "$file" "$@" >told 2>err
    equal "${file%.memoir}-status" 0 $?
}
told() { awk -v word="$1" '$1 == word { print $2 }' told; }

# 70/20/10 in 2000 samples: four standard errors are less than 5 %, 4 % and 3 % of all.
record shares.memoir --hz 997 -- "$subjects/subject-burns_shares" 2 2
all=$(($(told seventy) + $(told twenty) + $(told ten)))
for part in seventy twenty ten; do
    found=$(value shares.memoir cpu.on $part)
    at_least "shares-$part-least" "$(($(told $part) - all / 15))" "$found"
    at_most "shares-$part-most" "$(($(told $part) + all / 15))" "$found"
done
equal shares-lost 0 "$("$MEMOIR" report shares.memoir --json | jq .quality.time.lost_samples)"

# The most that was resident is the kernel's own mark, also of what nobody saw.
record rises.memoir -- "$subjects/subject-rises_and_rests"
at_least rises-resident 67108864 "$("$MEMOIR" report rises.memoir --json | jq .summary.rss_peak_bytes)"

# Threads that run for less than a period have no samples of their own, and that is said; the whole machine has them.
"$subjects/subject-mostly_idle" 200 30 >idle.out &
idle=$!
until [ -s idle.out ]; do sleep 0.1; done
"$MEMOIR" cpu --source perf --for 3s -o idle.memoir $idle 2>idle.err
"$MEMOIR" report idle.memoir >idle.report
for place in idle.err idle.report; do
    if grep -q 'samples are missing, because many threads ran for less than 10 ms each.* cpu -a' "$place"; then
        ok "idle-said-in-$place"
    else
        not_ok "idle-said-in-$place" "$(head -c 400 "$place")"
    fi
done
kill $idle
wait $idle 2>/dev/null
equal shares-say-nothing-of-that "" "$("$MEMOIR" report shares.memoir | grep 'samples are missing')"

# Waits by function and by what for; others may run first for a while.
record waits.memoir --off-cpu -- "$subjects/subject-waits_known" 20
busy=$(value waits.memoir cpu.off '[waits: processor]')
for way in sleeps polls reads_pipe reads_socket locks waits_for_child; do
    found=$(value waits.memoir cpu.off $way)
    at_least "waits-$way-least" "$(($(told $way) * 95 / 100 - busy))" "$found"
    at_most "waits-$way-most" "$(($(told $way) * 105 / 100 + busy))" "$found"
done
for kind in sleep poll pipe network lock child; do
    at_least "waits-kind-$kind" 1000000 "$(value waits.memoir cpu.off "[waits: $kind]")"
done

# Two thousand signals a second.
record storm.memoir --hz 997 -- "$subjects/subject-burns_in_signals" 3
# Of n samples of a millisecond all but four standard errors are there.
least=$(told handler | awk '{ printf "%.0f\n", $1 * 0.9 - 4 * sqrt($1 * 1003009) }')
at_least storm-handler "$least" "$(value storm.memoir cpu.on handler_works)"
at_least storm-below-it "$((least * 8 / 10))" "$("$MEMOIR" export storm.memoir --to folded --metric cpu.on |
    awk '/;between;.*;handler_works/ { sum += $NF } END { printf "%.0f\n", sum }')"

# Children that live 20 ms, as themselves and as another program; each has a recording.
for how in "" exec; do
    mkdir "in$how" && cd "in$how" || exit 1
    record "children$how.memoir" --hz 997 --children -- "$subjects/subject-burns_in_children" 20 20 $how
    found=0
    for file in *.*.memoir; do
        found=$((found + $("$MEMOIR" export "$file" --to folded --metric cpu.on | awk '{ sum += $NF } END { printf "%.0f\n", sum }')))
    done
    at_least "children$how-least" "$(($(told children) * 80 / 100))" "$found"
    at_most "children$how-most" "$(($(told children) * 115 / 100))" "$found"
    cd .. || exit 1
done

# Code made at run time has the names that its runtime tells.
record made.memoir --hz 997 -- "$subjects/subject-burns_made_code" 1 map
at_least made-names 50000000 "$(value made.memoir cpu.on made::relay)"

# Without rights: what is permitted is seen, and the rest is told with the command that permits it.
if [ "$(id -u)" != 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ne 2 ]; then
    skip rights "only root can become somebody else, or kernel.perf_event_paranoid is not 2"
    exit 0
fi
open_house burns_shares
printf ge | as_nobody "$house/memoir" cpu --source perf --hz 997 --off-cpu -o n.memoir -- "$house/subject-burns_shares" 1 >told 2>err
equal rights-own-status 0 $?
at_least rights-own-samples "$(($(told seventy) / 2))" "$(value "$house/own/n.memoir" cpu.on seventy)"
as_nobody "$house/memoir" report n.memoir >text 2>&1
equal rights-own-doubt 1 "$(grep -c 'sudo sysctl -w kernel.perf_event_paranoid=1' text)"
as_nobody "$house/memoir" cpu --source perf -a --for 1s -o a.memoir >out 2>err
equal rights-all 1 "$(grep -c 'sudo sysctl -w kernel.perf_event_paranoid=-1' err)"
