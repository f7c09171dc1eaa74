# SPDX-License-Identifier: BSD-2-Clause
# sonde hardirqs: it must count as many interrupts of the disk as the kernel does.
# of file: kernels=one

# interrupts PREFIX FILE: prints "NAME COUNT", over all processors, for each interrupt in a copy of
# /proc/interrupts whose name begins so.
interrupts() {
	awk -v prefix="$1" 'index($NF, prefix) == 1 {
		n = 0
		for (i = 2; $i ~ /^[0-9]+$/; i++)
			n += $i
		print $NF, n
	}' "$2"
}

# disk_irqs FILE: prints the number of the disk's interrupts in a copy of /proc/interrupts.
disk_irqs() {
	interrupts "$irq" "$1" > irqs
	add_up 2 irqs
}

# rows_of_disk COLUMN FILE [CONDITION]: adds up a column of the disk's rows.
rows_of_disk() {
	add_up "$1" "$2" "index(\$1, \"$irq\") == 1 && ${3:-1}"
}

# Sets irq to the beginning of the names of the interrupts that the disk causes: each processor may
# have its own.
find_irq() {
	disk=$(disk scratch)
	cat /proc/interrupts > begin
	dd if="$disk" of=/dev/null bs=4096 count=20 iflag=direct 2> said || fail "$(cat said)"
	cat /proc/interrupts > end
	interrupts virtio begin > virtio_begin
	interrupts virtio end > virtio_end
	irq=$(diff virtio_begin virtio_end | sed -n 's/^[+>]\(virtio[^ ]*\) .*/\1/p' | head -n 1 | sed 's/[0-9]*$//')
	[ "$irq" ] || fail "no interrupt of the disk: $(cat end)"
}

# Sets the kernel's counts around the whole life of sonde, and around the workload alone.
count() {
	find_irq
	cat /proc/interrupts > begin
	cat > workload <<-'END'
	cat /proc/interrupts > before
	dd if=$1 of=/dev/null bs=4096 count=60 iflag=direct
	cat /proc/interrupts > after
	END
	run sonde hardirqs "$@" -- sh workload "$disk"
	cat /proc/interrupts > end
	expect_exit 0
	within=$(($(disk_irqs after) - $(disk_irqs before)))
	around=$(($(disk_irqs end) - $(disk_irqs begin)))
	[ $within -ge 30 ] || fail "only $within interrupts for 60 reads"
}

# kernels=ends
test_count() {
	count -C
	expect_line '^HARDIRQ                    TOTAL_count$'
	expect_between "$irq" $within $around "$(rows_of_disk 2 out)"
}

# cpus=2
test_count_two_processors() {
	count -C -i 0.05 --json
	expect_json hardirq count
	expect_between "$irq" $within $around "$(rows_of_disk 2 rows)"
}

# kernels=ends
test_time() {
	count --json
	expect_json hardirq unit count total
	expect_between "$irq" $within $around "$(rows_of_disk 3 rows '$2 == "usecs"')"
	expect_between "time of $irq" 10 5000000 "$(rows_of_disk 4 rows)"
	count -N
	expect_line '^HARDIRQ                    TOTAL_nsecs$'
	expect_between "time of $irq" 10000 5000000000 "$(rows_of_disk 2 out)"
}

test_distribution() {
	count -d -T
	expect_err 'Tracing hard irq event time\.\.\. Hit Ctrl-C to end'
	expect_line "^hardirq = $irq[0-9]*\$"
	expect_line '^     usecs               : count     distribution$'
	count -d --precise --json
	expect_json hardirq count percentiles
	expect_between "$irq" $within $around "$(rows_of_disk 2 rows)"
}

test_max_keys() {
	find_irq
	cat > workload <<-'END'
	echo > /dev/ttyS0 || :
	dd if=$1 of=/dev/null bs=4096 count=20 iflag=direct
	echo > /dev/ttyS0 || :
	END
	run sonde hardirqs -C --max-keys 1 -- sh workload "$disk"
	expect_exit 0
	[ "$(tail -n +2 out | wc -l)" -eq 1 ] || fail "not one row"
	expect_err '[0-9]+ values* not counted: there are more than 1 hardirqs'
}

test_errors() {
	run sonde hardirqs --comm sh
	expect_exit 2
	expect_err 'interrupts belong to no process'
	run sonde hardirqs -C -d
	expect_exit 2
	expect_err 'counts have no distribution'
}
