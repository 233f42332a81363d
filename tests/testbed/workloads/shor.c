// SPDX-License-Identifier: GPL-2.0-only
/*
 * shor [N [TIMES]]: factor N (default 33) with Shor's algorithm on
 * libquantum's simulated quantum computer, TIMES times (default: until
 * killed).  Statically linked, so that the library's functions are in its own
 * symbol table.  The pseudo-random numbers are the same in each run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <quantum.h>

/* One try to find the period of x^i mod n.  Returns a factor, 0: no luck. */
static int shor_try(int n, int x)
{
	int width = quantum_getwidth(n * n), swidth = quantum_getwidth(n);
	int scratch = 3 * swidth + 2, c, q = 1 << width, half, f;
	quantum_reg qr = quantum_new_qureg(0, width);
	long long power = 1;

	for (int i = 0; i < width; i++)
		quantum_hadamard(i, &qr);
	quantum_addscratch(scratch, &qr);
	quantum_exp_mod_n(n, x, width, swidth, &qr);
	for (int i = 0; i < scratch; i++)
		quantum_bmeasure(0, &qr);
	quantum_qft(width, &qr);
	for (int i = 0; i < width / 2; i++) {
		quantum_cnot(i, width - i - 1, &qr);
		quantum_cnot(width - i - 1, i, &qr);
		quantum_cnot(i, width - i - 1, &qr);
	}
	c = quantum_measure(qr);
	quantum_delete_qureg(&qr);
	if (c <= 0)
		return 0;

	quantum_frac_approx(&c, &q, width);
	if (q % 2 == 1 && 2 * q < (1 << width))
		q *= 2;
	if (q % 2 == 1)
		return 0;
	half = q / 2;
	for (int i = 0; i < half; i++)
		power = power * x % n;
	f = quantum_gcd(n, (int)power + 1);
	if (f <= 1 || f >= n)
		f = quantum_gcd(n, (int)power - 1);
	return f > 1 && f < n ? f : 0;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 33;
	long times = argc > 2 ? atol(argv[2]) : -1;

	if (n < 15 || n > 512) {
		fprintf(stderr, "usage: shor [N [TIMES]], 15 <= N <= 512\n");
		return 2;
	}
	srand(1);
	puts("SHOR");
	fflush(stdout);
	while (times < 0 || times-- > 0) {
		int x, f;

		do
			x = rand() % n;
		while (x < 2 || quantum_gcd(n, x) > 1);
		f = shor_try(n, x);
		if (times >= 0)
			printf("%d ^ x mod %d: factor %d\n", x, n, f);
	}
	return 0;
}
