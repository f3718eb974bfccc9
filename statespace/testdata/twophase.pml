/* Two-phase commit as in TwoPhase.tla (Lamport): the model of
 * statespace/internal/toys, for SPIN. N resource managers and the transaction
 * manager; messages are never removed.
 *
 *	spin -a -DN=9 twophase.pml
 *	gcc -O3 -DSAFETY -DNOREDUCE -DMEMLIM=20000 -o pan pan.c
 *	./pan -m100000 -w25
 */
#ifndef N
#define N 9
#endif
#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3

byte rm[N];
byte tm;
short received, sent;
bit commit, abort;

#define MANAGER(i) \
	:: d_step { (rm[i] == WORKING) -> rm[i] = PREPARED; sent = sent | (1 << i) } \
	:: d_step { (rm[i] == WORKING) -> rm[i] = ABORTED } \
	:: d_step { (commit) -> rm[i] = COMMITTED } \
	:: d_step { (abort) -> rm[i] = ABORTED } \
	:: d_step { (tm == WORKING && (sent & (1 << i))) -> received = received | (1 << i) }

active proctype System() {
	do
	:: d_step { (tm == WORKING && received == (1 << N) - 1) -> tm = COMMITTED; commit = 1 }
	:: d_step { (tm == WORKING) -> tm = ABORTED; abort = 1 }
	MANAGER(0) MANAGER(1) MANAGER(2) MANAGER(3) MANAGER(4)
#if N > 5
	MANAGER(5) MANAGER(6)
#endif
#if N > 7
	MANAGER(7) MANAGER(8)
#endif
	od
}
