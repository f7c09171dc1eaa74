// SPDX-License-Identifier: BSD-2-Clause
/* why: where the time of a command went. */
#include "run/tool.h"
#include "why/why.h"

TOOL(why, .brief = "where time goes: what threads do, and what they wait for",
     .group = GROUP_SLOW, .front = { "sonde why -- make -j2", "what made it take so long" },
     .args = "[SERVICE | -- COMMAND [ARG]...]", .schema = &why_schema, .engine = &why_engine,
     .description =
	     "Splits the life of each thread into what it did and what it waited for, without a gap, and prints the "
	     "sums at the end, with the objects: files, peers, locks and their holders, children, and who had the "
	     "processor. Nothing is attached to system calls: the scheduler's switches and wake-ups are enough.\n\n"
	     "SERVICE is a systemd unit (nginx.service, or nginx), or else the name of a program: all its "
	     "processes are looked at, and those that they start. -p is a process, with those that it has started. Of what runs already, threads that only waited for "
	     "work are one line: idle. The percentages are of the others, and a wait for work that a timer or the "
	     "network ended is not among the worst.\n\n"
	     "Of a command the path is printed first: what made it last as long as it did. It goes back from the "
	     "command's end. Where a thread slept, it goes on in the thread that woke it; where a timer, a disk, the "
	     "network or somebody else's process did, the sleep is on the path. Its lines sum to the wall time.\n\n"
	     "A wait belongs to the system call in which the thread went to sleep. Waits in poll, select and "
	     "epoll_wait, for conditions, children, pipes and local sockets are shown with the name of the task that "
	     "ended them; nobody yet if they last. disk has what the kernel counts as waiting for I/O, and other waits "
	     "in calls on files. lock has mutexes and locks for readers and writers, as C libraries and Rust keep them; "
	     "the holder is the thread that the lock names, or else the one that unlocked it. flock has the locks of "
	     "files, by flock and fcntl, with the process that holds the one that is waited for. condition has all other "
	     "futexes. allocation has waits for free memory, which the kernel reclaims or compacts, or for which it "
	     "holds up who is over memory.high. stopped is a thread that a signal, a tracer or its cgroup holds, exit "
	     "one that ends, both whatever call it was in. kernel has all other calls. What the kernel did not show is "
	     "unknown.\n\n"
	     "User and kernel time are in the proportion that the clock ticks found. interrupts has what the kernel's "
	     "own account leaves out of a thread's time on a processor: interrupts where it measures them, and what a "
	     "hypervisor took.\n\n"
	     "The longest waits, of a millisecond and more, are printed with their stacks. A stack is taken at the "
	     "first wait of a thread at a place, and while waits there are long.\n\n"
	     "--flame draws a flame graph of the wall time, --folded, --pprof and --speedscope write the same "
	     "for other programs: stacks of running threads, sampled 499 times a second, and of all waits, with "
	     "their cause as the innermost frame. The whole is the time of all threads. To take a stack of each "
	     "wait costs more.\n\n"
	     "--requests shows what a server makes its clients wait for, in place of the page. A request is what lies "
	     "between the arrival of bytes on a connection, TCP or a unix stream socket, while nothing is asked, and the last byte that the "
	     "server sends before more arrive. No byte is looked at, so any protocol will do in which a connection "
	     "carries one request at a time; where more bytes arrive before the answer, requests are counted as merged. "
	     "The time of each request is split: what its threads did and waited for; queue, where they did the same "
	     "for other requests, or were not there yet; waits for a server behind, which was asked and has not answered "
	     "yet, split in the same way if it is on this machine; and waits of which nothing says what they have to do with it. "
	     "The columns are the mean, and that of the middle 10 % and of the slowest 1 %; each sums to the time of "
	     "these requests; of very many, a sample is split. The slowest ones are shown with their steps in the order of "
	     "time; --slower splits only those that last long, --first-byte ends them where the answer begins. "
	     "--flame and the like draw the time of all requests, "
	     "below the port or socket; --perfetto adds a track for each connection, with arrows from its requests "
	     "into the threads that worked for them and into requests of servers behind. The server's view ends when "
	     "it has sent the answer, the client's when it has read it. "
	     "The server is at --port, or at the ports and unix sockets where the processes of -p, --cgroup, "
	     "SERVICE or COMMAND listen.\n\n"
	     "--over shows who held the processor when threads waited longer for one, in place of the page: a task, with "
	     "its policy and where it was, an interrupt or softirq by name, or the kernel with preemption off, where a "
	     "real-time thread goes first and could not. A wait begins at the wake-up, or when a thread is taken from a "
	     "processor. The parts of a wait sum to it. The longest ones are printed with the stack of that moment. "
	     "-p, --comm, SERVICE or COMMAND choose whose waits; --cpu and --cpus on which processors.\n\n"
	     "--perfetto writes what the page is computed from for https://ui.perfetto.dev and its trace processor: "
	     "the states of each thread, with what it waited for as blocked_function, and who woke it. Threads that "
	     "existed before are drawn from their first switch on. Lost events are gaps.",
     EXAMPLES({ "sonde why -- make -j2", "a command and its children" },
	      { "sonde why nginx -d 10", "a service with all its processes, for 10 seconds" },
	      { "sonde why -p 1234 -d 10", "a process, with those that it has started" },
	      { "sonde why --requests nginx -d 10", "what its clients wait for" },
	      { "sonde why --requests --port 8080 --slower 50 --by peer", "the slow ones of one port, and whose they are" },
	      { "sonde why --requests nginx -d 10 --perfetto r.pftrace", "each request as a slice, with arrows" },
	      { "sonde why --cpu 3 --over 100us -d 10", "who held processor 3 when threads waited for it" },
	      { "sonde why -t -n 20 -- ./server-test", "also by thread, and the 20 longest waits" },
	      { "sonde why --flame why.svg -- make -j2", "running and waiting in one picture" },
	      { "sonde why --perfetto why.pftrace -- make -j2", "the same as a timeline, for Perfetto's UI" },
	      { "sonde why --json -- tar cf /dev/null /usr/share", "for programs" }));
