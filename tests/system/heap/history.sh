#!/usr/bin/env bash
# A history: what runs wrote is read back, over restarts, kills, two writers and a full disk.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

history_json() { # history_json FILTER OPTIONS…
    local filter=$1
    shift
    "$MEMOIR" history "$@" --json | jq -r "$filter"
}
grows=$subjects/subject-grows

# Long enough for a verdict; it goes on beside the rest.
"$MEMOIR" run --quiet -o leak.memoir --history long.db --history-every 1s --history-name ledger -- "$grows" 45 8 &
long=$!

# A service that is started again is the same service; what it held is what the subject holds: 50 blocks of 8 KiB a second.
for seconds in 3 4; do
    "$MEMOIR" run --quiet -o run.memoir --history twice.db --history-every 1s -- "$grows" $seconds 8 2>err
    equal history-run-$seconds-quiet "" "$(cat err)"
done
equal history-service subject-grows "$(history_json '.services[].name' twice.db)"
equal history-runs "2 2" "$(history_json '.services[0].runs | "\(length) \(map(.pid) | unique | length)"' twice.db)"
at_least history-snapshots 4 "$(history_json '.services[0].runs | map(.snapshots) | add' twice.db)"
equal history-site leak_here "$(history_json '.services[0].series[] | select(.kind == "site") | .name' twice.db --site leak)"
most=$(history_json '.services[0].series[] | .high' twice.db --site leak_here)
at_least history-site-bytes $((8192 * 50)) "$most"
at_most history-site-bytes-whole $((8192 * 200)) "$most"
at_least history-rss 1048576 "$(history_json '.services[0].series[0].high' twice.db --category rss)"
equal history-categories "anon file maps.live memoir shmem" \
    "$(history_json '[.services[0].series[] | select(.kind == "category") | .name] | sort | join(" ")' twice.db)"
equal history-since "" "$("$MEMOIR" history twice.db --since 2020-01-01 --json | jq -r '.services[] | select(.runs == [])')"
"$MEMOIR" history twice.db --csv >points.csv
equal history-csv-head time_ms,span_ms,process,host,pid,kind,name,low,high,last "$(head -n 1 points.csv)"
equal history-csv-pids 2 "$(cut -d , -f 5 points.csv | sed 1d | sort -u | wc -l)"
"$MEMOIR" history twice.db >text
equal history-text 1 "$(grep -c '^    leak_here ' text)"
"$MEMOIR" history twice.db --plot plot.svg
equal history-plot-status 0 $?
equal history-plot 1 "$(grep -c '>leak_here</text>' plot.svg)"
equal history-plot-restart 1 "$(grep -c 'starts</text>' plot.svg | sed 's/[1-9][0-9]*/1/')"
xmllint --noout plot.svg 2>/dev/null || [ "$(command -v xmllint)" = "" ]
equal history-plot-well-formed 0 $?

# The recorder is killed: what was written is there, and the next one goes on.
"$MEMOIR" run --quiet -o killed.memoir --history killed.db --history-every 1s -- "$grows" 8 8 &
sleep 3.5
recorder=$(pgrep -P $! -x memoir-record || echo $!)
kill -9 "$recorder"
wait $! 2>/dev/null
at_least history-killed 2 "$(history_json '.services[0].runs[0].snapshots' killed.db)"
"$MEMOIR" run --quiet -o again.memoir --history killed.db --history-every 1s -- "$grows" 2 8
equal history-killed-goes-on 2 "$(history_json '.services[0].runs | length' killed.db)"

# Two at a time.
"$MEMOIR" run --quiet -o one.memoir --history both.db --history-every 1s --history-name one -- "$grows" 4 8 2>one.err &
one=$!
"$MEMOIR" run --quiet -o two.memoir --history both.db --history-every 1s --history-name two -- "$grows" 4 8 2>two.err
wait $one
equal history-two-writers "one two" "$(history_json '[.services[].name] | join(" ")' both.db)"
equal history-two-writers-quiet "" "$(cat one.err two.err)"
"$MEMOIR" history both.db --plot x.svg 2>error
one_sentence history-plot-of-several error 'choose with --process'

# Files that are no history: a sentence, before anything is started, and nothing is changed.
echo "not a database, and longer than a header would be, by quite some letters more than a hundred, as SQLite wants" >text.db
"$MEMOIR" run --history text.db -- touch started 2>error
equal history-refused-status 1 $?
one_sentence history-no-database error 'not a database'
sqlite3 other.db 'CREATE TABLE bookmarks (url)'
cp other.db other.before
"$MEMOIR" run --history other.db -- touch started 2>error
one_sentence history-anothers error "of another program"
equal history-anothers-unchanged 0 "$(cmp -s other.db other.before; echo $?)"
cp twice.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 7'
"$MEMOIR" run --history newer.db -- touch started 2>error
one_sentence history-newer error 'newer memoir'
"$MEMOIR" history newer.db 2>error
one_sentence history-newer-read error 'newer memoir'
"$MEMOIR" history missing.db 2>error
one_sentence history-missing error 'cannot open'
equal history-nothing-started no "$([ -e started ] && echo yes || echo no)"
head -c 20000 twice.db >cut.db
"$MEMOIR" history cut.db >/dev/null 2>error
equal history-cut-status 1 $?
one_sentence history-cut error 'damaged'
"$MEMOIR" history twice.db --process subject-grow 2>error
one_sentence history-unknown-process error 'did you mean "subject-grows"'
"$MEMOIR" history twice.db --since yesterday 2>error
one_sentence history-bad-since error 'date'

