/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of the kernel that our BPF code reads, written by hand. Structs with CORE are relocated against the BTF
 * of the running kernel when the program is loaded: only names and types of members matter, not their order. The
 * other types are the kernel's ABI for user space. Only BPF code includes this file.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef signed short __s16;
typedef unsigned short __u16;
typedef signed int __s32;
typedef unsigned int __u32;
typedef signed long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

/* include/uapi/linux/bpf.h */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum {
	BPF_NOEXIST = 1, /* create a new element, do not change an existing one */
	BPF_F_MMAPABLE = 1 << 10,
};

/* flags of bpf_ringbuf_submit(), and of bpf_ringbuf_query() */
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
	BPF_RB_RING_SIZE = 1,
};

/* flags of bpf_map_update_elem() */
enum {
	BPF_ANY = 0,
};

struct bpf_pidns_info {
	__u32 pid;
	__u32 tgid;
};

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

/* The registers of the probed context. They are ABI and read without CO-RE. */
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx;
	unsigned long r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#define USER32_CS 0x23 /* the code segment of 32-bit tasks */
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};
/* After pstate come members that only the kernel uses: orig_x0 and the number of the syscall. */
struct pt_regs {
	struct user_pt_regs user_regs;
};
#define PSR_MODE32 0x10 /* in pstate: a 32-bit task */
#else
#error "registers of this architecture are not described yet"
#endif

#define CORE __attribute__((preserve_access_index))

struct list_head {
	struct list_head *next, *prev;
} CORE;

struct ns_common {
	unsigned int inum;
} CORE;

struct hlist_node {
	struct hlist_node *next;
} CORE;

struct hlist_head {
	struct hlist_node *first;
} CORE;

/* A node of a tree by numbers: each level looks at the bits of the number from shift on. */
struct xa_node {
	unsigned char shift;
	void *slots[64]; /* of kernels for small machines 16 */
} CORE;

struct xarray {
	void *xa_head;
} CORE;

struct idr {
	struct xarray idr_rt;
} CORE;

struct pid_namespace {
	struct idr idr; /* struct pid by its number here */
	struct ns_common ns;
} CORE;

struct upid {
	int nr;
	struct pid_namespace *ns;
} CORE;

struct pid {
	unsigned int level;	    /* of the innermost namespace; the host has level 0 */
	struct hlist_head tasks[1]; /* the thread with this id, by its pid_links; further ones are for groups */
	struct upid numbers[1];	    /* its id in the namespace of each level */
} CORE;

/* Where exec has put the strings of a program: arguments, environment, and after these the name that was executed. */
struct mm_struct {
	unsigned long arg_start, arg_end;
	unsigned long env_start, env_end;
} CORE;

struct qstr {
	const unsigned char *name;
} CORE;

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
} CORE;

struct dentry {
	struct hlist_bl_node d_hash; /* pprev NULL: it has no name any more, or never had one */
	struct dentry *d_parent;     /* at the root of a file system: itself */
	struct qstr d_name;
	struct inode *d_inode; /* NULL: there is no such file */
} CORE;

struct vfsmount {
	struct dentry *mnt_root;
} CORE;

struct mount {
	struct mount *mnt_parent; /* at the root of the mount namespace: itself */
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
} CORE;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} CORE;

/* How far a task has come along a path that it looks up. */
struct nameidata {
	struct path path;
} CORE;

struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data; /* for a socket: struct socket */
} CORE;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} CORE;

struct files_struct {
	struct fdtable *fdt;
} CORE;

struct fs_struct {
	struct path pwd;
} CORE;

/* cgroup v2 */
struct kernfs_node {
	__u64 id;
} CORE;

/* The first member of struct cgroup: so a pointer to the parent is a pointer to the parent cgroup. */
struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
} CORE;

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
} CORE;

struct css_set {
	struct cgroup *dfl_cgrp;
} CORE;

struct cred {
	struct {
		unsigned int val;
	} uid;
} CORE;

/* Data of a task for the entry code of the kernel. */
struct thread_info {
	__u32 status; /* x86: whether the task is in a 32-bit call */
} CORE;

/* A task's waits for processors, in ns of the clock of its queue. */
struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_queued;	 /* when it was put into a queue; 0: it is in none */
	unsigned long long last_arrival; /* when it came to a processor */
} CORE;

/* The queue of a processor. */
struct rq {
	__u64 clock;
	struct task_struct *curr;
	unsigned int nr_running; /* those that run or wait here; not the idle task */
} CORE;

