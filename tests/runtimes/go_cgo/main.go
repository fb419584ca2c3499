// SPDX-License-Identifier: Apache-2.0
// Goroutines that keep C strings, Go called back from C, and fifty megabytes that only Go knows of.
package main

/*
#include <stdlib.h>
#include <string.h>

static char *keep_copy(const char *text) { return strdup(text); }

extern void called_back(int depth);
static void call_back(int depth)
{
	char *volatile block = malloc(100);
	called_back(depth);
	free(block);
}
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"
)

//export called_back
func called_back(depth C.int) {
	if depth > 0 {
		C.call_back(depth - 1)
	}
}

func keep(words int) (kept []*C.char) {
	for i := 0; i < words; i++ {
		text := C.CString(fmt.Sprint("word ", i))
		kept = append(kept, C.keep_copy(text))
		C.free(unsafe.Pointer(text))
	}
	return kept
}

func main() {
	var all sync.WaitGroup
	var kept [4][]*C.char
	for g := range kept {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			kept[g] = keep(5000)
		}(g)
	}
	all.Wait()
	C.call_back(3)
	var large [50][]byte
	for i := range large {
		large[i] = make([]byte, 1<<20)
		for j := 0; j < len(large[i]); j += 4096 {
			large[i][j] = 1
		}
	}
	time.Sleep(200 * time.Millisecond) // so that its size is seen
	fmt.Println(len(kept), "goroutines,", len(large), "slices")
	os.Exit(8)
}
