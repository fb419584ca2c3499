#!/usr/bin/env bash
# Flame graphs of processor time: a root per thread, stretches of time finer than a bucket, samples and seconds.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

maker=$BUILD/tests/make-moments
"$maker" grinder.memoir <<'END'
program /usr/bin/grinder
thread 100 main
thread 101 worker-1
thread 102 worker-2
length 4000
on 0 4000 10 100 main;handle;parse
on 1000 1200 10 101 main;handle;hash
timeless 3000 10 102 main;handle;hash
on 500 510 10 102 main;idle;do_sys_poll_[k]
off 2500 300 101 main;handle;read;[waits: disk]
off 3900 50 101 main;handle;read;[waits: disk]
END

says() { # says CASE FILE TEXT
    if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1" "no '$3' in $2"; fi
}

"$MEMOIR" flame grinder.memoir -o whole.svg
says unit whole.svg 'cpu.on, time on a processor: 431 samples, 4.31 s'
"$MEMOIR" flame grinder.memoir --metric cpu.off -o off.svg
says waits off.svg 'cpu.off, time spent waiting: 2 waits, 350 ms'
"$MEMOIR" flame grinder.memoir --by-thread -o threads.svg
says thread-roots threads.svg 'worker-1 (101)'
"$MEMOIR" flame grinder.memoir --fold-threads -o folded.svg
says folded-roots folded.svg 'worker-#'
"$MEMOIR" flame grinder.memoir --by-thread --filter 'worker-1' -o one.svg
says filter-by-thread one.svg '20 samples, 200 ms'
"$MEMOIR" flame grinder.memoir --metric cpu.on --between 1.1s,1.15s -o cut.svg
says cut-inside-a-bucket cut.svg '10 samples, 100 ms, from 1.10 s to 1.15 s'
"$MEMOIR" flame grinder.memoir --metric cpu.on --between 1s,1.1s -o cut.svg
says cut-as-the-map-says cut.svg '20 samples, 200 ms, from 1.00 s to 1.10 s'
record heap.memoir -- "$subjects/subject-leaks_100_blocks"
"$MEMOIR" flame heap.memoir --metric heap.live --by-thread -o no.svg 2>no.err
equal heap-by-thread-status 1 $?
one_sentence heap-by-thread no.err 'not by both'
"$MEMOIR" report grinder.memoir --by thread --metric cpu.on >by-thread.txt
says report-by-thread by-thread.txt 'worker-2 (tid 102)'
"$MEMOIR" flame grinder.memoir -o page.html
says page page.html '<!DOCTYPE html>'

# What changed: a function that is new, one that is gone, one that took longer, and three samples that mean nothing.
"$maker" newer.memoir <<'END'
program /usr/bin/grinder
thread 200 main
thread 201 worker-9
length 8000
on 0 8000 10 200 main;handle;parse
on 2000 2900 10 201 main;handle;verify
on 3000 3030 10 201 main;idle;tick
END
"$maker" older.memoir <<'END'
program /usr/bin/grinder
thread 100 main
length 4000
on 0 4000 10 100 main;handle;parse
on 1000 1500 10 100 main;compress;deflate
END
"$MEMOIR" flame newer.memoir --diff older.memoir --normalise time -o change.svg 2>change.err
equal diff-status 0 $?
equal diff-says-nothing '' "$(cat change.err)"
says diff-totals change.svg 'compared with older.memoir: 450 samples, 4.50 s (scaled by 2 to the same time: 9.00 s); change -70.0 ms (-0.8 %): grown +930 ms, shrunk -1.00 s'
says diff-gone change.svg '>deflate'
says diff-new change.svg '>verify'
"$MEMOIR" flame newer.memoir --diff older.memoir -o plain.svg 2>plain.err
one_sentence diff-of-different-lengths plain.err 'normalise time'
"$MEMOIR" flame newer.memoir --between 0,1s --with 2s,3s -o stretches.svg
says diff-of-stretches stretches.svg 'compared with 0 ns to 1.00 s: 100 samples, 1.00 s; change +900 ms (+90.0 %): grown +900 ms, shrunk 0'
"$MEMOIR" flame newer.memoir --with 2s,3s -o no.svg 2>no.err
equal diff-of-one-stretch-status 2 $?
one_sentence diff-of-one-stretch no.err 'between A,B'
"$MEMOIR" flame newer.memoir --diff nothing.memoir -o none.svg 2>none.err
equal diff-without-file-status 1 $?
one_sentence diff-without-file none.err 'nothing.memoir'