/* What a task has run, in ns. */
struct cfs_rq {
	struct rq *rq;
	int throttle_count; /* how many cgroups from here up have used up their share */
} CORE;

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 prev_sum_exec_runtime; /* when it came to the processor */
	struct cfs_rq *cfs_rq;	     /* of its cgroup */
} CORE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags; /* PF_ */
	int prio;	    /* less goes first: below 0 deadline, below 100 real time */
	unsigned int policy; /* SCHED_ */
	int pid;	    /* thread id in user space */
	int tgid;	    /* process id in user space */
	struct pid *thread_pid;
	struct hlist_node pid_links[1];
	struct task_struct *group_leader;
	struct task_struct *real_parent; /* the parent process; `parent` may be a tracer */
	struct list_head children;	 /* linked by their `sibling` */
	struct list_head sibling;
	struct mm_struct *mm; /* NULL: a kernel thread, or exiting */
	struct fs_struct *fs;
	struct files_struct *files;
	struct nameidata *nameidata; /* NULL: the task is at no path */
	struct signal_struct *signal;
	const struct cred *cred;
	struct css_set *cgroups;
	int on_cpu;	      /* it runs now; absent in kernels for one processor */
	__u64 start_boottime; /* ns since boot */
	int exit_code;	      /* in the form of wait(2) */
	char comm[16];
	unsigned in_iowait : 1;
	unsigned in_memstall : 1; /* waits for memory, in the account of /proc/pressure */
	unsigned frozen : 1;	  /* by its cgroup, version 2 */
	__u64 start_time;	  /* ns of the monotonic clock */
	__u64 utime, stime;	  /* ns, as ticks found it */
	struct sched_entity se;
	struct sched_info sched_info;
} CORE;

/* The state of a task; 0: it runs or waits for a processor. Renamed in 5.14. */
struct task_struct___state {
	unsigned int __state;
} CORE;

/* Since 6.18 a task is taken out of its queue when its cgroup has used up its share. */
struct task_struct___throttled {
	bool throttled;
} CORE;

struct task_struct___old_state {
	volatile long state;
} CORE;

#define TASK_DEAD 0x80 /* a bit of the state: the task will never run again */

#define TASK_INTERRUPTIBLE 0x1
#define TASK_STOPPED	   0x4
#define TASK_TRACED	   0x8

#define PF_KTHREAD     0x00200000 /* a bit of the flags: a thread of the kernel */
#define PF_IO_WORKER   0x00000010 /* a thread of io_uring */
#define PF_USER_WORKER 0x00004000 /* a thread that the kernel made in a process, since 6.4 */

/* Shared by the threads of a process. */
struct signal_struct {
	struct {
		int counter;
	} live;		     /* threads that have not begun to exit */
	int nr_threads;	     /* live threads, and those that are not reaped yet */
	int group_exit_code; /* of all threads, if flags has SIGNAL_GROUP_EXIT */
	unsigned int flags;
} CORE;

#define SIGNAL_GROUP_EXIT 4

/* To find the process of a descriptor. */
struct super_block {
	unsigned long s_magic;
	unsigned int s_dev;
} CORE;

/* Locks of files. Since 6.9, what all kinds have in common is a struct of its own. */
struct file_lock_core {
	struct list_head flc_list;
	struct list_head flc_blocked_requests;
	int flc_pid;
} CORE;

struct file_lock {
	struct list_head fl_list;
	struct list_head fl_blocked_requests;
	unsigned int fl_pid;
} CORE;

struct file_lock_context {
	struct list_head flc_flock;
	struct list_head flc_posix;
} CORE;

struct inode {
	unsigned short i_mode;
	unsigned int i_rdev;
	unsigned long i_ino;
	struct super_block *i_sb;
	struct file_lock_context *i_flctx;
	void *i_private;
} CORE;

/* Of /proc: fs/proc/internal.h */
struct proc_inode {
	struct pid *pid;
	struct inode vfs_inode;
} CORE;

/* The record of sched:sched_process_exit, which shows the last thread of a process since 6.16. */
struct trace_event_raw_sched_process_exit {
	bool group_dead;
} CORE;

/* The records of sched:sched_process_fork and sched:sched_process_free: ids of threads. */
struct trace_event_raw_sched_process_fork {
	int child_pid;
} CORE;

struct trace_event_raw_sched_process_template {
	int pid;
} CORE;

struct irqaction {
	const char *name;
} CORE;

/* include/linux/blk_types.h: flags of a request. Bits have moved between versions; the names have not changed. */
enum req_flag_bits {
	__REQ_SYNC = 11,
	__REQ_META,
	__REQ_PRIO,
	__REQ_NOMERGE,
	__REQ_IDLE,
	__REQ_FUA = 17,
	__REQ_RAHEAD = 19,
	__REQ_BACKGROUND,
	__REQ_NOWAIT,
};

struct gendisk {
	unsigned int major;
	unsigned int first_minor;
	char disk_name[32];
} CORE;

struct request_queue {
	struct gendisk *disk; /* since 5.15 */
} CORE;

struct blk_mq_hw_ctx {
	struct request_queue *queue;
} CORE;

struct request {
	struct request_queue *q;
	struct blk_mq_hw_ctx *mq_hctx;
	unsigned int cmd_flags;
	unsigned int __data_len; /* bytes still to be done */
	__u64 __sector;		 /* where it begins, in 512 bytes; all bits set: it has none */
} CORE;

