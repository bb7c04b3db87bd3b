//! Delay slots, nullification and the queues: cycles counted by hand.

use crate::simulate::common::{run, BASE};

#[test]
fn a_sum() {
    let text = "
kernel:
	.proc
	ldw 0(%r26),%r3		; in 0, launched 1
	ldw 4(%r26),%r4		; in 0, launched 2: the bank of the first
	add,l %r3,%r4,%r5	; in 0, launched 4
	stw %r5,8(%r26)		; in 0, launched 5, retires 6
	bve,n (%r2)
	.procend
";
    let (run, words) = run("pa8500", text, &[BASE], &[3, 4, 0]);
    assert_eq!(words, [3, 4, 7]);
    assert_eq!((run.cycles, run.operations), (7, 5));
    let issues: Vec<u64> = run.events.iter().map(|e| e.issue).collect();
    assert_eq!(issues, [1, 2, 4, 5, 2]);
    assert_eq!(run.stalls.bank, 1);
}

#[test]
fn two_arithmetic_instructions_launch_per_cycle() {
    let text: String = (3..11).map(|k| format!("\taddi {k},%r26,%r{k}\n")).collect();
    let (run, _) = run("pa8500", &text, &[BASE], &[]);
    let issues: Vec<u64> = run.events.iter().map(|e| e.issue).collect();
    assert_eq!(issues, [1, 1, 2, 2, 3, 3, 4, 4]);
    // The last two retire in cycle 5.
    assert_eq!(run.cycles, 6);
}

#[test]
fn a_load_waits_for_the_store_to_its_place() {
    let text = "\tstw %r25,0(%r26)\n\tldw 0(%r26),%r3\n\tldw 8(%r26),%r4\n";
    let (run, _) = run("pa8500", text, &[BASE, 9], &[0, 0, 0]);
    let issues: Vec<u64> = run.events.iter().map(|e| e.issue).collect();
    // The store retires in cycle 2, and the model's `store_to_load` is 5 cycles. The other load overtakes: it finds a port,
    // and its bank is the other one.
    assert_eq!(issues, [1, 7, 1]);
}

#[test]
fn a_store_is_seen_when_it_has_retired() {
    let text = "\tldw 8(%r26),%r4\n\tadd,l %r4,%r4,%r5\n\tstw %r25,0(%r26)\n\tldw 0(%r26),%r3\n";
    let (run, _) = run("pa8500", text, &[BASE, 9], &[0, 0, 0]);
    let issues: Vec<u64> = run.events.iter().map(|e| e.issue).collect();
    // The store launches with the first load, but retires behind the sum, in cycle 4.
    assert_eq!(issues, [1, 3, 1, 9]);
}

#[test]
fn the_delay_slot_of_a_loop_runs() {
    let text = "
	ldi 4,%r3
	ldi 0,%r4
again:	addib,<> -1,%r3,again
	addi 5,%r4,%r4
	stw %r4,0(%r26)
	bve (%r2)
	stw %r3,4(%r26)
	stw %r26,8(%r26)
";
    let (run, words) = run("pa8500", text, &[BASE], &[7, 7, 7]);
    assert_eq!(words, [20, 0, 7]);
    assert_eq!(run.operations, 2 + 8 + 3);
}

#[test]
fn nullification() {
    let text = "
	ldi 1,%r3
	cmpclr,= %r26,%r25,%r4
	ldi 2,%r3
	b,n done
	ldi 3,%r3
done	stw %r3,0(%r24)
";
    assert_eq!(run("pa8500", text, &[5, 5, BASE], &[0]).1, [1]);
    assert_eq!(run("pa8500", text, &[5, 6, BASE], &[0]).1, [2]);
}

#[test]
fn products_of_halves() {
    let text = "\tfldd 0(%r26),%fr4\n\txmpyu %fr4L,%fr4R,%fr5\n\tfstw %fr5R,8(%r26)\n\tfstw %fr5L,12(%r26)\n";
    let (run, words) = run("pa8500", text, &[BASE], &[0x8000_0001, 0x1000_0003, 0, 0]);
    let product = 0x8000_0001_u64 * 0x1000_0003;
    assert_eq!(words[2..], [product as u32, (product >> 32) as u32]);
    let issues: Vec<u64> = run.events.iter().map(|e| e.issue).collect();
    assert_eq!(issues, [1, 3, 6, 7]);
}

#[test]
fn a_processor_without_limits_shows_the_flow_of_data() {
    let text: String = (3..19).map(|k| format!("\taddi {k},%r26,%r{k}\n")).collect();
    let (run, _) = run("pa8500-infinite", &format!("{text}\tadd,l %r3,%r18,%r19\n"), &[BASE], &[]);
    assert!(run.events[..16].iter().all(|e| e.issue == 1));
    assert_eq!(run.events[16].issue, 2);
}
