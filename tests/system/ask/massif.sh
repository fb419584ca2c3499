#!/usr/bin/env bash
# massif's job: the files we write, in ms_print; our peak beside massif's own of the same program.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

command -v ms_print >/dev/null || { skip all "valgrind is not installed" && exit; }

# Of the snapshot at the peak: mem_heap_B, mem_heap_extra_B, mem_stacks_B or the like.
at_peak() { # at_peak FILE KEY
    awk -F= -v key="$2" '/^snapshot=/ { value = "" } $1 == key { value = $2 } /^heap_tree=peak/ { print value }' "$1"
}

# The largest sites at the peak, as "BYTES FUNCTION".
sites_at_peak() { # sites_at_peak FILE
    awk '/^heap_tree=/ { on = /peak/ } on && /^ n[0-9]+: / && !/below massif/ {
        sub(/^ n[0-9]+: /, ""); sub(/ 0x[0-9A-F]+: /, " "); sub(/ \(.*/, ""); print }' "$1" | sort -rn
}

massif_of() { # massif_of NAME PROGRAM…: leaves NAME.vg
    local name=$1
    shift
    valgrind --tool=massif --peak-inaccuracy=0.0 --massif-out-file="$name.vg" "$@" >/dev/null 2>"$name.vg.err"
}

export_of() { # export_of NAME [OPTIONS]: leaves NAME.massif, and what ms_print makes of it
    local name=$1
    shift
    "$MEMOIR" export "$name.memoir" --to massif -o "$name.massif" "$@" 2>"$name.notes"
    ms_print "$name.massif" >"$name.printed" 2>"$name.printed.err"
    equal "$name-ms-print" "0 " "$? $(cat "$name.printed.err")"
}

# Programs whose answer is known: the very bytes of massif, in all and by site.
for subject in leaks_100_blocks peak_is_temporary realloc_rules; do
    record $subject.memoir -- "$subjects/subject-$subject"
    massif_of $subject "$subjects/subject-$subject"
    export_of $subject
    equal $subject-peak "$(at_peak $subject.vg mem_heap_B)" "$(at_peak $subject.massif mem_heap_B)"
    equal $subject-peak-reported "$(summary $subject.memoir peak_bytes)" "$(at_peak $subject.massif mem_heap_B)"
    equal $subject-sites "$(sites_at_peak $subject.vg)" "$(sites_at_peak $subject.massif)"
    # glibc's own overhead is larger than that of valgrind's allocator.
    at_least $subject-extra "$(at_peak $subject.vg mem_heap_extra_B)" "$(at_peak $subject.massif mem_heap_extra_B)"
done
equal leaked-at-the-end 100000 "$(grep '^mem_heap_B=' leaks_100_blocks.massif | tail -n 1 | cut -d= -f2)"

# A real program.
if command -v sqlite3 >/dev/null; then
    cat >rows.sql <<'END'
create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i+1 from n where i<60000) insert into t select i, 'row '||i from n;
create index tb on t(b);
END
    record sqlite.memoir -- sqlite3 :memory: ".read rows.sql"
    massif_of sqlite sqlite3 :memory: ".read rows.sql"
    export_of sqlite
    ours=$(at_peak sqlite.massif mem_heap_B) theirs=$(at_peak sqlite.vg mem_heap_B)
    at_most sqlite-peak 0.001 "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { d = a - b; print (d < 0 ? -d : d) / b }')"
    equal sqlite-largest-site "$(sites_at_peak sqlite.vg | head -n 1 | cut -d' ' -f1)" \
        "$(sites_at_peak sqlite.massif | head -n 1 | cut -d' ' -f1)"
else
    skip sqlite "sqlite3 is not installed"
fi

# What massif-visualizer insists on: one desc, cmd and time_unit, no empty line, only whole rulers, consecutive numbers.
bad=$(awk '
    NR == 1 && !/^desc: / || NR == 2 && !/^cmd: / || NR == 3 && !/^time_unit: ms$/ || /^$/ { print "line " NR ": " $0 }
    NR > 3 && /#/ && $0 != "#-----------" { print "line " NR ": " $0 }
    /^snapshot=/ { if ($0 != "snapshot=" n++) print "line " NR ": " $0 }' leaks_100_blocks.massif)
equal strict-form "" "$bad"

# Snapshots are chosen, and notes say so.
record grows.memoir -- "$subjects/subject-grows" 2 64
export_of grows --snapshots 20
at_most chosen-count 20 "$(grep -c '^snapshot=' grows.massif)"
equal chosen-said 1 "$(grep -c 'instants are in the file' grows.notes)"
equal chosen-peak "$(summary grows.memoir peak_bytes)" "$(at_peak grows.massif mem_heap_B)"
equal printed-peak 1 "$(grep -c '(peak)' grows.printed)"

# Stacks of threads.
record stacks.memoir --map-every 200ms -- "$subjects/subject-grows" 1 4
export_of stacks --stacks
at_least stacks-known 1 "$(grep '^mem_stacks_B=' stacks.massif | tail -n 1 | cut -d= -f2)"
"$MEMOIR" export leaks_100_blocks.memoir --to massif --stacks -o /dev/null 2>stacks.err
one_sentence stacks-not-known stacks.err 'stacks of threads are not in this recording'

# The same as a report.
"$MEMOIR" report grows.memoir --massif-like --snapshots 20 --json >grows.json
"$MEMOIR" report grows.memoir --massif-like --snapshots 20 --csv >grows.csv
"$MEMOIR" report grows.memoir --massif-like --snapshots 20 >grows.txt
equal report-times "$(sed -n 's/^time=//p' grows.massif)" "$(jq '.snapshots[].time_ns / 1000000 | floor' grows.json)"
equal report-bytes "$(sed -n 's/^mem_heap_B=//p' grows.massif)" "$(jq '.snapshots[].useful_bytes' grows.json)"
equal report-extra "$(sed -n 's/^mem_heap_extra_B=//p' grows.massif)" "$(jq '.snapshots[].extra_bytes' grows.json)"
equal report-csv "$(jq -r '.snapshots[] | "\(.time_ns),\(.total_bytes),\(.useful_bytes)"' grows.json)" \
    "$(tail -n +2 grows.csv | cut -d, -f2-4)"
equal report-trees "$(sed -n 's/^n[0-9]*: \([0-9]*\) .*/\1/p' grows.massif)" \
    "$(jq '.snapshots[] | select(.sites) | .sites[0].bytes' grows.json)"
equal report-adds-up true "$(jq '[.snapshots[] | select(.sites) | .useful_bytes == .sites[0].bytes and
    ([.sites[] | select(.depth == 1) | .bytes] | add) == .useful_bytes] | all' grows.json)"
