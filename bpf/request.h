/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of a server, as its connections show them: what bpf/request.bpf.h keeps of each connection, and what it
 * writes into the rings (bpf/why_link.h). Shared by both sides.
 *
 * A request begins when the first bytes arrive while nothing is asked, or after the last answer has begun. It ends with
 * the last byte that the server sends before the next arrival. No byte is looked at.
 */
#ifndef SONDE_BPF_REQUEST_H
#define SONDE_BPF_REQUEST_H

enum request_state {
	REQUEST_IDLE,	 /* nothing is asked */
	REQUEST_ARRIVED, /* bytes have arrived since the last answer */
	REQUEST_READ,	 /* a thread has read of them; the answer has begun once write_seq is not `seq` any more */
};

/*
 * A connection, by the address of its struct sock. Arrivals, reads and ends happen while the socket is locked, so they
 * follow each other; a send is noted behind the lock, and writes only what has its name.
 */
struct request_cell {
	unsigned long long birth;     /* ns: one life of the address */
	unsigned long long arrived;   /* 0: before tracing */
	unsigned long long sent_at;   /* the last send */
	unsigned long long client_at; /* when the client last read, if it is on this machine; 0: it has not */
	unsigned long long peer;      /* key in "request_peers" */
	unsigned int seq;	      /* the socket's write_seq before the answer */
	unsigned int sent_seq;	      /* the socket's write_seq after the last send */
	unsigned int sender, sender_tgid;
	unsigned int round;    /* the number of the request on this connection */
	unsigned int answered; /* the last round of which a send was written */
	unsigned int merged;   /* bytes arrived so often between the first read and the answer */
	unsigned char state;   /* enum request_state */
	unsigned char owned;   /* a thread that the filter passes has read */
	unsigned char unused[2];
	unsigned char address[16]; /* of the server */
	unsigned char client[16];
	unsigned short port, client_port;
	unsigned int version; /* 4 or 6 */
};
_Static_assert(sizeof(struct request_cell) == 112, "as on the other side");

/* A connection to a server behind this one. */
struct request_behind {
	unsigned long long birth;
	unsigned long long arrived; /* the answer */
	unsigned int seq;	    /* the socket's write_seq after what was asked */
	unsigned char state;	    /* enum request_state; REQUEST_IDLE: it is asked, REQUEST_READ: has answered */
	unsigned char asked;	    /* ever: what arrives is of an answer */
	unsigned char unused[2];
};
_Static_assert(sizeof(struct request_behind) == 24, "as on the other side");

/* The words of a record behind its header. */
struct request_event {
	unsigned long long time;
	unsigned long long sock, birth;
	unsigned long long arrived;
	unsigned int tid, tgid; /* who reads or sends; of WHY_LINK_DONE: who sent last */
	unsigned int round, merged;
	/* of WHY_LINK_DONE; of WHY_LINK_GET, the server behind is `client`: */
	unsigned long long sent_at, client_at;
	unsigned char client[16];
	unsigned short port, client_port;
	unsigned int version;
};
_Static_assert(sizeof(struct request_event) == 88, "as on the other side");

#define REQUEST_SHORT 6
#define REQUEST_WHOLE 11

/* The most connections at a time. */
#define REQUEST_CELLS 16384
#define REQUEST_PORTS 65536

/* .data.requests: written by both sides. */
struct request_shared {
	unsigned long long no_room;  /* connections that are not measured */
	unsigned long long in_midst; /* requests that had begun before tracing, or before their connection was seen */
	unsigned long long no_peer;  /* connections whose clients are not found */
	unsigned long long early;    /* bytes sent while nothing was asked */
	unsigned long long behind;   /* connections to servers behind */
};
_Static_assert(sizeof(struct request_shared) == 40, "as on the other side");

#endif
