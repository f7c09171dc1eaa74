# SPDX-License-Identifier: BSD-2-Clause
# Calls, hashes, sorting with a callback, regular expressions.
use strict;
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
my $end = time + $ARGV[0];
while (time < $end) {
	fib(14);
	my %count;
	$count{ $_ * 7919 % 1000 } .= "value $_," for 1 .. 2000;
	my @sorted = sort { $count{$a} cmp $count{$b} || $a <=> $b } keys %count;
	my $text = join ' ', map { $count{$_} } @sorted;
	$text =~ s/(\w+) (\d+)/$2 $1/g;
}