# A running process, attached to twice: one run.
"$grows" 30 8 &
running=$!
for _ in 1 2; do
    "$MEMOIR" attach --quiet -o attached.memoir --history attached.db --history-every 1s --for 2s $running
done
kill $running
equal history-attached 1 "$(history_json '.services[0].runs | length' attached.db)"

# A program that memoir becomes: the recorder is another process than the one that opened the history.
"$MEMOIR" run --exec --quiet -o become.memoir --history become.db --history-every 1s -- "$grows" 3 8
equal history-become 1 "$(history_json '.services[0].runs | length' become.db)"

# A map adds to a history, too, and its alerts are an exit status.
"$grows" 20 8 &
running=$!
for _ in 1 2; do "$MEMOIR" map $running --history map.db --history-name mapped --alert 'rss>100G' >/dev/null; done
equal history-map-quiet-status 0 $?
equal history-map "mapped 1 2" "$(history_json '.services[0] | "\(.name) \(.runs | length) \(.runs[0].snapshots)"' map.db)"
equal history-map-category 1 "$(history_json '[.services[0].series[] | select(.name == "file/Shared Libraries")] | length' map.db)"
"$MEMOIR" map $running --alert 'rss>1K' >/dev/null 2>error
equal history-map-alert-status 3 $?
one_sentence history-map-alert error 'alert rss>1K: resident memory is'
"$MEMOIR" map $running --alert 'heap.live>1' 2>error
one_sentence history-map-alert-traced error 'needs measurements over time'
"$MEMOIR" map $running --history text.db 2>&1 >/dev/null | head -n 1 >error
one_sentence history-map-no-database error 'not a database'
kill $running

# Numbers that no memory has.
cp twice.db odd.db
sqlite3 odd.db 'UPDATE point SET last = -9223372036854775807, low = 9223372036854775807 WHERE run = 1;
    UPDATE point SET high = 9223372036854775807, span_ms = 9223372036854775807, last = 9223372036854775807 WHERE run = 2;
    UPDATE series SET kind = 77 WHERE id % 3 = 0; UPDATE run SET begin_ms = -5, limit_bytes = -1'
for form in --json --csv "--plot odd.svg" --top=3; do
    # shellcheck disable=SC2086
    "$MEMOIR" history odd.db $form >odd.out 2>error
    at_most "history-odd-numbers ${form% *}" 1 $?
done

# A file of a stranger whose table is a view without an end.
cp twice.db endless.db
sqlite3 endless.db "PRAGMA journal_mode = DELETE; DROP TABLE point; CREATE VIEW point AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL
    SELECT x + 1 FROM c) SELECT 1 AS series, 1700000000000 + x AS time_ms, 1 AS run, 0 AS span_ms, 5 AS low, 6 AS high, 5 AS last FROM c" >out
timeout 60 "$MEMOIR" history endless.db >out 2>error
equal history-endless-status 1 $?
one_sentence history-endless error 'not a history as memoir makes it'
timeout 60 "$MEMOIR" run -o endless.memoir --history endless.db -- true 2>error
equal history-endless-to-write yes "$(grep -q 'not a history as memoir makes it' error && echo yes)"

# The disk is full: told once, the recording goes on.
if "${with_own_mounts[@]}" true 2>/dev/null; then
    # shellcheck disable=SC2016
    "${with_own_mounts[@]}" bash -c 'mkdir small && mount -t tmpfs -o size=128k tmpfs small || exit 77
        "$1" run -o full.memoir --history small/full.db --history-every 1s -- "$2" 6 8 2>full.err &
        sleep 2.5
        dd if=/dev/zero of=small/rest bs=1k count=128 2>/dev/null
        wait $!' bash "$MEMOIR" "$grows"
    equal history-full-status 0 $?
    grep history full.err | grep -v missing >full.told
    one_sentence history-full full.told 'full|I/O|cannot'
    # shellcheck disable=SC2016
    "${with_own_mounts[@]}" bash -c 'mkdir "read only%?" && mount -t tmpfs tmpfs "read only%?" && cp twice.db "read only%?" &&
        mount -o remount,ro "read only%?" && "$1" history "read only%?/twice.db" --csv' bash "$MEMOIR" >read.csv 2>error
    equal history-read-only-disk "$(wc -l <points.csv)" "$(wc -l <read.csv)"
    equal history-full-recording 300 "$("$MEMOIR" report full.memoir --metric heap.live --filter leak_here --json | jq .total.count)"
else
    skip history-full "this user may not make a mount namespace"
fi

wait $long
equal history-growth "growing growing" \
    "$(history_json '[.services[0].series[] | select(.name == "heap.live" or .name == "leak_here") | .growth.verdict] | join(" ")' long.db)"
"$MEMOIR" history long.db --limit 1G >text
equal history-growth-sentence 1 "$(grep -c 'growth.*heap.live grows by .*/min' text)"
equal history-name ledger "$(history_json '.services[0].name' long.db)"