struct request___with_disk {
	struct gendisk *rq_disk; /* until 5.16 */
} CORE;

/* Up to 5.10, where tracepoints of requests have the queue as first argument. */
struct hd_struct {
	int partno;
} CORE;

/* include/net/tcp_states.h */
enum {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
};

struct in6_addr {
	__u8 bytes[16];
};

/* Empty in kernels without namespaces of the network. */
typedef struct {
	struct net *net;
} CORE possible_net_t;

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num; /* local port; 0: none yet */
	__u32 skc_portpair; /* both of them, as they stand in memory */
	unsigned short skc_family;
	volatile unsigned char skc_state;
	unsigned long skc_flags;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr; /* absent in kernels without IPv6 */
	struct in6_addr skc_v6_rcv_saddr;
} CORE;

struct sk_buff_head {
	__u32 qlen;
} CORE;

struct socket_lock {
	int owned; /* a task has locked the socket: interrupts queue packets until it unlocks */
} CORE;

struct sock {
	struct sock_common __sk_common;
	struct socket_lock sk_lock;
	struct sk_buff_head sk_receive_queue;
	__u16 sk_type;
	__u16 sk_protocol;
	struct socket *sk_socket;
	struct pid *sk_peer_pid; /* unix: who connected, or, of one that has connected, who listens */
} CORE;

struct inet_sock {
	struct sock sk;
	__be16 inet_sport; /* stays after the port was given back */
} CORE;

struct tcp_sock {
	__u64 bytes_received;
	__u64 bytes_acked;
	__u32 snd_una;	 /* begin of the data that the peer has not acknowledged */
	__u32 write_seq; /* its end */
} CORE;

struct socket {
	short type;
	struct file *file;
	struct sock *sk;
} CORE;

typedef struct {
	int counter;
} CORE atomic_t;

struct refcount_struct {
	atomic_t refs;
} CORE;

struct sockaddr_un {
	unsigned short sun_family;
	char sun_path[108];
} CORE;

struct unix_address {
	struct refcount_struct refcnt;
	int len; /* of the name */
	struct sockaddr_un name[1];
} CORE;

struct netlink_sock {
	__u32 portid; /* 0: it has no address */
} CORE;

struct unix_sock {
	struct unix_address *addr; /* of one that was accepted: that of its listener, shared with it */
	struct sock *peer;
} CORE;

/* What a read of a unix stream socket is about (net/unix/af_unix.c). */
struct unix_stream_read_state {
	struct socket *socket;
	int flags;
} CORE;

struct sk_buff {
	char cb[48]; /* private to the layer that has the packet */
} CORE;

/* What TCP keeps in sk_buff.cb. */
struct tcp_skb_cb {
	__u32 seq;
} CORE;

/* Newer kernels have err: the segment could not be sent. */
struct trace_event_raw_tcp_retransmit_skb {
	int err;
} CORE;

/* Functions that ftrace can trace: a linked list of pages with records. */
struct dyn_ftrace {
	unsigned long ip;
} CORE;

struct ftrace_page {
	struct ftrace_page *next;
	struct dyn_ftrace *records;
	int index; /* number of records */
} CORE;

/* The name of a BPF program or trampoline. */
struct bpf_ksym {
	unsigned long start, end;
	char name[128];
	struct list_head lnode;
} CORE;

/* The symbols of a module. */
struct mod_kallsyms {
	void *symtab; /* Elf64_Sym */
	unsigned int num_symtab;
	char *strtab;
	char *typetab;
} CORE;

enum module_state {
	MODULE_STATE_LIVE,
};

struct module {
	enum module_state state;
	struct list_head list;
	char name[56];
	struct mod_kallsyms *kallsyms;
} CORE;

struct module_memory {
	void *base;
	unsigned int size;
} CORE;

/* Linux 6.4: memory by type, text first. */
struct module___by_type {
	struct module_memory mem[1];
} CORE;

struct module_layout {
	void *base;
	unsigned int text_size;
} CORE;

/* Before: one block, which begins with the text. */
struct module___one_block {
	struct module_layout core_layout;
} CORE;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} CORE;

struct trace_event_class {
	const char *system;
} CORE;

struct trace_event_call {
	struct trace_event_class *class;
} CORE;

struct perf_event {
	struct trace_event_call *tp_event;
} CORE;

enum bpf_link_type {
	BPF_LINK_TYPE_PERF_EVENT = 7,
};

struct bpf_link {
	enum bpf_link_type type;
} CORE;

/* Linux 5.15. */
struct bpf_perf_link {
	struct bpf_link link;
	struct file *perf_file;
} CORE;

struct trace_probe {
	struct list_head list;
} CORE;

struct trace_probe_event {
	struct trace_event_class class;
	struct trace_event_call call;
	struct list_head probes;
} CORE;

struct kretprobe {
	int nmissed;
} CORE;

struct trace_kprobe {
	struct kretprobe rp;
	struct trace_probe tp;
} CORE;

#endif
