/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an argument of a system call is copied and printed. A type names the memory that it wants (steps, bpf/strace.h)
 * and prints the argument from the registers and the blobs that came back. calls.c says which call has which types.
 */
#ifndef SONDE_STRACE_TYPE_H
#define SONDE_STRACE_TYPE_H

#include "base/str.h"
#include "bpf/path.h"
#include "bpf/strace.h"

struct strace_settings;
struct strace_line;
struct strace_lines;

/* In a type's steps: the argument itself, the one after it, the one before it; plan.c makes it one of the call. */
#define SELF	0x40
#define NEXT(N) (SELF + (N))
#define BEFORE	(SELF - 1)
/* In a type's steps: strace_step.most is what -s says. */
#define MOST_TEXT 0xffff

#define STRACE_TYPE_STEPS 5

/* The step of a struct that a call reads, and of one that it fills in. */
#define STEP_READS(SIZE) \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = SIZE, .most = SIZE \
	}
#define STEP_WRITES(SIZE) \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = SIZE, .most = SIZE, \
			      .when = STRACE_IF_OK \
	}
/* Of an array of as many as a number says, the first MOST. */
#define STEP_ARRAY(COUNT, SIZE, MOST) \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = COUNT, .scale = SIZE, .most = (SIZE) * (MOST) \
	}
/* Of an array of which the result says how many the call has filled in. */
#define STEP_FILLED(SIZE, MOST) \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_RET, .scale = SIZE, .most = (SIZE) * (MOST), \
			      .when = STRACE_IF_OK \
	}

/* The same of an array whose memory may end in the middle of it. */
#define STEP_ARRAY_TO_EDGE(COUNT, SIZE, MOST) \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = COUNT, .scale = SIZE, .most = (SIZE) * (MOST), \
			      .when = STRACE_TO_EDGE \
	}
/* A struct that may be larger than is known, as a number says: the kernel takes no more than a page of it. */
#define STRACE_EXTENSIBLE      4096
#define STEP_EXTENSIBLE(COUNT) STEP_ARRAY_TO_EDGE(COUNT, 1, STRACE_EXTENSIBLE)
/* What the descriptor is open on: only with -y and the like. */
#define STEP_FILE \
	{ \
		STRACE_FILE, .from = SELF \
	}

struct strace_type {
	void (*print)(struct strace_line *line, unsigned int arg);
	const void *data; /* print()'s own: a family of names */
	struct strace_step steps[STRACE_TYPE_STEPS];
	bool enter; /* the steps are for the begin of the call, which changes the memory */
	bool both;  /* for both ends */
	/* enter, both: only in such calls, of which this is the only type with steps for the begin */
	struct strace_range begins;
	/* Whether the text needs the call's end; NULL: if there are steps, and none for the begin. */
	bool (*waits)(const struct strace_line *line);
};

/* A call: its arguments up to the first without print(). */
struct strace_call {
	const char *name;
	const struct strace_type *args[STRACE_ARGS];
	void (*ret)(struct strace_line *line); /* prints a result that is no error; NULL: a decimal number */
};

/* What print() functions work with. */
struct strace_line {
	struct str *out;
	const struct strace_settings *settings;
	const struct strace_call *call;
	const struct strace_record *enter, *exit; /* NULL: not known; one of them is */
	const char *interrupted;		  /* the thread's call before; NULL: not known */
	const struct strace_lines *lines;	  /* what strace_pid() knows names from */
};

/* The registers, and the result: 0 while the call lasts. */
uint64_t strace_arg(const struct strace_line *line, unsigned int arg);
int64_t strace_ret(const struct strace_line *line);
/* Whether the call has ended, and not with an error. */
bool strace_ok(const struct strace_line *line);
/*
 * Returns the blob that a step of the argument's type has made, the nth if there are several; NULL: there is none. Its
 * bytes are behind it, all in the record.
 */
