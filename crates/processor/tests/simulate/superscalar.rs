//! Issue in the order of the text: blocks, ports, the multiplier, stores and misses; cycles counted by hand.

use processor::simulate::{Machine, Options, Variation};

use crate::simulate::common::{error, machine, processor, run, BASE};

fn issues(text: &str) -> Vec<u64> {
    let (run, _) = run("alpha-21164a", text, &[BASE, BASE], &[0; 64]);
    run.events.iter().map(|e| e.issue).collect()
}

#[test]
fn a_sum() {
    let text = "
	ldq $1,0($16)	# in 0
	ldq $2,8($16)	# in 0: two loads together
	addq $1,$2,$3	# in 2
	stq $3,16($16)	# in 3
	ret $31,($26),1	# in 4: behind its block
";
    let (run, words) = run("alpha-21164a", text, &[BASE], &[3, 0, 4, 0, 0, 0]);
    assert_eq!(words, [3, 0, 4, 0, 7, 0]);
    let issues: Vec<u64> = run.events.iter().map(|e| e.issue).collect();
    assert_eq!(issues, [0, 0, 2, 3, 4]);
    assert_eq!((run.cycles, run.operations, run.useful, run.misses), (5, 5, 5, 0));
    assert_eq!((run.stalls.operand, run.stalls.window), (3, 1));
}

#[test]
fn two_integers_a_cycle_one_of_them_a_shift() {
    assert_eq!(issues("\taddq $16,1,$1\n\tsll $16,1,$2\n\tsrl $16,1,$3\n\tsrl $16,2,$4\n"), [0, 0, 1, 2]);
    // The first one goes to the other pipe.
    assert_eq!(issues("\txor $16,1,$1\n\textbl $16,1,$2\n\tfnop\n\tfnop\n"), [0; 4]);
}

#[test]
fn a_block_is_finished_before_the_next() {
    let text = "\taddq $16,1,$1\n\taddq $16,2,$2\n\taddq $16,3,$3\n\tfnop\n\taddq $16,4,$4\n\taddq $16,5,$5\n";
    // With the filler, the fifth begins a block; it would have found a pipe in cycle 1.
    assert_eq!(issues(text), [0, 0, 1, 1, 2, 2]);
    assert_eq!(issues(&text.replace("\tfnop\n", "")), [0, 0, 1, 1, 2]);
}

#[test]
fn what_waits_keeps_all_behind_it() {
    assert_eq!(issues("\tldq $1,0($16)\n\taddq $1,1,$2\n\taddq $16,1,$3\n\taddq $16,2,$4\n"), [0, 2, 2, 3]);
}

#[test]
fn the_multiplier_takes_one_every_four_cycles() {
    assert_eq!(issues("\tmull $16,$16,$1\n\tmull $17,$17,$2\n\taddq $2,1,$3\n"), [0, 4, 12]);
    assert_eq!(issues("\taddq $16,1,$2\n\tmull $2,$2,$1\n"), [0, 3], "it has no bypass");
}

#[test]
fn a_store_issues_without_loads_and_is_seen_three_cycles_later() {
    assert_eq!(issues("\tldq $1,0($16)\n\tstq $16,8($17)\n\tldq $2,16($17)\n\tfnop\n"), [0, 1, 2, 2]);
    assert_eq!(issues("\tstq $16,8($17)\n\tldq $2,8($17)\n"), [0, 3]);
}

#[test]
fn a_load_that_misses_keeps_what_uses_it() {
    // Words 0 and 2048 (8 KiB apart) share a line of the cache; the memory went through it in order.
    let text = "\tldl $1,0($16)\n\tldl $2,8192($17)\n\taddl $2,1,$3\n\tldl $4,4($16)\n\taddl $4,1,$5\n";
    let words = vec![1; 2304];
    let base = [BASE, BASE];
    let (found, _) = run("alpha-21164a", text, &base, &words);
    let issues: Vec<u64> = found.events.iter().map(|e| e.issue).collect();
    // The first load misses and brings its line, so that the second misses, too, and takes the line away.
    assert_eq!(issues, [0, 0, 8, 8, 16]);
    assert_eq!((found.misses, found.stalls.miss), (3, 16));
}

#[test]
fn the_cache_holds_what_the_run_before_left() {
    let one = machine("alpha-21164a", "\tldl $1,0($16)\n\tldl $2,0($1)\n\taddl $2,1,$3\n");
    let mut image = vec![0; 2 * 8192];
    let mut cycles = |places: &[u64]| {
        image[..4].copy_from_slice(&(BASE as u32).to_le_bytes());
        let data: Vec<u8> = places.iter().flat_map(|at| ((BASE + at) as u32).to_le_bytes()).collect();
        let variation = [Variation { offset: 0, bytes: 4, data: &data }];
        one.distribution(&[BASE], BASE, &image, &variation, 0..places.len()).expect("it runs")
    };
    let (hit, miss) = (5, 11);
    assert_eq!(cycles(&[64, 64, 96, 64 + 8192, 64 + 8192, 64]), [hit, hit, miss, miss, hit, miss]);
}

#[test]
fn without_a_cache_every_access_hits() {
    let mut model = processor("alpha-21164a");
    model.cache = None;
    let one = Machine::load("\tldl $1,0($16)\n\tldl $2,8192($16)\n", "text", &model).expect("it reads");
    let (run, _) = one.run(&[BASE], BASE, vec![0; 16384], Options::default()).expect("it runs");
    assert_eq!((run.cycles, run.misses), (1, 0));
}

#[test]
fn a_number_that_does_not_fit() {
    let found = error("alpha-21164a", "\taddq $1,256,$2\n", &[], 8);
    assert!(found.contains("the operands of `addq $1,256,$2` do not fit"), "{found}");
}
