#!/usr/bin/env bash
# memoir serve FILE and DIR: what parses requests and recordings of strangers can do that and no more; a broker does the rest, for what
# is meant to be served.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
need_server serve-confined

is_confined() { # is_confined CASE: the kernel's word for it
    equal "$1" "0000000000000000 1 2" "$(sed -n 's/^CapEff:\t//p; s/^NoNewPrivs:\t//p; s/^Seccomp:\t//p' "/proc/$server/status" | tr '\n' ' ' | sed 's/ $//')"
}

"$MEMOIR" run --quiet -o ended.memoir -- "$subjects/subject-grows" 3 >/dev/null 2>&1
begin_server ended ended.memoir --listen 0
is_confined file
equal file-metrics 200 "$(status_of /metrics)"
equal file-no-process 404 "$(status_of '/debug/pprof/goroutine')"
end_server file-ends

# Nothing of it is read before that but the 16 bytes that tell what it is, by two who ask.
if strace -o probe true 2>/dev/null; then
    timeout 60 strace -f -y -e trace=read,pread64,mmap,seccomp,accept4,socket -o trace "$MEMOIR" serve ended.memoir --listen 0 2>traced.err &
    started+=("$!")
    wait_until 30 has_line traced.err 'serving http://'
    # shellcheck disable=SC2034 # status_of asks there
    port=$(sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' traced.err)
    status_of /metrics >/dev/null
    kill "$(head -n 1 trace | cut -d ' ' -f 1)"
    wait "$!"
    equal before-and-after "0 yes 0" "$(awk '
        /seccomp\(SECCOMP_SET_MODE_FILTER.* = 0$/ && !on { on = 1; of = $1 }
        /ended\.memoir/ && / = [0-9]+$/ && !on { before += $NF }
        /ended\.memoir/ && on && $1 == of { after = "yes" }
        / socket\(/ && on && $1 == of { sockets++ }
        END { print (before <= 32 ? 0 : before), after, sockets + 0 }' trace)"
else
    skip before-and-after "processes cannot be traced here"
fi

# A run, and a history with it.
mkdir run
for i in 0 1 2 3; do
    "$MEMOIR" export ended.memoir --to pprof -o "run/n1.20261116_0100${i}0.heap" 2>/dev/null
done
make_history h.db
begin_server run h.db run --listen 0
is_confined run
equal run-nodes 200 "$(status_of /api/nodes)"
equal history-by-its-program 200 "$(status_of '/api/history?target=1')"
end_server run-ends

# A recording that is being made: its process now, by the broker, and profiles of it.
begin_subject grow
grow_to grow 100
wait_until 20 test -s grow.memoir
begin_server growing grow.memoir --listen 0
is_confined growing
wait_until 20 [ "$(status_of /api/map)" = 200 ]
equal map-now 200 "$(status_of '/api/map?threshold=1')"
equal map-is-of-now "smaps" "$(get /api/map | grep -o '"source": *"[a-z]*"' | head -n 1 | sed 's/.*"\([a-z]*\)"$/\1/')"
equal stacks-now 200 "$(status_of '/debug/pprof/goroutine?debug=1')"
equal profile-now 200 "$(status_of '/debug/pprof/profile?seconds=1')"
end_server growing-ends

# With the process named, its file beside it.
begin_server both --pid "$subject" grow.memoir --listen 0
is_confined both
equal both-metrics "$subject" "$(get /api/targets | grep -o '"pid": *[0-9]*' | head -n 1 | grep -o '[0-9]*$')"
equal both-map 200 "$(status_of /api/map)"
has_rss() { get /metrics | grep -q '^memoir_.*rss'; }
if wait_until 10 has_rss; then ok both-has-memory; else not_ok both-has-memory "$(get /metrics | head -c 500)"; fi
end_server both-ends
exec 9>&-
