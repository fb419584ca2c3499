#!/usr/bin/env bash
# perf.data with several events, or none that is time: each is a metric, with the numbers that perf has for it.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

command -v perf >/dev/null || { skip all "perf is not installed" && exit; }
perf record -o try.data -e cpu-clock true >/dev/null 2>try.err || { skip all "perf may not record here: $(tail -n 1 try.err)" && exit; }

script='print(sum(hash(str(i)) % 7 for i in range(300000)))'
perf record -q -e cpu-clock,page-faults,context-switches -c 1000000 -g -o several.data -- /usr/bin/python3 -c "$script" >/dev/null 2>&1
perf record -q -e page-faults,context-switches -c 1 -g -o counts.data -- /usr/bin/python3 -c "$script" >/dev/null 2>&1

of_perf() { # of_perf FILE EVENT: the sum of its periods
    perf script -i "$1" -F event,period -G 2>/dev/null | awk -v event="$2:" '$2 == event { s += $1 } END { printf "%.0f\n", s }'
}
of_memoir() { # of_memoir FILE METRIC
    "$MEMOIR" report "$1" --metric "$2" --json 2>>errors | jq -r '"\(.total.value)"'
}

for event in page-faults context-switches; do
    equal counts-$event "$(of_perf counts.data $event)" "$(of_memoir counts.data $event)"
done
equal several-time "$(of_perf several.data cpu-clock)" "$(of_memoir several.data cpu.on)"
at_least counts-there-are-some 100 "$(of_memoir counts.data page-faults)"
"$MEMOIR" report counts.data >counts.txt 2>&1
equal counts-are-no-time "1 0" "$(grep -c '^page-faults: .* faults' counts.txt) $(grep -c 'cpu\.on\|on a processor' counts.txt)"
for command in report info; do
    equal $command-lists-events 1 "$("$MEMOIR" $command counts.data 2>&1 | tr -s '\n ' ' ' | grep -c 'the file has 2 events: page-faults ([0-9,]* samples), context-switches')"
done
"$MEMOIR" flame counts.data -o counts.svg 2>flame.err
equal flame-says-what-else-there-is 1 "$(grep -c 'this is page-faults; the file also counts context-switches' flame.err)"
"$MEMOIR" export counts.data --to folded -o counts.folded 2>export.err
equal export-says-what-else-there-is 1 "$(grep -c 'this is page-faults; the file also counts context-switches' export.err)"
equal export-is-of-what-is-shown "$(of_perf counts.data page-faults)" "$(awk '{ s += $NF } END { printf "%.0f", s }' counts.folded)"

# Asked for twice it is two, as perf has it.
perf record -q -e cpu-clock -e cpu-clock -F 500 -o twice.data -- /usr/bin/python3 -c "$script" >/dev/null 2>&1
equal twice-is-two "$(of_perf twice.data cpu-clock)" $(($(of_memoir twice.data cpu.on) + $(of_memoir twice.data cpu-clock.1)))
at_least twice-second 1 "$(of_memoir twice.data cpu-clock.1)"

# Of a group only the first event is sampled; the others are counters in its samples.
perf record -q -e '{cpu-clock,task-clock,page-faults}:S' -F 500 -o group.data -- /usr/bin/python3 -c "$script" >/dev/null 2>&1
perf report -i group.data --stdio --group 2>/dev/null | sed -n 's/^# Samples: *\([0-9]*\) .*/\1/p' >group.samples
equal group-samples "$(head -n 1 group.samples)" "$("$MEMOIR" report group.data --json 2>>errors | jq .quality.events)"
equal group-clock "$(of_perf group.data cpu-clock)" "$(of_memoir group.data cpu.on)"
equal group-second-clock-is-perf-s "$(of_perf group.data task-clock)" "$(of_memoir group.data task-clock)"
# perf report adds up all of a group.
equal group-sum "$(perf report -i group.data --stdio --group 2>/dev/null | sed -n 's/^# Event count (approx.): *\([0-9]*\).*/\1/p')" \
    $(($(of_memoir group.data cpu.on) + $(of_memoir group.data task-clock) + $(of_memoir group.data page-faults)))
at_least group-second-clock $(($(of_memoir group.data cpu.on) / 2)) "$(of_memoir group.data task-clock)"
at_least group-faults 1 "$(of_memoir group.data page-faults)"

# Written again they are still what they were.
"$MEMOIR" export counts.data --to perf --metric page-faults -o again.data 2>>errors
equal written-for-perf "$(of_perf counts.data page-faults)" "$(of_perf again.data page-faults)"
equal written-and-read "$(of_perf counts.data page-faults)" "$(of_memoir again.data page-faults)"
"$MEMOIR" export counts.data --to callgrind -o counts.callgrind 2>>errors
equal callgrind-has-both "events: PageFaults ContextSwitches" "$(grep '^events:' counts.callgrind)"

# What there is nothing of is no export.
"$MEMOIR" export counts.data --to heaptrack -o none.zst 2>heaptrack.err
equal no-heaptrack-of-counts "1 no" "$? $([ -e none.zst ] && echo yes || echo no)"
one_sentence no-heaptrack-of-counts-is-told heaptrack.err 'this recording has none'
"$MEMOIR" export counts.data --to folded --metric page-faults --filter no_such_function -o none.folded 2>folded.err
equal no-folded-of-nothing "1 no" "$? $([ -e none.folded ] && echo yes || echo no)"
one_sentence no-folded-of-nothing-is-told folded.err 'no stack has any page-faults in the chosen time and filter'
true
