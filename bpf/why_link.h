/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs of why.bpf.c write into the rings (bpf/ring.h) for the path of a command and for a recording: each
 * time that a thread comes to a processor, and each new thread or name. Shared by both sides.
 */
#ifndef SONDE_BPF_WHY_LINK_H
#define SONDE_BPF_WHY_LINK_H

/* The kinds of records in the rings. */
enum why_link_kind {
	WHY_LINK_WOKEN = 1, /* it slept, and was woken */
	WHY_LINK_READY,	    /* it has been ready to run since it left, or since it is there */
	WHY_LINK_BORN,	    /* `waker` made it; only ran_at, tid, tgid and comm count, too */
	WHY_LINK_EXEC,	    /* the same of a thread that executes a program; `waker`: its id before */
	/* for a recording only: */
	WHY_LINK_END,	 /* the same of a thread that ends: the name that it has by then */
	WHY_LINK_SWITCH, /* a short struct record_switch of bpf/record.h: a measured thread comes, or leaves */
	/* with --requests: a struct why_sample */
	WHY_LINK_SAMPLE,
	/* with --requests, a struct request_event of bpf/request.h: */
	WHY_LINK_READ, /* a thread reads the first bytes of a request */
	WHY_LINK_SEND, /* a thread has sent the first bytes of the answer */
	WHY_LINK_DIAL, /* a thread connects to another server, which is behind this one */
	WHY_LINK_ASK,  /* a thread has sent the first bytes to it since it answered */
	WHY_LINK_GET,  /* a thread reads the first bytes of its answer, which arrived at `arrived` */
	WHY_LINK_DONE, /* the last bytes were sent at sent_at: the next request has arrived, or the connection ends */
};

/* The words of a record behind its header. */
struct why_link {
	unsigned long long ran_at; /* the time of the record; of WHY_LINK_BORN: of the fork */
	unsigned long long off_at, woken_at;
	unsigned int tid, waker; /* waker 0: an interrupt, a timer; not known */
	union {
		unsigned int prev; /* who had the processor before, 0: nobody */
		unsigned int tgid;
	};
	unsigned short class, call;
	union {
		char behind[16]; /* where the thread waited for long for the processor: who had it */
		char comm[16];
	};
	unsigned int behind_tid, behind_tgid; /* 0: nobody, or not known */
	unsigned long long a, b;	      /* of the struct why_key, with class and call */
	unsigned long long stack;	      /* 0: not taken */
};
_Static_assert(sizeof(struct why_link) == 88, "as on the other side");

/* A measured thread was found running. */
struct why_sample {
	unsigned long long time;
	unsigned int tid, unused;
	unsigned long long stack;
};
_Static_assert(sizeof(struct why_sample) == 24, "as on the other side");

#define WHY_SAMPLE_WORDS 3

/* Records are as long as they need to be: up to `prev` and its word, up to `behind_tid` and its word, up to b, or with the stack. */
#define WHY_LINK_SHORT	5
#define WHY_LINK_BEHIND 8
#define WHY_LINK_WHOLE	10
#define WHY_LINK_STACK	11

#endif
