//! Counted loops, rotating registers and predicates.

use processor::simulate::Options;

use crate::simulate::common::{run, run_with, BASE};

const PIPELINED: &str = "
{ .mii
	alloc r31 = ar.pfs, 8, 0, 0, 8		// 0
	mov ar.lc = 3
	mov r14 = r32 ;;
}
{ .mii
	mov r15 = r33				// 1
	mov ar.ec = 2
	nop.i 0 ;;
}
{ .mii
	nop.m 0
	mov pr.rot = 65536			// 2
	nop.i 0 ;;
}
again:
{ .mmb
(p16)	ld4 r34 = [r14], 4			// 3 to 7
(p17)	st4 [r15] = r35, 4
	br.ctop.sptk.few again ;;
}
{ .mib
	nop.m 0					// 8
	nop.i 0
	br.ret.sptk.many b0 ;;
}
";

#[test]
fn a_pipelined_loop_copies_one_word_per_cycle() {
    let (run, words) = run("mckinley", PIPELINED, &[BASE, BASE + 16], &[1, 2, 3, 4, 0, 0, 0, 0]);
    assert_eq!(words, [1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!((run.cycles, run.stalls.operand), (9, 0));
    // 9 before, 5 times 3, 3 after; without nops and what a false predicate switched off (one load, one store).
    assert_eq!((run.operations, run.useful), (9 + 15 + 3, 6 + 13 + 1));
}

#[test]
fn functional_and_timed_runs_agree() {
    let (memory, words) = (BASE + 16, [9, 8, 7, 6, 0, 0, 0, 0]);
    let options = Options { cycles: false, ..Options::default() };
    let (fast, after) = run_with("mckinley", PIPELINED, &[BASE, memory], &words, options);
    let (timed, same) = run("mckinley", PIPELINED, &[BASE, memory], &words);
    assert_eq!(after, same);
    assert_eq!((fast.operations, fast.useful, fast.cycles), (timed.operations, timed.useful, 0));
}

#[test]
fn registers_rotate_back() {
    // After clrrrb, what the first iteration wrote to r34 has its first name again.
    let text = PIPELINED.replace(
        "{ .mib\n\tnop.m 0\t\t\t\t\t// 8\n\tnop.i 0\n\tbr.ret",
        "{ .mib\n nop.m 0\n nop.i 0\n clrrrb ;;\n}\n{ .mib\n\tst4 [r15] = r34\n\tnop.i 0\n\tbr.ret",
    );
    let (_, words) = run("mckinley", &text, &[BASE, BASE + 16], &[1, 2, 3, 4, 0, 0, 0, 0, 0]);
    assert_eq!(words[8], 1);
}

#[test]
fn a_counted_loop_costs_no_penalty() {
    let text = "
{ .mii
	adds r8 = 0, r0
	mov ar.lc = 9
	nop.i 0 ;;
}
again:
{ .mib
	adds r8 = 2, r8
	nop.i 0
	br.cloop.sptk.few again ;;
}
{ .mib
	st4 [r32] = r8
	nop.i 0
	br.ret.sptk.many b0 ;;
}
";
    let (run, words) = run("mckinley", text, &[BASE], &[0]);
    assert_eq!((words[0], run.cycles), (20, 1 + 10 + 1));
}
