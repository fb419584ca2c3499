#!/usr/bin/env bash
# memoir serve on a program that is recorded: its numbers are those of memoir report, and the programs they are for read them.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
export PPROF_TMPDIR=$PWD

need_server serve
live='memoir_heap_live_bytes'

# A process that is not recorded: what the kernel knows is served, the rest says what to do.
(
    ulimit -S -v 1048576
    exec sleep 1000
) &
sleeper=$!
started+=("$sleeper")
begin_server alone --pid "$sleeper" --listen 0
equal health-alone "process: running" "$(get /healthz | sed -n 2p)"
equal no-recording-status 404 "$(status_of /debug/pprof/heap)"
one_sentence no-recording-sentence body "memoir attach $sleeper"
get /debug/pprof/heap -H 'Accept: application/json' | jq -r .error >sentence
one_sentence no-recording-json sentence "memoir attach $sleeper"
equal alone-rss "$(($(awk '/^VmRSS/ { print $2 }' "/proc/$sleeper/status") * 1024))" "$(metric memoir_rss_bytes)"
equal alone-address-limit 1073741824 "$(metric process_virtual_memory_max_bytes)"
equal alone-nothing-unattributed 0 "$(metric memoir_unattributed_bytes)"
at_least alone-captures 1 "$(metric 'memoir_captures_total{tier="smaps",result="ok"}')"
equal alone-captures-failed 0 "$(metric 'memoir_captures_total{tier="none",result="failed"}')"
equal alone-not-recorded 0 "$(metric memoir_recorded)"
kill "$sleeper"
wait "$sleeper" 2>/dev/null
if wait_until 10 metric_is memoir_process_up 0; then ok process-end-is-seen; else not_ok process-end-is-seen "$(metric memoir_process_up)"; fi
end_server alone-ends

# One that is recorded, found by its pid and followed.
begin_subject grow
begin_server live --pid "$subject" --listen 0
grow_to grow 100
if wait_until 30 metric_is "$live" 100000; then ok live-bytes; else not_ok live-bytes "$(metric "$live")"; fi
site='memoir_heap_site_live_bytes{function="grown_block"}'
if wait_until 30 metric_is "$site" 100000; then ok live-site; else not_ok live-site "$(metric "$site")"; fi
equal site-sum "$(metric "$live")" "$(get /metrics | awk '/^memoir_heap_site_live_bytes/ { sum += $2 } END { printf "%.0f\n", sum }')"
equal kinds-sum "$(metric memoir_rss_bytes)" "$(get /metrics | awk '/^memoir_rss_(anonymous|file|shmem)_bytes/ { sum += $2 } END { printf "%.0f", sum }')"
equal resident-sum "$(metric memoir_rss_bytes)" "$(get /metrics | awk '/^memoir_resident_bytes/ { sum += $NF } END { printf "%.0f", sum }')"

get /metrics >metrics.txt
promtool check metrics <metrics.txt >promtool.out 2>&1
equal promtool-metrics "0 " "$? $(cat promtool.out)"
# Every name is in the manual.
sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' metrics.txt | while read -r name; do
    grep -q "\`$name\`" "$TOP/docs/metrics.md" || echo "$name"
done >undocumented
equal metrics-are-documented "" "$(cat undocumented)"
equal openmetrics-end '# EOF' "$(get /metrics -H 'Accept: application/openmetrics-text;version=1.0.0' | tail -n 1)"
equal openmetrics-type 'application/openmetrics-text; version=1.0.0; charset=utf-8' \
    "$(get /metrics -H 'Accept: application/openmetrics-text;version=1.0.0' -o /dev/null -w '%{content_type}')"
equal text-type 'text/plain; version=0.0.4; charset=utf-8' "$(get /metrics -o /dev/null -w '%{content_type}')"

# All its memory, as memoir map shows it.
get '/debug/memory?top=3' >page.txt
"$MEMOIR" map "$subject" --top 3 >map.txt
equal memory-rss "$(grep 'RSS (Resident)' map.txt)" "$(grep 'RSS (Resident)' page.txt)"
equal memory-top "$(sed -n '/Memory Regions ===$/,$p' map.txt)" "$(sed -n '/Memory Regions ===$/,$p' page.txt)"
equal memory-rss-for-scripts "$(($(metric memoir_rss_bytes) >> 20))" "$(grep 'RSS (Resident)' page.txt | awk '{ print $3 }')"
equal memory-json "$subject" "$(get '/debug/memory?format=json' | jq .process.pid)"
equal memory-unit kB "$(get "/debug/memory?sort=swap&unit=kB&min=1M" | awk '/^RSS .Resident/ { print $4 }')"
equal memory-by-perm "By Rights:" "$(get '/debug/memory?by=perm' | grep '^By Rights')"
equal memory-by-perm-sum true "$(get '/debug/memory?by=perm&format=json' | jq '([.leaves[].bytes.rss] | add) == .total.bytes.rss and ([.leaves[].label | length] | max) == 4')"
for wrong in sort by unit min; do
    equal "memory-bad-$wrong" 400 "$(status_of "/debug/memory?$wrong=nonsense")"
done
equal memory-bad-top 400 "$(status_of '/debug/memory?top=none')"
one_sentence memory-bad-top-sentence body 'top is a whole number'

