use program::generate::Random;

use super::*;
use crate::graph::{Cap, Edge};
use crate::samples;

fn edge(from: u32, to: u32, latency: i32, distance: u32) -> Edge {
    Edge { from, to, latency, distance }
}

fn one_class(limit: u32) -> Resources {
    let cap = Cap { name: "issue".into(), takes: vec![1], limit, holds: vec![], keeps: vec![] };
    Resources { classes: vec!["A".into()], caps: vec![cap] }
}

#[test]
fn bounds_of_small_graphs_in_words() {
    let chain = Graph { classes: vec![0; 3], edges: vec![edge(0, 1, 2, 0), edge(1, 2, 1, 0)] };
    let bound = lower_bound(&chain, &one_class(1));
    assert_eq!((bound.cycles, bound.kind), (4, Kind::CriticalPath));
    assert_eq!(bound.why, "a path of 3 operations: 0, 1, 2");
    let free = Graph { classes: vec![0; 7], edges: vec![] };
    let bound = lower_bound(&free, &one_class(2));
    assert_eq!((bound.cycles, bound.kind), (4, Kind::Cap));
    assert_eq!(bound.why, "7 operations under the cap `issue` of 2 per cycle");
    // One operation, then seven at a time, then one.
    let fan = (1..8).flat_map(|k| [edge(0, k, 1, 0), edge(k, 8, 1, 0)]).collect();
    let bound = lower_bound(&Graph { classes: vec![0; 9], edges: fan }, &one_class(2));
    assert_eq!((bound.cycles, bound.kind), (6, Kind::LangevinCerny));
    assert_eq!(bound.why, "7 slots of the cap `issue` (2 per cycle) by operations that issue not before cycle 1 and at least 1 cycles before \
         the last: 1 + 4 + 1 cycles");
}

#[test]
fn the_window_of_a_cap_in_words() {
    // Seven operations after the first, each two cycles before the end, with different ends.
    let fan = (1..8).flat_map(|k| [edge(0, k, 1, 0), edge(k, k + 7, 2, 0)]).collect();
    let graph = Graph { classes: [vec![0; 8], vec![1; 7]].concat(), edges: fan };
    let cap = Cap { name: "M0 M1".into(), takes: vec![1, 0], limit: 2, holds: vec![], keeps: vec![] };
    let resources = Resources { classes: vec!["LD".into(), "A".into()], caps: vec![cap] };
    let bound = lower_bound(&graph, &resources);
    assert_eq!((bound.cycles, bound.kind), (7, Kind::LangevinCerny));
    assert_eq!(
        bound.why,
        "7 slots of the cap `M0 M1` (2 per cycle) by operations that issue not before cycle 1 and at least 2 cycles \
         before the last: 1 + 4 + 2 cycles"
    );
}

#[test]
fn recurrences_in_words() {
    let edges = vec![edge(0, 1, 3, 0), edge(1, 2, 1, 0), edge(2, 0, 1, 2), edge(2, 2, 1, 1)];
    let graph = Graph { classes: vec![0; 3], edges };
    let bound = recurrence(&graph);
    assert_eq!((bound.cycles, bound.kind), (3, Kind::Recurrence));
    assert!(bound.why.starts_with("a recurrence of 5 cycles in 2 iterations: operations "), "{}", bound.why);
    assert_eq!(interval(&graph, &one_class(1)).kind, Kind::Resource);
    assert_eq!(recurrence(&Graph::default()).why, "no recurrence");
}

#[test]
fn bounds_never_exceed_the_best_schedule_of_tiny_graphs() {
    let mut exact = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let ops = 2 + random.below(5);
        let (graph, resources) = (samples::random(&mut random, ops, false), samples::narrow(&mut random));
        if verify(&graph, &resources).is_err() {
            continue;
        }
        let best = samples::shortest(&graph, &resources, None, 40).expect("40 cycles suffice");
        let bound = lower_bound(&graph, &resources).cycles;
        assert!(bound <= best, "seed {seed}: bound {bound}, best {best}");
        exact += u32::from(bound == best);
    }
    assert!(exact > 300, "the bound is exact on {exact} of 400 graphs only");
}

#[test]
fn recurrence_is_the_smallest_interval_without_resources() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let ops = 2 + random.below(3);
        let graph = samples::random(&mut random, ops, true);
        let free = Resources { classes: samples::mckinley(1).classes, caps: vec![] };
        let bound = recurrence(&graph).cycles;
        let fits = |interval| samples::shortest(&graph, &free, Some(interval), 16).is_some();
        assert!(fits(bound), "seed {seed}: no schedule at interval {bound}");
        assert!(bound == 1 || !fits(bound - 1), "seed {seed}: a schedule below interval {bound}");
    }
}

#[test]
fn windows_of_the_kernels_take_well_under_a_second() {
    let begun = std::time::Instant::now();
    assert_eq!(lower_bound(&samples::four_tables(), &samples::mckinley(1)).cycles, 126);
    assert_eq!(lower_bound(&samples::four_tables(), &samples::mckinley(2)).cycles, 118);
    assert!(begun.elapsed().as_secs() < 20, "even without optimization");
}

#[test]
fn what_cannot_be_scheduled_is_refused() {
    let graph = |classes, edges| Graph { classes, edges };
    let text = |graph, resources| {
        let error = verify(&graph, &resources).unwrap_err();
        format!("{} {} {:?} {}", error.code, error.message, error.notes, error.help)
    };
    assert_eq!(text(graph(vec![1], vec![]), one_class(1)), "M301 operation 0 has class 1, of 1 classes [] ");
    assert_eq!(
        text(graph(vec![0], vec![edge(0, 3, 1, 0)]), one_class(1)),
        "M308 an edge joins operations 0 and 3, of 1 [] "
    );
    assert_eq!(
        text(graph(vec![0, 0], vec![edge(0, 1, 1, 0), edge(1, 0, 0, 0)]), one_class(1)),
        "M302 dependences within one iteration form a cycle [] a value that the next iteration uses is an edge of distance 1"
    );
    let mut short = one_class(1);
    short.caps[0].takes.clear();
    assert_eq!(text(graph(vec![0], vec![]), short), "M304 the cap `issue` counts 0 classes, of 1 [] ");
    assert_eq!(
        text(graph(vec![0], vec![]), one_class(0)),
        "M303 operation 0 (A) never fits the cap `issue` [\"takes 1 of 0 slots per cycle\"] give the class a port in the \
         processor's file, or select another instruction"
    );
}

#[test]
fn caps_count_together() {
    // Of six operations two may issue per cycle, of the four loads among them one: the loads alone need four cycles, all
    // together three. The additions wait for the first load, and so the first cycle has only one operation.
    let cap = |name: &str, takes: &[u8], limit| Cap {
        name: name.into(),
        takes: takes.to_vec(),
        limit,
        holds: vec![],
        keeps: vec![],
    };
    let classes = ["LD", "A"].map(String::from).to_vec();
    let resources = Resources { classes, caps: vec![cap("issue", &[1, 1], 2), cap("M0", &[1, 0], 1)] };
    let edges = (4..8).map(|k| edge(0, k, 1, 0)).collect();
    let graph = Graph { classes: vec![0, 0, 0, 0, 1, 1, 1, 1], edges };
    let bound = lower_bound(&graph, &resources);
    assert_eq!((bound.cycles, bound.kind), (5, Kind::Matching));
    assert_eq!(bound.why, "in 4 cycles, 8 operations have only 7 slots in their windows, all caps counted");
    assert_eq!(samples::shortest(&graph, &resources, None, 9), Some(5));
}
