// SPDX-License-Identifier: BSD-2-Clause
/* Has what a library of PHP 8.2 has, but code whose end nothing tells. No process must harm who looks at it. */
extern const char phps_version[];
extern long executor_globals[256];

const char phps_version[] = "X-Powered-By: PHP/8.2.99";
long executor_globals[256];

#if defined(__x86_64__)
/* zend_is_executing() reads what executor_globals has at 488. */
asm(".globl execute_ex, zend_is_executing\n"
    ".type zend_is_executing, @function\n"
    ".size zend_is_executing, 8\n"
    "execute_ex: jmp *%rax\n"
    "zend_is_executing: mov 488(%rax), %rax\n"
    "ret\n");
#endif
