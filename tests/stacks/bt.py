# SPDX-License-Identifier: BSD-2-Clause
"""For gdb -x: prints the stack of each thread as lines "@frame FILE OFFSET NAME", for tests/stacks/compare.

The program runs until it stops by SIGSTOP. OFFSET is the place in the file of the call, as sonde has it. Frames that
gdb infers are left out, since they are not on the stack: functions that were inlined, or that have jumped to
another."""
import gdb


def mappings():
    with open(f'/proc/{gdb.selected_inferior().pid}/maps', encoding='utf-8', errors='replace') as file:
        for line in file:
            fields = line.split(None, 5)
            start, end = (int(part, 16) for part in fields[0].split('-'))
            yield start, end, int(fields[2], 16), fields[5].strip() if len(fields) > 5 else ''


def show(maps):
    frame, called = gdb.newest_frame(), False
    while frame:
        if frame.type() == gdb.SIGTRAMP_FRAME:
            called = False
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            at = frame.pc() - called
            start, _, offset, path = next((m for m in maps if m[0] <= at < m[1]), (0, 0, 0, ''))
            print(f'@frame\t{path}\t{at - start + offset:x}\t{frame.name() or "?"}')
            # the frame that a signal has interrupted has not called
            called = frame.type() != gdb.SIGTRAMP_FRAME
        frame = frame.older()
    print('@end')


for setting in ('pagination off', 'confirm off', 'debuginfod enabled off', 'backtrace past-main on',
                'backtrace past-entry off'):
    gdb.execute('set ' + setting)
gdb.execute('handle SIGUSR1 SIGALRM nostop noprint pass')
gdb.execute('run')
known = list(mappings())
for thread in gdb.selected_inferior().threads():
    thread.switch()
    show(known)
gdb.execute('kill')