"$MEMOIR" diff older.memoir newer.memoir --metric cpu.on --normalise time --folded >change.folded
same_text diff-folded - change.folded <<'END'
main;compress;deflate 1000000000 0
main;handle;parse 8000000000 8000000000
main;handle;verify 0 900000000
main;idle;tick 0 30000000
END
"$MEMOIR" diff older.memoir newer.memoir --metric cpu.on --normalise time --json >change.json
equal diff-json "1000000000 true 30000000 false 900000000" "$(python3 - <<'END'
import json
d = json.load(open("change.json"))
rows = {r["stack"][0]["function"]: r for r in d["rows"]}
print(rows["deflate"]["before"], "true" if rows["tick"]["may_be_chance"] else "false", rows["tick"]["after"],
      "true" if rows["verify"]["may_be_chance"] else "false", rows["verify"]["change"])
END
)"
"$MEMOIR" diff older.memoir newer.memoir --metric cpu.on --normalise time >change.txt
says diff-text-chance change.txt '~new'

# The map of each second; in a browser a link to a stretch of it shows that stretch.
"$MEMOIR" flame grinder.memoir --heat -o heat.html
says heat-map heat.html '10 samples without their instant are not on the map'
says heat-unit heat.html 'a sample stands for 10.0 ms'
"$MEMOIR" flame grinder.memoir --heat -o heat.svg
equal heat-svg 1 "$(grep -c '<g id="heat"' heat.svg)"
"$MEMOIR" flame heap.memoir --metric heap.live --heat -o no.svg 2>no.err
equal heat-of-heap-status 1 $?
one_sentence heat-of-heap no.err 'not by both'
"$MEMOIR" flame grinder.memoir --heat --diff older.memoir -o no.svg 2>no.err
equal heat-of-two-status 2 $?

seen() { # seen FILE#LINK: the page as a browser has it after its script ran
    timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" --dump-dom "file://$PWD/$1" 2>browser.err
}
if command -v chromium >/dev/null; then
    seen 'heat.html#time=50-60' >seen.html
    says browser-stretch seen.html '1 s to 1.2 s: 40 samples, 400 ms, 9.28 %'
    says browser-graph-of-stretch seen.html 'aria-label="hash, 20 samples, 200 ms, 50.00 %"'
    says browser-command seen.html '--between 1s,1.2s'
    # By keyboard: a column on, four rows further with Shift, Enter; then everything again; then by mouse.
    {
        sed '/^<\/body>/d; /^<\/html>/d' heat.html
        cat <<'END'
<script>
const grid = document.querySelector('.grid'), seen = [], box = grid.getBoundingClientRect();
const note = () => seen.push(document.querySelector('#heat [role=status]').textContent + ' ' + location.hash);
const press = (key, shift) => grid.dispatchEvent(new KeyboardEvent('keydown', {key: key, shiftKey: shift, bubbles: true}));
const point = (type, x, y) => grid.dispatchEvent(new PointerEvent(type, {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
press('ArrowRight', false);
for (let i = 0; i < 4; i++) press('ArrowUp', true);
press('Enter', false);
note();
press('Escape', false);
note();
point('pointerdown', 2, 198);
point('pointerup', 2 * box.width / 4 + 2, 198);
note();
document.title = seen.join(' | ');
</script></body></html>
END
    } >keys.html
    seen keys.html | grep '<title>' >seen.html
    says browser-keys seen.html '1 s to 1.1 s: 20 samples, 200 ms'
    says browser-link seen.html '#time=50-55'
    says browser-escape seen.html '| Pick a cell'
    says browser-drag seen.html '0 s to 2.02 s: 223 samples'
    "$MEMOIR" flame newer.memoir --diff older.memoir --normalise time -o change.html
    seen change.html >seen.html
    says browser-gone seen.html 'gone'
    says browser-change seen.html 'aria-label="deflate, before 50 samples, 1.00 s, after 0 samples, 0 ns, change -1.00 s'
else
    skip browser "chromium is not installed"
fi

# A real one: whatever was sampled is in the graph, and on the map.
if "$MEMOIR" cpu -o real.memoir -- python3 -c 'print(sum(i * i for i in range(6000000)))' >real.out 2>real.err; then
    "$MEMOIR" flame real.memoir --heat -o real.html
    says real-map real.html 'each column is 1.00 s'
    "$MEMOIR" flame real.memoir --by-thread -o real.svg
    says real-threads real.svg 'python3'
else
    skip real "processor time cannot be sampled here: $(tail -n 1 real.err)"
fi