const struct strace_blob *strace_blob(const struct strace_line *line, unsigned int arg, unsigned int step, size_t nth);
/* The memory as it was when the call began; if its page was not present then, as it is at the end. */
const struct strace_blob *strace_before(const struct strace_line *line, unsigned int arg);
static inline const void *strace_bytes(const struct strace_blob *blob)
{
	return blob + 1;
}
/* The blob of the result, of a call that strace_returns_fd(). */
const struct strace_blob *strace_ret_blob(const struct strace_line *line);
/* Whether the call is one of a 32-bit program. */
bool strace_is_narrow(const struct strace_line *line);
/* The protocol of the socket of netlink that the call is on; -1: it is on none, or that is not known. */
int strace_netlink_protocol(const struct strace_line *line);
/* Returns the bytes of a blob that has at least `size`; else prints the argument as an address, and returns NULL. */
const void *strace_struct(struct strace_line *line, unsigned int arg, unsigned int step, size_t size);
/*
 * What a struct has beyond its `known` bytes, of `size` in all, in hex with its place, if it is not all zeros; "???" if
 * it cannot be read. Its first step is STEP_EXTENSIBLE; or of another blob, whose step is like it.
 */
void strace_rest(struct strace_line *line, unsigned int arg, size_t known, uint64_t size);
void strace_rest_of(struct strace_line *line, const struct strace_blob *blob, size_t known, uint64_t size);
void strace_address(struct str *out, uint64_t address);
/*
 * An array of n elements of `size` bytes, which a step of the argument's type has copied: "[A, B]". add() prints an
 * element, of which `index` stand before it. Elements that are not shown are "...", the memory behind them that could
 * not be read by its address; NULL, or nothing to read at all, is the address alone.
 */
void strace_array(struct strace_line *line, unsigned int arg, unsigned int step, uint64_t n, size_t size,
		  void (*add)(struct strace_line *line, const void *element, size_t index));
/* The same of a blob, which has been copied from an address. */
void strace_array_of(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n, size_t size,
		     void (*add)(struct strace_line *line, const void *element, size_t index));

/* --- text --- */

/* A text in quotes, escaped; cut: the memory goes on. */
void strace_text(struct strace_line *line, const void *bytes, size_t n, bool cut);
/* The same of a blob of STRACE_STRING with -s, or of a path, which is never cut. */
void strace_string(struct strace_line *line, const struct strace_blob *blob, uint64_t address, bool is_path);

/* The value of an attribute of a file, of n bytes at an address. */
void strace_value(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n);

/* --- descriptors --- */

/* A descriptor; with -y, what it was open on, from a blob of STRACE_FILE or NULL. */
void strace_fd(struct strace_line *line, int fd, const struct strace_blob *blob);
/* Appends </path> alone, if -y asks for it. */
void strace_file(struct strace_line *line, const struct strace_blob *blob);
/* A name as it stands in <>. */
void strace_escape_name(struct str *out, const char *text);
/* The path that -P compares; NULL: none. The caller frees it. */
char *strace_file_path(const struct strace_blob *blob);
/* Whether a call's result is a descriptor, if it does not fail. */
bool strace_returns_fd(const struct strace_call *call);
/* The result of such a call. */
void strace_ret_fd(struct strace_line *line);

/* --- processes --- */

/* An id of a process or thread, as the program sees it; with -Y its name, and with --decode-pids=pidns as we see it. */
void strace_pid(struct strace_line *line, int pid);
/* The same of a process that the call has just made. */
void strace_child(struct strace_line *line, int pid);
/* The result of a call that makes a process; and of one that says who one is. */
void strace_ret_child(struct strace_line *line);
void strace_ret_pid(struct strace_line *line);

/* --- names --- */

struct strace_name {
	const char *name;
	uint64_t value;
};

struct strace_family {
	const char *unknown;	/* "PROT_???" */
	struct strace_name v[]; /* a NULL name ends it */
};

#define STRACE_FAMILY(NAME, UNKNOWN, ...) \
	const struct strace_family NAME = { UNKNOWN, { __VA_ARGS__, {} } }
#define N(NAME) \
	{ \
#NAME, NAME \
	}

