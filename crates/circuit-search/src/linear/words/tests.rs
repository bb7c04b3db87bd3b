use super::*;

/// E2's P-function, as its specification prints it.
fn byte_sums() -> Vec<Vec<u8>> {
    let rows = ["234567", "134678", "124578", "123568", "12456", "12367", "23478", "13458"];
    rows.iter().map(|r| (1..=8u8).map(|c| u8::from(r.contains(char::from(b'0' + c)))).collect()).collect()
}

fn mix_columns() -> Vec<Vec<u8>> {
    vec![vec![2, 3, 1, 1], vec![1, 2, 3, 1], vec![1, 1, 2, 3], vec![3, 1, 1, 2]]
}

fn operation(kind: &str, amount: u8) -> Operation {
    Operation { kind: kind.into(), amount, latency: 1, slots: 1, group: None }
}

/// A machine with exclusive ors, doublings and these operations for every number of bytes.
fn machine(kinds: &[&str], bytes: u8) -> Machine {
    let mut operations = vec![operation("xor", 0), operation("double", 0)];
    for kind in kinds {
        let last = if *kind == "mask" { ((1u16 << bytes) - 2) as u8 } else { bytes - 1 };
        operations.extend((1..=last).map(|amount| operation(kind, amount)));
    }
    Machine { issue: 2, operations, groups: Vec::new() }
}

fn problem(rows: Vec<Vec<u8>>, polynomial: u64, bytes: usize) -> Problem {
    Problem {
        rows,
        polynomial,
        bytes,
        is_free: true,
        aim: Aim::Operations,
        least: 0,
        most: 12,
        most_operations: usize::MAX,
        most_nodes: 3_000_000,
        threads: 2,
    }
}

fn binary(bytes: u8, kinds: &[&str], problem: &Problem) -> Outcome {
    let mut machine = machine(kinds, bytes);
    machine.operations.retain(|o| o.kind != "double");
    search(problem, &machine, &|_| false).expect("the matrix fits")
}

#[test]
fn e2_takes_six_operations_and_four_cycles_with_words_of_32_bits() {
    let mut asked = problem(byte_sums(), 0, 4);
    for is_free in [true, false] {
        asked.is_free = is_free;
        let found = binary(4, &["rotate"], &asked);
        assert_eq!((found.end.as_str(), found.steps.len()), ("found", 6));
        assert_eq!(found.exhausted.last().map(|e| e.count), Some(5));
    }
    asked.aim = Aim::Cycles;
    let found = binary(4, &["rotate"], &asked);
    assert_eq!(found.exhausted.last().map(|e| e.count), Some(3));
    assert_eq!(found.starts.iter().max(), Some(&3));
    assert!((0..4).all(|cycle| found.starts.iter().filter(|s| **s == cycle).count() <= 2));
}

#[test]
fn shifts_and_masks_do_not_help_e2() {
    let found = binary(4, &["rotate", "up", "down", "mask"], &Problem { most: 5, ..problem(byte_sums(), 0, 4) });
    assert_eq!((found.end.as_str(), found.exhausted.len()), ("most", 6));
}

#[test]
fn bytes_of_one_word_that_differ_cannot_be_rotated_into_place() {
    assert_eq!(binary(8, &["rotate"], &problem(byte_sums(), 0, 8)).end, "impossible");
}

#[test]
fn mix_columns_takes_six_operations() {
    let found = search(&problem(mix_columns(), 0x11b, 4), &machine(&["rotate"], 4), &|_| false).expect("fits");
    assert_eq!((found.steps.len(), found.exhausted.last().map(|e| e.count)), (6, Some(5)));
}

#[test]
fn threads_do_not_change_what_is_found() {
    let ask = |threads| binary(2, &["rotate"], &Problem { threads, most: 6, ..problem(byte_sums(), 0, 2) });
    let one = ask(1);
    assert_eq!((one.orders, one.exhausted.len()), (8, 7));
    assert_eq!(one, ask(2));
    assert_eq!(one, ask(3));
    let found = |threads| binary(4, &["rotate"], &Problem { threads, ..problem(byte_sums(), 0, 4) });
    assert_eq!(found(1), found(2));
}

#[test]
fn a_search_ends_before_it_takes_too_long() {
    let found = binary(2, &["rotate"], &Problem { most_nodes: 100_000, ..problem(byte_sums(), 0, 2) });
    assert_eq!((found.end.as_str(), found.steps.len()), ("nodes", 0));
}

#[test]
fn a_search_can_be_stopped() {
    let asked = Problem { most_nodes: u64::MAX, ..problem(byte_sums(), 0, 2) };
    let found = search(&asked, &machine(&["rotate"], 2), &|_| true).expect("the matrix fits");
    assert_eq!(found.end, "stopped");
}

#[test]
fn what_does_not_fit_is_refused() {
    let fault = search(&problem(byte_sums(), 0, 3), &machine(&["rotate"], 3), &|_| false).expect_err("three bytes");
    assert_eq!(fault.to_string(), "error[C129]: words of 3 bytes are not served\n   = help: 1, 2, 4 or 8");
    let fault = search(&problem(mix_columns(), 0x11b, 8), &machine(&["rotate"], 8), &|_| false).expect_err("few rows");
    assert_eq!(
        fault.to_string(),
        "error[C123]: a matrix of 4 rows and 4 columns is not served\n   \
         = words hold 8 bytes; at most 8 columns over this field, 64 rows"
    );
}
