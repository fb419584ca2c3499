// SPDX-License-Identifier: Apache-2.0
// go_socket - a Go service on a unix socket: net/http/pprof and /metrics, both only for those who send the token.
//
//	go_socket SOCKET TOKENFILE
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"strings"
)

var held [][]byte

//go:noinline
func holdBlocks(count int) {
	for i := 0; i < count; i++ {
		held = append(held, make([]byte, 1<<20))
	}
}

func main() {
	token, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	runtime.MemProfileRate = 1 // every allocation is in the profile
	holdBlocks(64)
	runtime.GC() // and is told after a collection or two
	runtime.GC()
	http.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "# TYPE held_blocks gauge\nheld_blocks %d\nwatchers{name=%q} 1\n", len(held), r.Header.Get("X-Watcher"))
	})
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+strings.TrimSpace(string(token)) {
			http.Error(w, "who are you?", 401)
			return
		}
		http.DefaultServeMux.ServeHTTP(w, r)
	})
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		panic(err)
	}
	panic(http.Serve(listener, guarded))
}