# Two of them as profiles show what grew: the heap, by as much as its numbers say.
allocator() { # allocator FILE: its resident kB by the JSON
    jq '[.sections[] | select(.section == "allocator") | .bytes.rss] | add / 1024' "$1"
}
get '/debug/memory?format=pprof' -o one.pb.gz
get '/debug/memory?format=json' -o one.json
for lines in $(seq 2 21); do grow_to grow $((lines * 100)); done
get '/debug/memory?format=json' -o two.json
go tool pprof -unit=kB -top -diff_base=one.pb.gz "http://127.0.0.1:$port/debug/memory?format=pprof" >diff.txt 2>diff.err
equal map-diff-grew "$(($(allocator two.json) - $(allocator one.json)))kB" "$(awk '/C Heap/ { print $4 }' diff.txt)"
at_least map-diff-is-growth 1000 "$(awk '/C Heap/ { print $4 + 0 }' diff.txt)"
if wait_until 30 metric_is "$live" 2100000; then ok live-bytes-grown; else not_ok live-bytes-grown "$(metric "$live")"; fi

# What changes while somebody asks for the change.
get '/debug/pprof/heap?seconds=2' -o delta.pb.gz &
asking=$!
sleep 0.5
grow_to grow 2200
wait "$asking"
equal delta "100000" "$(go tool pprof -raw delta.pb.gz 2>/dev/null | awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && /^ *-?[0-9]/ { sum += $4 } END { printf "%.0f\n", sum }')"
if wait_until 30 metric_is "$live" 2200000; then ok live-bytes-later; else not_ok live-bytes-later "$(metric "$live")"; fi

# go tool pprof asks the server itself, and has the total of memoir report.
go tool pprof -top -unit B "http://127.0.0.1:$port/debug/pprof/heap" >top.txt 2>top.err
equal pprof-top "2200000B grown_block" "$(awk '$NF == "grown_block" { print $1, $NF }' top.txt)"
go tool pprof -top -unit B "http://127.0.0.1:$port/debug/pprof/allocs" >allocs.txt 2>allocs.err
equal pprof-allocs-shows-allocated "Type: alloc_space" "$(grep ^Type: allocs.txt)"
equal text-total "heap profile: 2200: 2200000 [2200: 2200000] @ heapprofile" "$(get '/debug/pprof/heap?debug=1' | head -n 1)"
equal pprof-index 200 "$(status_of /debug/pprof/)"

# A real Prometheus scrapes it, and its rules load.
promtool check rules "$TOP/examples/alerts.yml" >rules.out 2>&1
equal promtool-rules 0 $?
cat >prometheus.yml <<END
global: {scrape_interval: 500ms, evaluation_interval: 500ms}
rule_files: [$TOP/examples/alerts.yml]
scrape_configs: [{job_name: memoir, static_configs: [{targets: ['127.0.0.1:$port']}]}]
END
prometheus_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file=prometheus.yml --storage.tsdb.path="$PWD/tsdb" --web.listen-address="127.0.0.1:$prometheus_port" >prometheus.log 2>&1 9>&- &
started+=($!)
prometheus=$!
asked() { # asked QUERY: the value that Prometheus has
    curl -s --get --data-urlencode "query=$1" "http://127.0.0.1:$prometheus_port/api/v1/query" | jq -r '.data.result[0].value[1]'
}
has_scraped() { # has_scraped QUERY VALUE
    [ "$(asked "$1")" = "$2" ]
}
if wait_until 60 has_scraped "$live" 2200000; then ok prometheus-scrapes; else not_ok prometheus-scrapes "$(asked "$live") $(tail -n 3 prometheus.log)"; fi
equal prometheus-up 1 "$(asked 'up{job="memoir"}')"
if wait_until 60 has_scraped 'sum(memoir_heap_site_live_bytes)' 2200000; then ok prometheus-sites; else not_ok prometheus-sites "$(asked 'sum(memoir_heap_site_live_bytes)')"; fi
equal prometheus-types counter "$(curl -s "http://127.0.0.1:$prometheus_port/api/v1/metadata?metric=memoir_heap_allocated_bytes" |
    jq -r '.data | .[][0].type')"
kill "$prometheus"
wait "$prometheus" 2>/dev/null

# When the program ends the recording stays; it equals the report.
exec 9>&-
if wait_until 30 metric_is memoir_recording_active 0; then ok end-is-seen; else not_ok end-is-seen "$(get /healthz)"; fi
equal report-total "$(summary grow.memoir allocated_bytes)" "$(metric memoir_heap_allocated_bytes_total)"
equal no-change-any-more 400 "$(status_of '/debug/pprof/heap?seconds=1')"
end_server live-ends

# A recording alone.
begin_server file grow.memoir --listen 0
equal file-total "$(summary grow.memoir allocated_bytes)" "$(metric memoir_heap_allocated_bytes_total)"
equal file-has-no-process "" "$(metric memoir_process_up)"
end_server file-ends

# What cannot be served.
"$MEMOIR" serve --pid 999999999 --listen 0 2>none.err
equal no-process-status 1 $?
one_sentence no-process none.err 'no process 999999999'
"$MEMOIR" serve nothing.memoir --listen 0 2>nofile.err
one_sentence no-file nofile.err 'nothing.memoir'
"$MEMOIR" serve 2>usage.err
equal usage-status 2 $?
one_sentence usage usage.err 'memoir serve --pid PID'
"$MEMOIR" serve --help >help.out
at_least help-examples 3 "$(grep -c '  memoir serve' help.out)"
