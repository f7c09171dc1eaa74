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

/* In place of a version of IP: a unix stream socket. */
#define REQUEST_UNIX 1

/*
 * A connection, by the address of its struct sock: in .data.request_places, or in the hash "request_cells" if its places
 * there are taken. Arrivals, reads and ends of TCP happen while the socket is locked, so
 * they follow each other; a send is noted behind the lock, and writes only what has its name. bpf/request_unix.bpf.h says
 * what differs for unix sockets.
 */
struct request_cell {
	unsigned long long sock;      /* its key; 0: the place is free */
	unsigned int busy;	      /* not 0 while somebody claims this place */
	unsigned int late_seq;	      /* unix: sent_seq at `late` */
	unsigned long long birth;     /* ns: one life of the address */
	unsigned long long life;      /* its birth; 0: its end is noted */
	unsigned long long arrived;   /* 0: before tracing */
	unsigned long long sent_at;   /* the last send */
	unsigned long long client_at; /* when the client last read, if it is on this machine; 0: it has not */
	/* TCP: key in "request_peers"; unix: the client's socket, by its inode */
	unsigned long long peer;
	union {
		unsigned long long client_sock; /* TCP: another key there, once it is known; 0: it is not */
		unsigned long long late_reader; /* unix: who has read at `late`, as the helper has it */
	};
	/* unix: bytes were read before their arrival was noted; 0: they were not */
	unsigned long long late;
	unsigned int seq;      /* the socket's write_seq before the answer; unix: sends */
	unsigned int sent_seq; /* the socket's write_seq after the last send */
	/* who has sent last, or has read; 0: nobody yet */
	unsigned int sender, sender_tgid;
	unsigned int round;    /* the number of the request on this connection */
	unsigned int answered; /* the last round of which a send was written */
	unsigned int merged;   /* bytes arrived so often between the first read and the answer */
	unsigned char state;   /* enum request_state */
	unsigned char owned;   /* a measured thread has read */
	unsigned char aside;   /* its server is only one behind: what is asked counts as part of other requests */
	unsigned char ours;    /* of such a server: a measured thread asks */
	union {
		unsigned char address[16]; /* of the server */
		struct {
			unsigned long long name;      /* unix: key in "request_names" */
			unsigned long long late_sent; /* unix: sent_at at `late` */
		};
	};
	unsigned char client[16]; /* unix: the name of the process that has connected */
	union {
		struct {
			unsigned short port, client_port;
		};
		unsigned int client_pid; /* unix */
	};
	unsigned int version; /* 4 or 6, or REQUEST_UNIX */
};
_Static_assert(sizeof(struct request_cell) == 152, "as on the other side");

/* A connection to a server behind this one. */
struct request_behind {
	unsigned long long birth;
	unsigned long long inode;   /* unix: of the socket */
	unsigned long long arrived; /* the answer */
	unsigned int seq;	    /* the socket's write_seq after what was asked */
	unsigned char state;	    /* enum request_state; REQUEST_IDLE: it is asked, REQUEST_READ: has answered */
	unsigned char asked;	    /* ever: what arrives is of an answer */
	unsigned char local;	    /* the server is on this machine */
	unsigned char unused;
};
_Static_assert(sizeof(struct request_behind) == 32, "as on the other side");

/* The words of a record behind its header. */
struct request_event {
	unsigned long long time;
	unsigned long long sock, birth;
	unsigned long long arrived;
	unsigned int tid, tgid; /* who reads or sends; of WHY_LINK_DONE: who sent last */
	unsigned int round;
	unsigned int merged; /* of WHY_LINK_READ: request_cell.aside */
	/* of WHY_LINK_DONE; of WHY_LINK_GET, the server behind is `client`, and its connection is known by: */
	union {
		struct {
			unsigned long long sent_at, client_at;
		};
		struct {
			unsigned long long there, there_birth; /* with `round`; 0: it is not measured */
		};
	};
	unsigned long long name; /* as in the cell; 0: not unix */
	unsigned char client[16];
	union {
		struct {
			unsigned short port, client_port;
		};
		unsigned int client_pid;
	};
	unsigned int version;
};
_Static_assert(sizeof(struct request_event) == 96, "as on the other side");

#define REQUEST_SHORT 6
#define REQUEST_WHOLE 12

/* The name of a unix socket: a path, or with a NUL in front an abstract one. What is behind its end is zero. */
#define REQUEST_NAME_WORDS 14
struct request_name {
	unsigned long long words[REQUEST_NAME_WORDS];
};
_Static_assert(sizeof(struct request_name) == 112, "as on the other side");

/* An element of "request_names". */
struct request_known {
	struct request_name name;
	unsigned long long wanted; /* REQUEST_OWN, REQUEST_BEHIND; 0: only the name is known */
};
_Static_assert(sizeof(struct request_known) == 120, "as on the other side");

/* The address of a name in the kernel, if it is none of a server's; `left` messages later it is looked at again. */
struct request_foreign {
	unsigned long long address;
	unsigned long long left;
};
_Static_assert(sizeof(struct request_foreign) == 16, "as on the other side");

/* The key of a name; never 0. */
static inline unsigned long long request_name_key(const struct request_name *name)
{
	unsigned long long key = 0x9e3779b97f4a7c15ULL;

	for (int i = 0; i < REQUEST_NAME_WORDS; i++) {
		key = (key ^ name->words[i]) * 0xff51afd7ed558ccdULL;
		key ^= key >> 32;
	}
	return key | 1;
}

/* The most connections at a time, without those that have places; and how many places there are, a power of two. */
#define REQUEST_CELLS  16384
#define REQUEST_PLACES 4096
#define REQUEST_PORTS  65536
/* What a port is, in .data.request_ports; and a name, in request_known.wanted. */
#define REQUEST_OWN    1 /* the server's */
#define REQUEST_BEHIND 2 /* of a server behind, which has answered */
/* .data.request_serves: a byte for processes, by the lower bits of their ids. */
#define REQUEST_SERVES 4096
/* The most processes that are measured for being servers behind. */
#define REQUEST_JOINED 4096
/* The most names of unix sockets. */
#define REQUEST_NAMES 1024

/* .data.request_pairs: as in "request_peers", of the clients that have lately asked. */
struct request_pair {
	unsigned long long client, server;
};
_Static_assert(sizeof(struct request_pair) == 16, "as on the other side");

/* .data.request_chain */
struct request_chain {
	unsigned long long joined;  /* processes so far */
	unsigned long long no_room; /* processes that are not measured */
};
_Static_assert(sizeof(struct request_chain) == 16, "as on the other side");

/* The last arrival on a processor that is neither at the server nor at a connection to one behind. */
struct request_reached {
	unsigned long long sock;
	unsigned long long task; /* the current one */
};
_Static_assert(sizeof(struct request_reached) == 16, "as on the other side");

/* .data.requests: written by both sides. */
struct request_shared {
	unsigned long long no_room;  /* connections that are not measured */
	unsigned long long in_midst; /* requests that had begun before tracing, or before their connection was seen */
	unsigned long long no_peer;  /* connections whose clients are not found */
	unsigned long long early;    /* bytes sent while nothing was asked */
	unsigned long long behind;   /* connections to servers behind */
	unsigned long long no_name;  /* connections and answers whose unix sockets have one that found no room */
	unsigned long long hashed;   /* connections in "request_cells" */
};
_Static_assert(sizeof(struct request_shared) == 56, "as on the other side");

#endif
