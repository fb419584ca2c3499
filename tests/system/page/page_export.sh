#!/usr/bin/env bash
# What the page saves: pictures, tables, files for other programs and the page itself, each with the numbers of the command.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_server export
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
begin_server export --listen 0 phases.memoir

same_bytes() { # same_bytes CASE QUERY NAME EXPORT-OPTIONS…
    local case=$1 query=$2 name=$3
    shift 3
    get "/api/export?$query" -o "web.$name" -D headers
    "$MEMOIR" export phases.memoir -o "cli.$name" "$@" 2>/dev/null
    cmp -s "cli.$name" "web.$name"
    equal "export-$case" 0 $?
    grep -qi "^content-disposition: attachment; filename=\"subject-phases\.[0-9]*\..*$name\"" headers
    equal "export-$case-name" 0 $?
}
same_bytes pprof 'to=pprof' pb.gz --to pprof
same_bytes pprof-metric 'to=pprof&metric=heap.allocated&between=5%25,100%25&filter=work' pb.gz \
    --to pprof --metric heap.allocated --between 5%,100% --filter work
same_bytes folded 'to=folded&metric=heap.live&at=50%25' folded --to folded --metric heap.live --at 50%
same_bytes callgrind 'to=callgrind' callgrind.out --to callgrind
same_bytes massif 'to=massif' massif.out --to massif
same_bytes perf 'to=perf' perf.data --to perf
same_bytes heaptrack 'to=heaptrack' heaptrack.zst --to heaptrack

refused() { # refused CASE QUERY WORDS
    equal "$1-status" 400 "$(status_of "/api/export?$2")"
    grep -q "$3" body && ! grep -q -- '--' body
    equal "$1-sentence" 0 $?
}
refused export-nothing '' 'to is folded, pprof'
refused export-unknown 'to=xls' 'to is folded, pprof'
refused export-heaptrack-time 'to=heaptrack&between=0%25,50%25' 'heaptrack file always contains the whole run'
refused export-time 'to=pprof&at=never' 'at cannot be'

if ! has_browser; then
    skip export-in-browser "node, the packages of the page or Chromium are missing"
else
    run_page_test export.mjs "http://127.0.0.1:$port/" phases.memoir "$PWD"
    for picture in *.svg; do
        xmllint --noout --nonet "$picture" 2>xml.err
        equal "export-$picture-is-xml" "0 " "$? $(head -c 200 xml.err)"
    done
fi
end_server export-ends
