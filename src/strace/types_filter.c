// SPDX-License-Identifier: BSD-2-Clause
/* Instructions of both kinds of BPF: those of filters of packets and of calls, and those of bpf(2). */
#include "strace_part.h"
#include "types.h"

#define RET_ACTION 0xffff0000U

static const struct strace_words seccomp_actions = {
	"SECCOMP_RET_", "=0x80000000 KILL_PROCESS =0 KILL_THREAD =0x30000 TRAP =0x50000 ERRNO =0x7fc00000 USER_NOTIF "
			"=0x7ff00000 TRACE =0x7ffc0000 LOG =0x7fff0000 ALLOW"
};

void strace_seccomp_action(struct str *out, unsigned int action)
{
	strace_word(out, &seccomp_actions, action);
}

/* "|NAME" of some bits of a code: names are of the bits shifted down. */
static void add_part(struct str *out, const char *names, unsigned int bits, unsigned int shift)
{
	const struct strace_words words = { "BPF_", names };

	str_addc(out, '|');
	if (!strace_word_if(out, &words, bits >> shift))
		str_addf(out, "%#x /* BPF_??? */", bits);
}

/* Bits that no name is for. */
static void add_rest(struct str *out, unsigned int bits)
{
	if (bits)
		str_addf(out, "|%#x /* BPF_??? */", bits);
}

/* extended: of bpf(2). */
static void add_code(struct str *out, unsigned int code, bool extended)
{
	static const char operations[] = "ADD SUB MUL DIV OR AND LSH RSH NEG MOD XOR MOV ARSH END",
			  jumps[] = "JA JEQ JGT JGE JSET JNE JSGT JSGE CALL EXIT JLT JLE JSLT JSLE";
	static const struct strace_words classes[] = { { "BPF_", "LD LDX ST STX ALU JMP RET MISC" },
						       { "BPF_", "LD LDX ST STX ALU JMP JMP32 ALU64" } };
	unsigned int class = code & 7;

	strace_word(out, &classes[extended], class);
	if (class < 2 || (extended && class < 4)) {
		add_part(out, "W H B DW", code & 0x18, 3);
		add_part(out, extended ? "IMM ABS IND MEM - - XADD" : "IMM ABS IND MEM LEN MSH XADD", code & 0xe0, 5);
	} else if (class == 4 || class == 5 || (extended && class == 7)) {
		add_part(out, "K X", code & 8, 3);
		add_part(out, class == 5 ? jumps : operations, code & 0xf0, 4);
	} else if (class == 6 && !extended) {
		add_part(out, "K X A", code & 0x18, 3);
		add_rest(out, code & ~0x1fU);
	} else if (class == 7) {
		add_part(out, "TAX =16 TXA", code & 0xf8, 3);
		add_rest(out, code & ~0xffU);
	} else {
		add_rest(out, code & ~7U);
	}
}

/* Where a filter of packets loads from: below the packet are other data. */
static bool add_place(struct str *out, unsigned int k)
{
	static const struct strace_words words = { "SKF_AD_", "PROTOCOL PKTTYPE IFINDEX NLATTR NLATTR_NEST MARK QUEUE HATYPE "
							      "RXHASH CPU ALU_XOR_X VLAN_TAG VLAN_TAG_PRESENT PAY_OFFSET RANDOM "
							      "VLAN_TPID" };
	const unsigned int data = -0x1000U, net = -0x100000U, link = -0x200000U;

	if (k >= data) {
		str_add(out, "SKF_AD_OFF+");
		if (k % 4 || !strace_word_if(out, &words, (k - data) / 4))
			str_addf(out, "%#x /* SKF_AD_??? */", k - data);
	} else if (k >= net) {
		str_addf(out, "SKF_NET_OFF+%u", k - net);
	} else if (k >= link) {
		str_addf(out, "SKF_LL_OFF+%u", k - link);
	}
	return k >= link;
}

static void add_instruction(struct str *out, const unsigned char *bytes, bool of_calls)
{
	unsigned int k, action;
	unsigned short code;

	memcpy(&code, bytes, sizeof(code));
	memcpy(&k, bytes + 4, sizeof(k));
	if (bytes[2] || bytes[3]) {
		str_add(out, "BPF_JUMP(");
		add_code(out, code, false);
		str_addf(out, ", %#x, %#x, %#x)", k, bytes[2], bytes[3]);
		return;
	}
	str_add(out, "BPF_STMT(");
	add_code(out, code, false);
	str_add(out, ", ");
	action = k & RET_ACTION;
	if (of_calls && (code & 7) == 6) {
		strace_seccomp_action(out, action);
		if (k != action)
			str_addf(out, "|%#x", k - action);
	} else if (of_calls || (code & 0xe7) != 0x20 || !add_place(out, k)) {
		str_addf(out, "%#x", k);
	}
	str_addc(out, ')');
}

static void add_of_packets(struct strace_line *line, const void *bytes, size_t index)
{
	(void)index;
	add_instruction(line->out, bytes, false);
}

static void add_of_calls(struct strace_line *line, const void *bytes, size_t index)
{
	(void)index;
	add_instruction(line->out, bytes, true);
}

void strace_filter_code(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n, bool of_calls)
{
	if (line->settings->whole)
		strace_array_of(line, blob, address, n, STRACE_FILTER_CODE, of_calls ? add_of_calls : add_of_packets);
	else
		strace_address(line->out, address);
}

void strace_filter_bytes(struct strace_line *line, const void *bytes, size_t n, uint64_t address)
{
	if (!line->settings->whole) {
		strace_address(line->out, address);
		return;
	}
	str_addc(line->out, '[');
	for (size_t i = 0; (i + 1) * STRACE_FILTER_CODE <= n; i++) {
		str_add(line->out, i ? ", " : "");
		add_instruction(line->out, (const unsigned char *)bytes + i * STRACE_FILTER_CODE, false);
	}
	str_addc(line->out, ']');
}

void strace_filter(struct strace_line *line, const void *bytes, const struct strace_blob *code, bool of_calls)
{
	unsigned short n;
	uint64_t address;

	memcpy(&n, bytes, sizeof(n));
	memcpy(&address, (const char *)bytes + 8, sizeof(address));
	str_addf(line->out, "{len=%u, filter=", n);
	strace_filter_code(line, code, address, n, of_calls);
	str_addc(line->out, '}');
}

/* One of bpf(2). */
static void add_extended(struct strace_line *line, const void *instruction, size_t index)
{
	static const struct strace_words registers = { "BPF_REG_", "0 1 2 3 4 5 6 7 8 9 10" };
	const unsigned char *bytes = instruction;
	unsigned int value;
	short offset;

	(void)index;
	memcpy(&offset, bytes + 2, sizeof(offset));
	memcpy(&value, bytes + 4, sizeof(value));
	str_add(line->out, "{code=");
	add_code(line->out, bytes[0], true);
	str_add(line->out, ", dst_reg=");
	strace_word(line->out, &registers, bytes[1] & 15);
	str_add(line->out, ", src_reg=");
	strace_word(line->out, &registers, bytes[1] >> 4);
	str_addf(line->out, ", off=%d, imm=%#x}", offset, value);
}

void strace_instructions(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n)
{
	if (line->settings->whole)
		strace_array_of(line, blob, address, n, STRACE_FILTER_CODE, add_extended);
	else
		strace_address(line->out, address);
}