/*
 * Names as one text, for families that are seldom needed: "A B - C =0x10 D". The first name stands for 0, or for bit 0;
 * each further one for the next number, or the next bit. "-" leaves one out, "=N" says the value of the next name. The
 * prefix is part of each name, but of one that begins with '!'.
 */
struct strace_words {
	const char *prefix, *names;
	const char *unknown; /* "MSG_???"; NULL: by the prefix */
};

/* What a name of one number, and names of bits, are printed as; those that have no name: as by strace_family. */
void strace_word(struct str *out, const struct strace_words *words, uint64_t value);
/* Appends the name, or nothing and returns false. */
bool strace_word_if(struct str *out, const struct strace_words *words, uint64_t value);
void strace_bits(struct str *out, const struct strace_words *words, uint64_t value);
void strace_bits_more(struct str *out, const struct strace_words *words, uint64_t value);

/* As -X asks for it: the number, its name, or both. name NULL: it has none. */
void strace_constant(struct str *out, const char *number, const char *name);

/* The same of a name that is put together, as by printf(). */
void strace_named(struct str *out, const char *number, const char *format, ...) __printf(3, 4);
/* "\x7f\x00" */
void strace_quoted(struct str *out, const void *bytes, size_t n);
/* 02:00:00:00:00:01, of n bytes; as a number, all */
void strace_mac(struct str *out, const void *bytes, size_t all, size_t n);
/* htons(80), of 2, 4 or 8 bytes in the network's order; is_number: whatever -X says */
void strace_swapped(struct str *out, const void *bytes, size_t size, bool is_number);
/* inet_addr("127.0.0.1"), or inet_pton(AF_INET6, "::1"); as a number, all bytes. And the latter as a member of a struct. */
void strace_in_address(struct str *out, bool wide, const void *bytes, size_t all);
void strace_in6_member(struct str *out, const char *name, const void *bytes);
/* if_nametoindex("lo"), of this network namespace; of a recording always the number. */
void strace_interface(struct strace_line *line, unsigned int index, bool is_signed);
/* PROC_SUPER_MAGIC */
void strace_filesystem(struct str *out, uint64_t magic);
/* makedev(0x1, 0x5) */
void strace_device(struct str *out, uint64_t device);

/* An argument of 32 bits whose type prints several constants, joined: as -X asks for it, all together. */
void strace_combined(struct strace_line *line, unsigned int arg);
/* The same of an argument that is of this type only in some calls. */
void strace_combined_as(struct strace_line *line, const struct strace_type *type, unsigned int arg);

/* Names joined by '|', of the bits that are set. */
void strace_flags(struct str *out, const struct strace_family *family, uint64_t value);
/* The same behind other names: each after a '|', and nothing for 0. */
void strace_flags_more(struct str *out, const struct strace_family *family, uint64_t value);
/* Returns the name of exactly this value, or NULL. */
const char *strace_name_of(const struct strace_family *family, uint64_t value);
void strace_choice(struct str *out, const struct strace_family *family, uint64_t value);
/* MPOL_BIND|MPOL_F_STATIC_NODES */
void strace_mempolicy(struct str *out, uint64_t mode);
/* IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4) */
void strace_ioprio(struct str *out, unsigned int value);
/* POLLIN|POLLOUT */
void strace_poll_events(struct str *out, uint64_t events);
/* SIGINT, or a number; as -X asks for it, or always by its name. */
void strace_signal_name(struct str *out, int64_t number);
void strace_signal(struct str *out, int64_t number);
/* [INT CHLD] of a mask of n bytes. */
void strace_sigset(struct str *out, const void *mask, size_t n);
/* 0644, S_IFREG|0644 */
void strace_mode(struct str *out, uint32_t mode, bool with_kind);
/* -1 ENOENT (No such file or directory), of a positive number */
void strace_error(struct str *out, int error);
/* {si_signo=SIGCHLD, si_code=...} of STRACE_SIGINFO bytes, or of nothing but the signal's number. */
void strace_siginfo_bytes(struct strace_line *line, const void *bytes, int signal);
/* {tv_sec=1, tv_nsec=0} of two longs */
void strace_timespec(struct str *out, const void *bytes);
/* The date and time in a remark, if it is one. */
void strace_date_remark(struct str *out, int64_t seconds, uint64_t ns);
/* {tv_sec=1, tv_usec=0} of two longs */
void strace_timeval(struct str *out, const void *bytes);
/* htons(ETH_P_IP), of a number in the network's order; is_number: it is one, not bytes, whatever -X says */
void strace_ethernet(struct str *out, unsigned int protocol, bool is_number);
/* {sa_family=AF_INET, ...} of n bytes */
void strace_sockaddr(struct strace_line *line, const void *bytes, size_t n);
/*
 * How long the socket address or option is that a call has filled in: what the argument, a t_socklen, points to; before:
 * how much room there was. NULL: not known.
 */