equal report-text 1 "$(grep -c 'leak_here' grows.txt | awk '{ print ($1 >= 1) }')"
equal report-graph 1 "$(grep -c ' ^.*#' grows.txt)"
at_least report-stacks 4096 "$("$MEMOIR" report stacks.memoir --massif-like --stacks --json | jq '[.snapshots[].stacks_bytes] | max')"
"$MEMOIR" report grows.memoir --massif-like --by thread 2>by.err
equal report-conflict 2 $?

# massif's own files, read: every snapshot as it is there, the trees where there are trees.
snapshots_of() { # snapshots_of FILE: "HEAP EXTRA STACKS TREE" of each
    awk -F= '/^mem_heap_B/ { heap = $2 } /^mem_heap_extra/ { extra = $2 } /^mem_stacks/ { stacks = $2 }
        /^heap_tree/ { print heap, extra, stacks, $2 }' "$1"
}
for subject in leaks_100_blocks peak_is_temporary realloc_rules; do
    "$MEMOIR" report $subject.vg --massif-like --stacks --snapshots 1000 --json >$subject.read.json
    # Without those at time 0, and of several at one time the last.
    equal $subject-read-peak "$(at_peak $subject.vg mem_heap_B)" "$(jq '.snapshots[.peak].useful_bytes' $subject.read.json)"
    equal $subject-read-extra "$(at_peak $subject.vg mem_heap_extra_B)" "$(jq '.snapshots[.peak].extra_bytes' $subject.read.json)"
    equal $subject-read-sites "$(sites_at_peak $subject.vg)" \
        "$(jq -r '.snapshots[.peak].sites[] | select(.kind == "place" and .depth == 1) | "\(.bytes) \(.frame.function)"' \
            $subject.read.json | grep -v 'below massif' | sort -rn)"
done
valgrind --tool=massif --stacks=yes --massif-out-file=deep.vg "$subjects/subject-leaks_100_blocks" >/dev/null 2>&1
"$MEMOIR" report deep.vg --massif-like --stacks --snapshots 1000 --json >deep.json
# (A tree of nothing is none.)
equal read-snapshots "$(snapshots_of deep.vg | sed '1d; s/^\(0 .*\) detailed/\1 empty/')" \
    "$(jq -r '.snapshots[1:][] | "\(.useful_bytes) \(.extra_bytes) \(.stacks_bytes) \(.tree)"' deep.json)"
"$MEMOIR" report leaks_100_blocks.vg >leaks.txt
equal read-notes 2 "$(grep -Ec 'massif kept call sites at|massif tells what is live' leaks.txt)"
if has_line leaks.txt '^ *live  .* live at the last snapshot'; then ok read-last-snapshot; else not_ok read-last-snapshot "$(head leaks.txt)"; fi
gzip -k leaks_100_blocks.vg
equal read-packed "$(tail -n +1 leaks.txt)" "$("$MEMOIR" report leaks_100_blocks.vg.gz)"
for command in flame plot; do
    "$MEMOIR" $command leaks_100_blocks.vg -o leaks.svg
    at_least read-$command 1 "$(grep -c leak_here leaks.svg)"
done
equal read-diff 1 "$("$MEMOIR" diff leaks_100_blocks.vg leaks_100_blocks.memoir --by function | grep -c 'heap.peak .*135 KiB → 135 KiB')"
valgrind --xtree-memory=full --xtree-memory-file=xtree.ms "$subjects/subject-leaks_100_blocks" >/dev/null 2>&1
equal read-xtree "100000 100 138500 600" \
    "$(for metric in heap.live heap.allocated; do "$MEMOIR" report xtree.ms --metric $metric --json | jq -r '.total | "\(.value) \(.count)"'; done | xargs)"
head -n 20 leaks_100_blocks.vg | head -c -3 >cut.vg
equal read-cut 1 "$("$MEMOIR" report cut.vg | tr -s '\n ' ' ' | grep -c 'the last line of the file has no line break: it was read, and may be cut off')"

"$MEMOIR" export grows.memoir --to massif --metric heap.calls -o wrong 2>wrong.err
equal wrong-metric-status 1 $?
for metric in heap.leaked heap.peak; do
    "$MEMOIR" export grows.memoir --to massif --metric $metric -o other 2>other.err
    equal other-$metric 1 "$(grep -c "this is heap.live, not $metric alone" other.err)"
done
one_sentence wrong-metric wrong.err 'heap.calls is not one'
exit 0
