#!/usr/bin/env bash
# Alerts: they fire once, are told, posted, run and pinned, and nothing of that hurts the recording.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >receiver.py <<'END'
import http.server
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['content-length']))
        with open('posted', 'ab') as file:
            file.write(body + b'\n')
        self.send_response(204)
        self.end_headers()
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Receiver)
with open('port.new', 'w') as file:
    file.write(str(server.server_port))
import os
os.rename('port.new', 'port')
server.serve_forever()
END
python3 receiver.py &
receiver=$!
trap 'kill $receiver 2>/dev/null' EXIT
for _ in $(seq 100); do
    [ -e port ] && break
    sleep 0.1
done
url=http://127.0.0.1:$(cat port)/hook

# Growth needs half a minute and two verdicts; it goes on beside the others.  The cache is full after 15 s.
"$MEMOIR" run -o leak.memoir --alert 'growth>1%/min' --alert 'growth{of="heap.live"}>1K/s' --alert-webhook "$url" -- \
    "$subjects/subject-grows" 65 8 -1 30000 2>leak.err &
leak=$!
"$MEMOIR" run -o cache.memoir --alert 'growth{of="heap.live"}>1K/s' -- "$subjects/subject-grows" 65 8 750 2>cache.err &
cache=$!

cat >tell.sh <<'END'
#!/bin/sh
printf '%s|' "$@" "$MEMOIR_ALERT" "$MEMOIR_ALERT_THRESHOLD" "${MEMOIR_ALERT_PROGRAM##*/}" "$MEMOIR_ALERT_RECORDING" >>told
echo >>told
END
chmod +x tell.sh
# 8 KiB, 50 times a second: the million is full within 3 s, and passed once.
record two.memoir --alert 'heap.live>1M' --alert 'heap.live{site=~"leak_h"}>512K' --alert 'heap.live{site=~"nobody"}>1' \
    --alert 'rss>100G' --alert-exec ./tell.sh --alert-webhook "$url" -- "$subjects/subject-grows" 6 8
equal alerts-status 3 "$status"
equal alerts-sentences "heap.live>1M heap.live{site=~\"leak_h\"}>512K" \
    "$(grep -o 'alert [^ ]*: ' two.memoir.err | sed 's/alert //; s/: $//' | sort | xargs -d '\n' echo)"
equal alerts-run-once 2 "$(wc -l <told)"
equal alerts-run-words "two.memoir|heap.live>1M|1048576|subject-grows|two.memoir" \
    "$(grep '^heap.live>1M' told | cut -d '|' -f 4-8)"
equal alerts-posted "subject-grows leak_here" \
    "$(jq -r 'select(.alert == "heap.live>1M") | "\(.program | split("/") | last) \(.sites[0].function)"' posted)"
at_least alerts-posted-value 1048577 "$(jq -r 'select(.alert == "heap.live>1M") | .value' posted)"
equal alerts-posted-valid 2 "$(jq -c 'select(.growth == null)' posted | wc -l)"

# The instant is in the recording, exactly: what was live then is what was told.
told=$(grep '^heap.live>1M' told | cut -d '|' -f 2)
live=$("$MEMOIR" report two.memoir --metric heap.live --at 'mark:alert heap.live>1M' --json | jq .total.value)
at_most alerts-pinned $((128 * 1024)) $((live > told ? live - told : told - live))

equal alerts-marks-are-the-alerts 'marks 2 marks set by alerts: --by phase lists them, --between phase:NAME shows one' \
    "$("$MEMOIR" report two.memoir | grep '^ *marks' | tr -s ' ' | sed 's/^ //')"

# Nothing fires: the program's own status.  It fires and the program fails: that counts more.
record quiet.memoir --alert 'rss>100G' -- "$subjects/subject-grows" 1 8
equal alerts-quiet-status 0 "$status"
equal alerts-quiet "" "$(grep alert quiet.memoir.err)"
record fails.memoir --alert 'heap.live>1' -- sh -c 'exit 7'
equal alerts-failed-program 7 "$status"

# A server that is not there, a program that is not there, one that hangs: told, and the recording is whole.
record dead.memoir --alert 'heap.live>100K' --alert-webhook http://127.0.0.1:1/secret -- "$subjects/subject-grows" 2 8
equal alerts-dead-server-status 3 "$status"
equal alerts-dead-server 1 "$(grep -c 'cannot post an alert to 127.0.0.1:1: ' dead.memoir.err)"
equal alerts-secret-path "" "$(grep /secret dead.memoir.err)"
equal alerts-secret-in-ps 1 "$(grep -c 'ps shows the address after --alert-webhook' dead.memoir.err)"
echo "http://user:hidden@127.0.0.1:1/secret" >address
record filed.memoir --alert 'heap.live>100K' --alert-webhook-file address -- "$subjects/subject-grows" 2 8
equal alerts-address-of-file 1 "$(grep -c 'cannot post an alert to 127.0.0.1:1: ' filed.memoir.err)"
equal alerts-address-is-not-told "" "$(grep -E 'hidden|/secret|ps shows' filed.memoir.err)"
equal alerts-dead-server-recording 100 "$("$MEMOIR" report dead.memoir --metric heap.live --filter leak_here --json | jq .total.count)"
record gone.memoir --alert 'heap.live>100K' --alert-exec no-such-program-here -- "$subjects/subject-grows" 1 8
equal alerts-missing-program 1 "$(grep -c 'cannot start no-such-program-here' gone.memoir.err)"

# Mistakes are sentences, and nothing is started.
"$MEMOIR" run --alert 'rss<2G' -- touch started 2>error
equal alerts-mistake-status 2 $?
one_sentence alerts-mistake error 'needs a >'
"$MEMOIR" run --alert 'heap.live{site=~"("}>1G' -- touch started 2>error
one_sentence alerts-bad-expression error 'no regular expression'
"$MEMOIR" run --alert-webhook ftp://x -- touch started 2>error
one_sentence alerts-bad-address error 'http'
equal alerts-not-started no "$([ -e started ] && echo yes || echo no)"

# A running process.
"$subjects/subject-grows" 30 8 &
grows=$!
"$MEMOIR" attach -o attached.memoir --for 4s --alert 'heap.live>512K' $grows 2>attach.err
equal alerts-attached-status 3 $?
equal alerts-attached 1 "$(grep -c 'alert heap.live>512K' attach.err)"
kill $grows 2>/dev/null

wait $leak
equal alerts-growth-status 3 $?
equal alerts-growth "growth>1%/min growth{of=\"heap.live\"}>1K/s" \
    "$(grep -o 'alert [^ ]*: ' leak.err | sed 's/alert //; s/: $//' | sort | xargs -d '\n' echo)"
equal alerts-growth-has-the-limit 0 "$(grep -c 'it reaches 0 B' leak.err)"
equal alerts-growth-names-growers "leak_here true" \
    "$(jq -r 'select(.alert == "growth{of=\"heap.live\"}>1K/s").sites | "\(.[0].function) \(.[0].grown_bytes > 1000000 and .[0].grown_bytes <= .[0].bytes)"' posted)"
wait $cache
equal alerts-full-cache-is-no-growth 0 $?
equal alerts-growth-verdict "growing leak_here" \
    "$("$MEMOIR" report leak.memoir --json | jq -r '.growth | "\(.heap.verdict) \(.sites[0].function)"')"
equal alerts-cache-verdict false "$("$MEMOIR" report cache.memoir --json | jq '.growth.heap.verdict == "growing"')"
