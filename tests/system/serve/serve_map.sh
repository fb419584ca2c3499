#!/usr/bin/env bash
# /api/map: the mappings of a process as memoir map has them, bounded, and without addresses for those who may not see them.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

begin_quiet() { # begin_quiet NAME PROGRAM…: until it is ready, then it stands still; $quiet is its pid
    local name=$1
    shift
    mkfifo "$name.hold"
    "$@" <"$name.hold" >"$name.said" &
    quiet=$!
    started+=("$quiet")
    exec 9>"$name.hold"
    wait_until 30 has_line "$name.said" ready || not_ok "$name-begins" "$(head -c 300 "$name.said")"
    kill -STOP "$quiet"
}
refused() { # refused CASE PATH WORDS
    equal "$1-status" 400 "$(status_of "$2")"
    grep -q "$3" body
    equal "$1-sentence" 0 $?
}

begin_quiet pins "$subjects/subject-pins_pages"
begin_server pins --listen 0 --pid "$quiet"
get /api/map >web.json
"$MEMOIR" map "$quiet" --json --all -o cli.json
# What does not depend on other processes: PSS does.
own='def own: [.rss, .virtual, .anonymous, .private_dirty, .swap]; '
places() { jq -c "$own [.$2[] | select(.bytes.rss > 0) | [.start, .end, .rights, .name, (.bytes | own)]] | sort" "$1"; }
parts() { jq -c "$own [.sections[], .leaves[], .total | [.section, .label, .item, .regions, (.bytes | own)]]" "$1"; }
equal map-mappings "$(places cli.json regions)" "$(places web.json rows)"
equal map-parts "$(parts cli.json)" "$(parts web.json)"
equal map-kernel "$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$quiet/status")" "$(jq '[.rows[].bytes.rss] | add' web.json)"
equal map-in-order true "$(jq '[.rows[].first] == [range(.rows | length)] and ([.rows[].start] == ([.rows[].start] | sort_by([length, .])))' web.json)"
get '/api/map?by=perm&sort=virtual' >web.perm
"$MEMOIR" map "$quiet" --by perm --sort virtual --json -o cli.perm
equal map-by-rights "$(parts cli.perm)" "$(parts web.perm)"

# The pages of the heap: as many as are resident, in no more cells than wanted.
heap=$(jq '.rows[] | select(.name == "[heap]") | .first' web.json)
get "/api/map?region=$heap&cells=300" | jq .pages >pages.json
equal map-cells-sum "$(jq '.rows[] | select(.name == "[heap]") | .bytes.rss' web.json)" "$(jq '.resident | add' pages.json)"
equal map-cells-private 0 "$(jq '.of_file | add' pages.json)"
at_most map-cells-few 300 "$(jq '.resident | length' pages.json)"
equal map-cells-pages 0 "$(jq '.cell_bytes % 4096' pages.json)"
equal map-no-region "there is no such mapping any more" "$(get '/api/map?region=99999' | jq -r .pages.trouble)"

# Who comes through a proxy may be anybody: no address, and no distance between any two.
get "/api/map?region=$heap" -H 'X-Forwarded-For: 10.0.0.1' >strange.json
equal map-hidden 'false 0 0' "$(jq -r '"\(.has_addresses) \([.rows[] | select(has("start") or has("end"))] | length) \([.rows[] | select(.gap != null and .gap > 0)] | length)"' strange.json)"
equal map-hidden-nowhere 0 "$(grep -c '0x[0-9a-f]' strange.json)"
equal map-hidden-same "$(jq -c '[.rows[].bytes.rss]' web.json)" "$(jq -c '[.rows[].bytes.rss]' strange.json)"

refused map-rows '/api/map?rows=2' 'rows is a whole number from 3 to 4000'
refused map-cells '/api/map?region=1&cells=4097' 'cells is a whole number from 1 to 4096'
refused map-by '/api/map?by=colour' 'by is one of category, name, file, perm'

kill -CONT "$quiet"
kill -9 "$quiet"
wait "$quiet" 2>/dev/null
exec 9>&-
equal map-ended 404 "$(status_of /api/map)"
grep -q 'has ended' body
equal map-ended-sentence 0 $?
end_server map-server-ends

# Of a process that is recorded it is known who mapped what, and that stays known when it has ended.
"$MEMOIR" run --quiet -o maps.memoir -- "$subjects/subject-maps_and_stacks" "$PWD/mapped.file" >maps.out 2>&1 &
recorder=$!
started+=("$recorder")
wait_until 30 has_line maps.out ready || not_ok maps-begins "$(head -c 300 maps.out)"
program=$(descendants "$recorder" | head -n 1)
started+=("$program")
"$MEMOIR" explain "$program" --json >explain.json
begin_server maps --listen 0 maps.memoir
mapped_by() { jq -c "[.rows[] | select(any(.stack[]?; .function == \"$1\")) | .bytes.rss] | add" "$2"; }
get /api/map >live.json
equal map-live-source smaps "$(jq -r .capture.source live.json)"
kill -9 "$program"
wait "$recorder" 2>/dev/null
is_ended() { [ "$(get /api/targets | jq -r '.targets[0].recording')" = ended ]; }
wait_until 20 is_ended
get /api/map >ended.json
equal map-recorded-source recording "$(jq -r .capture.source ended.json)"
equal map-recorded-sum "$(jq .residency.walked_bytes explain.json)" "$(jq '[.rows[].bytes.rss] | add' ended.json)"
equal map-recorded-site $((6 << 20)) "$(mapped_by sparse_cache ended.json)"
equal map-recorded-mappings '[]' "$(jq -c --slurpfile ended ended.json '[.rows[].start] - [$ended[0].rows[].start]' live.json)"
equal map-live-site $((4 << 20)) "$(mapped_by share live.json)"
equal map-recorded-hidden 0 "$(get '/api/map?region=1' -H 'X-Forwarded-For: 10.0.0.1' | grep -c '0x[0-9a-f]')"
at_most map-recorded-small 200000 "$(wc -c <maps.memoir)"
end_server map-recorded-server-ends

# Tens of thousands: as few rows as were asked for, and nothing is lost.
pairs=$((($(cat /proc/sys/vm/max_map_count) - 500) / 2))
[ "$pairs" -le 30000 ] || pairs=30000
begin_quiet many "$subjects/subject-many_mappings" "$pairs"
begin_server many --listen 0 --pid "$quiet"
get /api/map >many.json
at_most map-many-rows 1000 "$(jq '.rows | length' many.json)"
at_most map-many-bytes 600000 "$(wc -c <many.json)"
equal map-many-sum "$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$quiet/status") $(grep -c '^[0-9a-f]*-' "/proc/$quiet/maps")" \
    "$(jq '[.rows[].bytes.rss] | add' many.json) $(jq '[.rows[].count] | add' many.json)"
first=$(jq '[.rows[] | select(.count > 5)][0].first' many.json)
equal map-many-window 5 "$(get "/api/map?first=$first&count=5" | jq "[.rows[] | select(.count == 1 and .first >= $first)] | length")"
at_most map-many-few 10 "$(get '/api/map?rows=10' | jq '.rows | length')"
at_most map-many-memory 65536 "$(awk '/^VmHWM/ { print $2 }' "/proc/$server/status")"
kill -CONT "$quiet"
exec 9>&-
wait "$quiet"
equal map-many-unharmed 0 $?
