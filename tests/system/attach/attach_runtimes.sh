#!/usr/bin/env bash
# Programs with a runtime of their own: recorded, or refused with a sentence; in either case they go on as before.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# Attaches a few times (CYCLES=200 for a long run) while it works; when the file "stop" is there it must end with its usual last line.
stay_harmless() { # stay_harmless NAME
    local name=$1 i recorded=0
    wait_until 30 has_line "$name.out" ready || not_ok "$name-begins" "$(cat "$name.out")"
    for ((i = 1; i <= ${CYCLES:-3}; i++)); do
        if "$MEMOIR" attach --quiet --for 100ms -o "$name.memoir" "$target" 2>"$name.said"; then
            recorded=$((recorded + 1))
        else
            one_sentence "$name-refused-$i" "$name.said" 'no thread.*borrowed safely'
        fi
    done
    lives "$name-lives" "$target"
    if [ $recorded -gt 0 ]; then at_least "$name-recorded" 1 "$(summary "$name.memoir" calls)"; fi
    touch stop
    wait "$target"
    equal "$name-unchanged" "0 worked" "$? $(tail -n 1 "$name.out")"
    rm stop
}

if command -v javac >/dev/null && command -v java >/dev/null; then
    cat >Works.java <<'END'
import java.io.File;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public class Works {
    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                byte[] text = new byte[20000], packed = new byte[40000];
                while (!new File("stop").exists()) {
                    Deflater deflater = new Deflater();
                    deflater.setInput(text);
                    deflater.finish();
                    CRC32 sum = new CRC32();
                    sum.update(packed, 0, deflater.deflate(packed));
                    deflater.end();
                    try { Thread.sleep(8); } catch (InterruptedException e) { throw new RuntimeException(e); }
                }
            });
            threads[i].start();
        }
        System.out.println("ready");
        for (Thread thread : threads) thread.join();
        System.out.println("worked");
    }
}
END
    javac Works.java
    begin java java -cp . -Xmx128m Works
    stay_harmless java
else
    skip java "no JDK here"
fi

if command -v node >/dev/null; then
    begin node node -e '
const fs = require("fs"), zlib = require("zlib"), crypto = require("crypto");
let kept = [];
console.log("ready");
setInterval(() => {
    kept.push(Buffer.alloc(10000, 1));
    zlib.gzip(crypto.randomBytes(50000), (error, packed) => {
        if (error) throw error;
        kept = kept.slice(-100);
        if (fs.existsSync("stop")) { console.log("worked"); process.exit(0); }
    });
}, 10);'
    stay_harmless node
else
    skip node "no node here"
fi

export GOCACHE=$PWD/gocache GOFLAGS=-mod=mod
cat >cgo.go <<'END'
package main

/*
#include <stdlib.h>
#include <string.h>
static void *take(size_t size) { return memset(malloc(size), 1, size); }
*/
import "C"
import (
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"
)

func stopped() bool {
	_, err := os.Stat("stop")
	return err == nil
}

func main() {
	var group sync.WaitGroup
	fmt.Println("ready")
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			for k := 0; !stopped(); k++ {
				block := C.take(C.size_t(1000 + k%1000))
				time.Sleep(10 * time.Millisecond)
				C.free(unsafe.Pointer(block))
			}
			group.Done()
		}()
	}
	group.Wait()
	fmt.Println("worked")
}
END
if command -v go >/dev/null && CGO_ENABLED=1 go build -o cgo cgo.go 2>cgo.log; then
    begin go ./cgo
    stay_harmless go
else
    skip go "no cgo here: $(head -n 1 cgo.log 2>/dev/null)"
fi