const int *strace_socklen(struct strace_line *line, unsigned int arg, bool before);
/* A name of one number, as -X asks for it; false, and nothing: it has none. */
bool strace_word_constant(struct str *out, const struct strace_words *words, uint64_t value);
/* SOL_SOCKET; unknown: what one without a name is */
void strace_socket_level(struct str *out, unsigned int level, const char *unknown);
/* {pid=1, uid=0, gid=0} of struct ucred */
void strace_credentials(struct strace_line *line, const int *v);
/* --- filters --- */

#define STRACE_FILTER_CODE 8	/* bytes of an instruction */
#define STRACE_FILTER_MOST 7168 /* that are copied, with -v */
/* The instructions of a struct sock_fprog, which a step from the step BLOB has copied. */
#define STEP_FILTER(BLOB) \
	{ \
		STRACE_BYTES, .from = STRACE_FROM_BLOB + (BLOB), .at = 8, .count_from = STRACE_FROM_BLOB + (BLOB), \
			      .wide = STRACE_OF_SHORT, .scale = STRACE_FILTER_CODE, .most = STRACE_FILTER_MOST, \
			      .when = STRACE_IF_WHOLE | STRACE_TO_EDGE \
	}

/* {len=1, filter=[BPF_STMT(...)]} of struct sock_fprog, and the code that it points to; of_calls: it is one of seccomp. */
void strace_filter(struct strace_line *line, const void *bytes, const struct strace_blob *code, bool of_calls);
void strace_filter_code(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n,
			bool of_calls);
/* The same code, in n bytes that have been at an address. */
void strace_filter_bytes(struct strace_line *line, const void *bytes, size_t n, uint64_t address);
/* [{code=..., ...}, ...] of a program of bpf(2) */
void strace_instructions(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n);
/* SECCOMP_RET_ALLOW */
void strace_seccomp_action(struct str *out, unsigned int action);

/* [{iov_base="abc", iov_len=3}, ...]; step: the array, the step after it: the memory. most: bytes that are filled. */
void strace_vectors(struct strace_line *line, unsigned int arg, unsigned int step, uint64_t address, uint64_t n,
		    uint64_t most);

/* The same of a blob that is the array; the content of its elements is the nth, and those after it. */
void strace_vectors_of(struct strace_line *line, unsigned int arg, unsigned int step, const struct strace_blob *array,
		       size_t nth, uint64_t address, uint64_t n, uint64_t most);

/* AUDIT_ARCH_ of this machine's calls, and of those of 32-bit programs. */
#ifdef __x86_64__
#define STRACE_OWN_ARCH	   0xc000003e
#define STRACE_NARROW_ARCH 0x40000003
#else
#define STRACE_OWN_ARCH	   0xc00000b7
#define STRACE_NARROW_ARCH 0x40000028
#endif
/* AUDIT_ARCH_*; and the name of a call of such an architecture, NULL: not known. */
extern const struct strace_words strace_audit_archs;
const char *strace_name_in(unsigned int arch, uint64_t number);
/* __NR_read; name NULL: it has none */
void strace_call_number(struct str *out, uint64_t number, const char *name);
extern const struct strace_family strace_address_families, strace_netlink_families, strace_open_flags, strace_msg_flags;

#endif
