#!/usr/bin/env bash
# memoir map: every resident page in one part, the parts are right, and refusals are one sentence.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

vm_rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# What a part has of FIGURE in MiB, or in kB.
part() { # part FILE SECTION LABEL [FIGURE]
    jq --arg section "$2" --arg name "$3" --arg figure "${4:-rss}" \
        '[.leaves[] | select(.section == $section and .label == $name) | .bytes[$figure]] | add // 0 | . / 1048576' "$1"
}

ended=
end_all() {
    local pid
    for pid in $ended; do kill -KILL "$pid" 2>/dev/null; done
    leave_house
}
trap end_all EXIT

# ---- memory of every kind, of known sizes ----
mkfifo hold
"$subjects/subject-memory_of_every_kind" "$PWD" <hold >said &
subject=$!
ended="$ended $subject"
exec 9>hold
wait_until 20 has_line said ready
kill -STOP "$subject"
"$MEMOIR" map "$subject" --json >kinds.json 2>err
equal status 0 $?
equal quiet "" "$(cat err)"

sums() { # sums CASE FILE PID: sections, leaves and mappings add up to RSS, and to the kernel's, to the page
    at_least "$1-something" 1 "$(jq .total.bytes.rss "$2")"
    equal "$1-leaves" "$(jq .total.bytes.rss "$2")" "$(jq '[.leaves[].bytes.rss] | add' "$2")"
    equal "$1-sections" "$(jq .total.bytes.rss "$2")" "$(jq '[.sections[].bytes.rss] | add' "$2")"
    equal "$1-kernel" "$(vm_rss "$3")" "$(jq '.total.bytes.rss / 1024' "$2")"
}
sums quiet kinds.json "$subject"
equal private-and-shared "$(jq .total.bytes.rss kinds.json)" \
    "$(jq '.total.bytes | .private_clean + .private_dirty + .shared_clean + .shared_dirty' kinds.json)"
equal read-only 11 "$(part kinds.json anonymous Read-Only)"
equal no-access 13 "$(part kinds.json anonymous 'No access')"
equal executable 2 "$(part kinds.json anonymous Executable)"
equal memfd 7 "$(part kinds.json shared memfd)"
equal memfd-name "ring-*" "$(jq -r '.leaves[] | select(.label == "memfd") | .item' kinds.json)"
equal shared-anonymous 8 "$(part kinds.json shared 'Shared anonymous')"
equal database 10 "$(part kinds.json file Databases)"
equal file-with-lib-in-its-path 12 "$(jq '[.leaves[] | select(.label == "Other Files" and .item == "library of things") | .bytes.rss] | add / 1048576' kinds.json)"
# The kernel's lists of such pages are brought up to date a few pages late.
at_least lazily-freed 5.8 "$(jq '.total.bytes.lazy_free / 1048576' kinds.json)"
at_least thread-stack 3 "$(part kinds.json stacks Threads)"
at_most thread-stack-only 3.2 "$(part kinds.json stacks Threads)"
equal thread-name "eater-*" "$(jq -r '[.leaves[] | select(.label == "Threads") | .item][0]' kinds.json)"

# Names that it gave through memoir.h, without memoir or the kernel's help: a part of a mapping.
equal told-name 4 "$(part kinds.json named cache/told)"
equal told-evidence registry "$(jq -r '.leaves[] | select(.label == "cache/told") | .evidence' kinds.json)"
equal large-block 17 "$(part kinds.json allocator 'Large blocks' | cut -d. -f1)"
at_least thread-arena 5 "$(part kinds.json allocator 'Thread arenas')"
# What is left: 9 MiB less the named part, and what was freed lazily.
at_least read-write 11 "$(part kinds.json anonymous Read-Write)"
at_most read-write-only 11.3 "$(part kinds.json anonymous Read-Write)"

# The same in every form; the gentle walk counts the same pages.
"$MEMOIR" map "$subject" >text
equal grep-rss "$(($(vm_rss "$subject") / 1024))" "$(grep 'RSS (Resident)' text | awk '{print $3}')"
for line in '=== Complete Memory Breakdown ===' '=== Totals ===' '=== Top 20 Memory Regions ===' \
    'Virtual Memory:' 'PSS (Proportional):' 'File-Backed Memory:' 'Anonymous Memory:' '  Read-Write:'; do
    if grep -qF -- "$line" text; then ok "text-has-${line//[^A-Za-z]/}"; else not_ok text-has "no '$line'"; fi
done
"$MEMOIR" map "$subject" --gentle --json >gentle.json
sums gentle gentle.json "$subject"
equal gentle-parts "$(jq -c '[.leaves[] | select(.section == "file" or .section == "anonymous") | [.label, .item, .bytes.rss]] | sort' kinds.json)" \
    "$(jq -c '[.leaves[] | select(.section == "file" or .section == "anonymous") | [.label, .item, .bytes.rss]] | sort' gentle.json)"
