// SPDX-License-Identifier: BSD-2-Clause

// gowaits
//
// Waits in Go: 60 ms in a sleep of the system's, with its thread to itself; 60 ms for a byte in a pipe that the runtime
// does not know; then 60 ms in a sleep of the runtime's, and 60 ms for a byte that the runtime polls for. The first
// two are one thread's, whose id it prints with both times in ns:
//
//	did gowaits TID SLEPT READ
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

const wait = 60 * time.Millisecond

func late(fd int) {
	time.Sleep(wait)
	syscall.Write(fd, []byte{0})
}

func main() {
	var fds [2]int

	runtime.LockOSThread()
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	began := time.Now()
	for left := wait; left > 0; left = wait - time.Since(began) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.Nanosleep(&ts, nil)
	}
	slept := time.Since(began)
	began = time.Now()
	go late(fds[1])
	for {
		if n, _ := syscall.Read(fds[0], make([]byte, 1)); n == 1 {
			break
		}
	}
	read := time.Since(began)
	fmt.Printf("did gowaits\t%d\t%d\t%d\n", syscall.Gettid(), slept.Nanoseconds(), read.Nanoseconds())
	runtime.UnlockOSThread()
	time.Sleep(wait)
	from, to, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() {
		time.Sleep(wait)
		to.Write([]byte{0})
	}()
	from.Read(make([]byte, 1))
}
