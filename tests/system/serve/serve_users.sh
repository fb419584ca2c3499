#!/usr/bin/env bash
# memoir serve and other users of this machine: whose a connection is, says the kernel; they get nothing without the token of the link.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

need_server serve_users
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    skip serve_users "only root can be several users"
    exit 0
fi
open_house
somebody=(setpriv --reuid 65533 --regid 65533 --clear-groups)

begin_server_of() { # begin_server_of NAME COMMAND… -- OPTIONS…: as begin_server, started by COMMAND
    local name=$1 command=()
    shift
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    shift
    (cd "$house/own" && exec "${command[@]}" "$house/memoir" serve "$@") 2>"$name.err" </dev/null 9>&- &
    server=$!
    started+=("$server")
    wait_until 30 has_line "$name.err" 'serving http://' || not_ok "$name-begins" "$(cat "$name.err")"
    port=$(sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' "$name.err")
}

status_for() { # status_for COMMAND… -- PATH CURL-OPTIONS…: the status that curl gets when COMMAND starts it
    local command=() path
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    path=$2
    shift 2
    "${command[@]}" curl -s --max-time 20 "$@" -o - -w '\n%{http_code}' "http://127.0.0.1:$port$path" >body.all
    head -n -1 body.all >body
    tail -n 1 body.all
}

link_of() { # link_of NAME
    sed -n 's|.*need the link http://127.0.0.1:[0-9]*/?token=\([0-9a-f]*\)$|\1|p' "$1.err"
}

record leaks.memoir --quiet -- "$subjects/subject-leaks_100_blocks"
cp leaks.memoir "$house/own"
chmod a+r "$house/own/leaks.memoir"

# What an ordinary user serves.
begin_server_of ordinary "${nobody[@]}" -- leaks.memoir --listen 0
equal ordinary-prints-no-link 0 "$(grep -c token ordinary.err)"
equal ordinary-serves-the-user 200 "$(status_for "${nobody[@]}" -- /api/targets)"
equal ordinary-serves-root 200 "$(status_for env -- /api/targets)"
routes=0 refused=0
while read -r path; do
    for method in GET HEAD POST OPTIONS; do
        option=(-X "$method")
        [ "$method" != HEAD ] || option=(-I)
        routes=$((routes + 1))
        [ "$(status_for "${somebody[@]}" -- "$path" "${option[@]}" -H 'Accept: text/html')" != 403 ] || refused=$((refused + 1))
    done
done < <(sed -n 's/^get \(\/[^ ]*\).*/\1/p' "$TOP/tests/interface/routes"; echo /nowhere)
at_least ordinary-routes-were-asked 100 "$routes"
equal ordinary-refuses-others "$routes" "$refused"
equal ordinary-refuses-tokens 403 "$(status_for "${somebody[@]}" -- /api/targets -H 'Authorization: Bearer 0123456789abcdef')"
one_sentence ordinary-says-why body 'answers only the user who started it.*--token-file'
equal ordinary-refuses-others-with-sockets-of-ipv6 403 \
    "$("${somebody[@]}" curl -s --max-time 20 -g -H 'Host: localhost' -o /dev/null -w '%{http_code}' "http://[::ffff:127.0.0.1]:$port/api/targets")"
equal ordinary-serves-sockets-of-ipv6 200 \
    "$("${nobody[@]}" curl -s --max-time 20 -g -H 'Host: localhost' -o /dev/null -w '%{http_code}' "http://[::ffff:127.0.0.1]:$port/api/targets")"
# One who takes all connections, without a word, has some of them.
"${somebody[@]}" bash -c "for ((i = 0; i < 300; i++)); do exec {line}<>/dev/tcp/127.0.0.1/$port; done 2>/dev/null; echo taken; exec sleep 1000" >crowd.out &
crowd=$!
started+=("$crowd")
wait_until 30 has_line crowd.out taken
connections() {
    find "/proc/$server/fd" -lname 'socket:*' | wc -l
}
equal ordinary-serves-the-user-in-a-crowd 200 "$(status_for "${nobody[@]}" -- /api/targets)"
at_most ordinary-crowd 70 "$(connections)"
kill "$crowd"
end_server ordinary-ends

# What root serves.
begin_server_of root env -- leaks.memoir --listen 0
token=$(link_of root)
equal root-link-has-a-token 48 "${#token}"
equal root-serves-root 200 "$(status_for env -- /api/targets)"
for path in /api/targets /metrics /api/events /debug/pprof/heap / "/api/targets?token=$token" "/?token=$token"; do
    equal "root-refuses-others-${path%%\?*}" 401 "$(status_for "${somebody[@]}" -- "$path")"
done
one_sentence root-says-why body 'open the link that memoir serve printed'
equal root-serves-who-has-the-token 200 "$(status_for "${somebody[@]}" -- /api/targets -H "Authorization: Bearer $token")"
equal root-refuses-who-has-another 401 "$(status_for "${somebody[@]}" -- /api/targets -H "Authorization: Bearer $(tr 0-9a-f a-f0-9 <<<"$token")")"
equal root-token-is-not-in-ps 0 "$(cat "/proc/$server/cmdline" "/proc/$server/environ" | tr '\0' '\n' | grep -c "$token")"
if [ "$(status_for "${somebody[@]}" -- "/?token=$token" -H 'Accept: text/html')" = 200 ]; then
    equal root-page-has-no-data 0 "$(grep -c -e leaks -e "$token" body)"
else
    equal root-has-no-page 401 "$(status_for "${somebody[@]}" -- "/?token=$token" -H 'Accept: text/html')"
fi
end_server root-ends
begin_server_of again env -- leaks.memoir --listen 0
equal root-tokens-differ yes "$([ "$(link_of again)" != "$token" ] && [ -n "$(link_of again)" ] && echo yes)"
end_server again-ends

# A process of another user; and looks that take long, which one client may not have all of.
sleep 1000 &
sleeper=$!
started+=("$sleeper")
begin_server_of foreign "${nobody[@]}" -- --pid "$sleeper" --listen 0
equal foreign-prints-a-link 48 "$(link_of foreign | tr -d '\n' | wc -c)"
equal foreign-refuses-others 401 "$(status_for "${somebody[@]}" -- /api/targets)"
equal foreign-serves-the-user 200 "$(status_for "${nobody[@]}" -- /api/targets)"
end_server foreign-ends
begin_server_of looks env -- --pid "$sleeper" --listen 0
token=$(link_of looks)
lookers=()
for _ in 1 2 3 4; do
    "${somebody[@]}" curl -s -H "Authorization: Bearer $token" "http://127.0.0.1:$port/debug/pprof/profile?seconds=1000" >/dev/null &
    lookers+=($!)
done
started+=("${lookers[@]}")
helpers_are() {
    [ "$(pgrep -c -P "$server")" = "$1" ]
}
wait_until 30 helpers_are 4
equal looks-of-one-client 503 "$(status_for "${somebody[@]}" -- '/debug/pprof/goroutine?debug=1' -H "Authorization: Bearer $token")"
one_sentence looks-say-why body 'for this client already: ask again'
equal looks-of-another-client 200 "$(status_for env -- '/debug/pprof/goroutine?debug=1')"
equal looks-watch-for-dead-clients 4 "$(ss -Htno state established "sport = :$port" 2>/dev/null | grep -c keepalive)"
kill "${lookers[@]}"
wait_until 30 helpers_are 0
equal looks-end-with-their-clients 0 "$(pgrep -c -P "$server")"
end_server looks-ends

# A recorder of another user is not believed, whatever it says it records; nor is another program of that name.
(cd "$house/own" && exec "${nobody[@]}" "$house/memoir" run --quiet -o theirs.memoir -- sleep 1000) 2>theirs.err </dev/null 9>&- &
recorder=$!
started+=("$recorder")
recorded_is_there() {
    recorded=$(pgrep -x -u 65534 -s 0 sleep | head -n 1)
    [ -n "$recorded" ] && as_nobody "$house/memoir" explain "$recorded" --json >explain.own 2>/dev/null
}
wait_until 60 recorded_is_there
equal own-recorder-is-believed "memoir run" "$(jq -r .recording.source explain.own)"
equal foreign-recorder-explain "memoir explain" "$("$MEMOIR" explain "$recorded" --json | jq -r .recording.source)"
equal foreign-recorder-doctor 0 "$("$MEMOIR" doctor "$recorded" 2>&1 | grep -c 'theirs.memoir')"
begin_server_of theirs env -- --pid "$recorded" --listen 0
equal foreign-recorder-serve null "$(status_for env -- /api/targets >/dev/null; jq -r '.targets[0].file // null' body)"
end_server theirs-ends
kill "$recorded"
wait "$recorder"

# Where the kernel has no names for users, nobody is believed.
if unshare --user true 2>/dev/null; then
    begin_server_of nameless unshare --user -- leaks.memoir --listen 0
    token=$(link_of nameless)
    equal nameless-refuses 401 "$(status_for env -- /api/targets)"
    equal nameless-refuses-who-has-its-number 401 "$(status_for "${nobody[@]}" -- /api/targets)"
    equal nameless-serves-who-has-the-token 200 "$(status_for env -- /api/targets -H "Authorization: Bearer $token")"
    end_server nameless-ends
else
    skip nameless "no namespaces of users here"
fi
