#!/usr/bin/env bash
# Hundreds read from the server of a program that is being recorded, others send half a request and no more: all are answered, the
# server stays small, and the recording is exact.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/books.bash"
. "$TOP/tests/system/serve.bash"

need_server serve_load

# Some seconds of work, spread out; what it does is in its books.
"$MEMOIR" run --serve --listen 0 -o load.memoir -- "$generator" --books load.books --threads 2 --ops 1200000 --pace 60 --paths 32 --seed 7 \
    >load.memoir.out 2>load.memoir.err &
recorder=$!
started+=("$recorder")
wait_until 30 has_line load.memoir.err 'serving http://' || not_ok load-begins "$(cat load.memoir.err)"
port=$(sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' load.memoir.err)
for server in $(descendants "$recorder"); do
    case $(readlink "/proc/$server/exe") in */memoir-serve) break ;; esac
done
is_recorded() { [ "$(status_of '/api/report?top=1')" = 200 ]; }
wait_until 30 is_recorded || not_ok load-is-recorded "$(get /healthz)"

"$subjects/subject-http_crowd" "$port" 200 200 2 50 >crowd.out
equal crowd "answered 600 refused 0 broken 0 told 200" "$(tail -n 4 crowd.out | xargs)"
equal one-more 200 "$(status_of /api/targets)"
# 450 connections and 400 reports: it takes 22 MiB.
at_most server-is-small 98304 "$(awk '/^VmHWM/ { print $2 }' "/proc/$server/status")"
is_gone "$recorder"
equal while-it-was-recorded 1 $?

wait "$recorder"
equal load-status 0 $?
compare_books load