equal gentle-has-no-pss null "$(jq .total.bytes.pss gentle.json)"
"$MEMOIR" map "$subject" --csv >parts.csv
equal csv-sum "$(vm_rss "$subject")" "$(python3 -c 'import csv, sys
print(sum(int(row["rss_bytes"]) for row in csv.DictReader(sys.stdin)) // 1024)' <parts.csv)"
"$MEMOIR" map "$subject" --csv --all >mappings.csv
# One mapping is cut, where the name ends.
equal csv-all "$(($(grep -c '^[0-9a-f]*-' "/proc/$subject/maps") + 1)) $(vm_rss "$subject")" "$(python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(len(rows), sum(int(row["rss_bytes"]) for row in rows) // 1024)' <mappings.csv)"
if command -v go >/dev/null; then
    "$MEMOIR" map "$subject" --pprof -o one.pb.gz
    "$MEMOIR" map "$subject" --pprof -o two.pb.gz
    equal pprof-rss "$(vm_rss "$subject")kB" "$(go tool pprof -unit=kB -top one.pb.gz 2>/dev/null | sed -n 's/.* of \(.*\) total$/\1/p')"
    equal pprof-path "File-Backed Memory Databases chain.mdb" \
        "$(go tool pprof -unit=kB -traces one.pb.gz 2>/dev/null | grep -A2 chain.mdb | sed 's/.*kB//; s/^ *//' | tac | xargs)"
    equal pprof-diff 0 "$(go tool pprof -unit=kB -top -diff_base=one.pb.gz two.pb.gz 2>/dev/null | sed -n 's/^Showing nodes accounting for \([0-9]*\).*/\1/p')"
else
    skip pprof "no go"
fi
equal top 3 "$("$MEMOIR" map "$subject" --top 3 | grep -c '^[0-9a-f]* *[r-][w-][x-][ps] ')"
equal no-addresses 0 "$("$MEMOIR" map "$subject" --no-addresses | grep -c '^[0-9a-f]\{9,\} ')"
equal group 10 "$("$MEMOIR" map "$subject" --json --group 'chain=*/chain.*' >group.json; part group.json named chain)"
kill -CONT "$subject"

# ---- a process that does not hold still ----
/usr/bin/python3 -c '
import mmap
print("ready", flush=True)
while True:
    kept = [bytearray(1 << 20) for _ in range(40)]
    maps = [mmap.mmap(-1, 1 << 20) for _ in range(20)]
    for one in maps: one.write(b"x" * (1 << 20))' >churn.out &
churn=$!
ended="$ended $churn"
wait_until 10 has_line churn.out ready
for way in --exact --gentle; do
    "$MEMOIR" map "$churn" "$way" --json >churn.json
    equal "running-sum$way" "$(jq .total.bytes.rss churn.json)" "$(jq '[.leaves[].bytes.rss] | add' churn.json)"
    at_least "running-before$way" 1 "$(jq '[.capture.rss_before, .capture.rss_after] | min' churn.json)"
done
changed() { "$MEMOIR" map "$churn" | grep -q '^Changed during capture: [-+]'; }
if wait_until 20 changed; then ok running-changed; else not_ok running-changed "nothing seemed to change"; fi
kill "$churn"

# ---- which process ----
equal by-name "$subject" "$("$MEMOIR" map subject-memory_of_every_kind --json | jq .process.pid)"
equal by-name-option "$subject" "$("$MEMOIR" map --name subject-memory_of_every_kind --json | jq .process.pid)"

# ---- a service that shows its own memory ----
"$BUILD/examples/debug-memory" 26060 >service.out 2>service.err &
service=$!
ended="$ended $service"
wait_until 10 has_line service.out ready
curl -s 'http://127.0.0.1:26060/debug/memory?top=2' >page
equal service-rss "$(($(vm_rss "$service") / 1024))" "$(grep 'RSS (Resident)' page | awk '{print $3}')"
equal service-names 24 "$(awk '/^  page cache / { print $3 }' page)"
equal service-top 2 "$(sed -n '/=== Top/,$p' page | grep -c ' MB ')"
equal service-hides-addresses 0 "$(grep -c '^[0-9a-f]\{9,\} ' page)"
kill "$service"

# ---- refusals ----
refused() { # refused CASE PATTERN WORDS…
    local name=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    equal "$name-status" 1 $?
    one_sentence "$name" err "$pattern"
    equal "$name-nothing-else" "" "$(cat out)"
}
refused no-process 'there is no process 4194301' "$MEMOIR" map 4194301
refused no-name 'no process is named there_is_none' "$MEMOIR" map there_is_none
if [ -d /proc/2 ] && [ ! -s /proc/2/cmdline ]; then
    refused kernel-thread 'kernel thread' "$MEMOIR" map 2
fi
bash -c 'sleep 1 & echo $! >zombie; exec sleep 100' 9>&- & # it would keep the subject waiting
parent=$!
ended="$ended $parent"
wait_until 10 sh -c "grep -q '^State:.Z' /proc/\$(cat zombie)/status"
refused zombie 'has ended' "$MEMOIR" map "$(cat zombie)"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open_house
    refused forbidden 'belongs to user root and memoir runs as nobody' as_nobody "$house/memoir" map "$subject"
else
    skip forbidden "needs root"
fi
"$MEMOIR" map >out 2>err
equal nothing-asked-status 2 $?
one_sentence nothing-asked err 'no process: give a PID'
"$MEMOIR" map "$subject" -o /nowhere/file >out 2>err
equal output-status 1 $?
one_sentence output err 'nowhere'
exec 9>&-
wait "$subject"
equal subject-unharmed 0 $?
