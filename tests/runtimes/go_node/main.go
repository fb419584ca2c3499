// SPDX-License-Identifier: Apache-2.0
// go_node - a Go service with the outside of an algod node: real profiles behind an admin token, rates that can be set, a data folder.
//
//	go_node -data DIR [-delay 1s] [-goroutines N]
//
// Listens on a free loopback port, which it writes to DIR/algod.net when it is ready.  -delay is before each answer.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"
)

const token, adminToken = "api-token-0123456789", "admin-token-0123456789"

var blockRate int
var connections int64
var held [][]byte

type rates struct {
	Mutex int `json:"mutex-rate"`
	Block int `json:"block-rate"`
}

func settings(w http.ResponseWriter, r *http.Request) {
	now := rates{runtime.SetMutexProfileFraction(-1), blockRate}
	if r.Method == http.MethodPut {
		var wanted rates
		in := json.NewDecoder(http.MaxBytesReader(w, r.Body, 128))
		in.DisallowUnknownFields()
		if err := in.Decode(&wanted); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		runtime.SetMutexProfileFraction(wanted.Mutex)
		runtime.SetBlockProfileRate(wanted.Block)
		blockRate = wanted.Block
	}
	json.NewEncoder(w).Encode(now)
}

func metrics(w http.ResponseWriter, r *http.Request) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "# TYPE algod_go_memory_classes_heap_objects_bytes gauge\nalgod_go_memory_classes_heap_objects_bytes %d\n", now.HeapAlloc)
	fmt.Fprintf(w, "# TYPE connections counter\nconnections %d\n", atomic.LoadInt64(&connections))
}

func write(dir, name, text string) {
	part := filepath.Join(dir, "."+name)
	if os.WriteFile(part, []byte(text), 0600) != nil || os.Rename(part, filepath.Join(dir, name)) != nil {
		os.Exit(1)
	}
}

func main() {
	dir := flag.String("data", ".", "")
	delay := flag.Duration("delay", 0, "")
	goroutines := flag.Int("goroutines", 0, "")
	flag.Parse()
	for i := 0; i < *goroutines; i++ {
		go func() { select {} }()
	}
	for i := 0; i < 64; i++ {
		held = append(held, make([]byte, 256<<10))
	}
	http.HandleFunc("/debug/settings/pprof", settings)
	http.HandleFunc("/metrics", metrics)
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(*delay)
		if r.URL.Path != "/metrics" && r.Header.Get("X-Algo-API-Token") != adminToken {
			http.Error(w, "Invalid API Token", 401)
			return
		}
		http.DefaultServeMux.ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	write(*dir, "algod.token", token+"\n")
	write(*dir, "algod.admin.token", adminToken+"\n")
	write(*dir, "algod.pid", fmt.Sprintln(os.Getpid()))
	write(*dir, "algod.net", listener.Addr().String()+"\n")
	server := http.Server{Handler: guarded, ConnState: func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			atomic.AddInt64(&connections, 1)
		}
	}}
	server.Serve(listener)
}
