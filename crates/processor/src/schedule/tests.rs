use program::generate::Random;

use super::*;
use crate::bounds;
use crate::check::check;
use crate::samples;

#[test]
fn schedules_of_random_graphs_are_legal_and_not_below_the_bound() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let ops = 1 + random.below(120);
        let (graph, resources) = (samples::random(&mut random, ops, false), samples::narrow(&mut random));
        if bounds::verify(&graph, &resources).is_err() {
            continue;
        }
        let found = list(&graph, &resources, &List { restarts: 20, seed });
        check(&graph, &resources, &found.schedule).unwrap();
        assert!(found.schedule.length() >= found.bound.cycles, "seed {seed}");
    }
}

#[test]
fn schedules_of_tiny_graphs_are_as_short_as_the_shortest() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let ops = 1 + random.below(6);
        let (graph, resources) = (samples::random(&mut random, ops, false), samples::narrow(&mut random));
        if bounds::verify(&graph, &resources).is_err() {
            continue;
        }
        let found = list(&graph, &resources, &List { restarts: 200, seed }).schedule.length();
        assert_eq!(Some(found), samples::shortest(&graph, &resources, None, 40), "seed {seed}");
    }
}

#[test]
fn rijndael_is_as_short_as_the_best_known() {
    let graph = samples::rijndael();
    assert_eq!(graph.classes.len(), 696);
    let found = list(&graph, &samples::mckinley(1), &List::default());
    assert_eq!((found.schedule.length(), found.bound.cycles), (126, 126));
    let found = list(&graph, &samples::mckinley(2), &List { restarts: 0, seed: 1 });
    assert_eq!((found.schedule.length(), found.bound.cycles), (119, 117));
}

#[test]
fn the_seed_alone_decides() {
    let mut random = Random::new(7);
    let (graph, resources) = (samples::random(&mut random, 200, false), samples::mckinley(2));
    let options = List { restarts: 50, seed: 3 };
    assert_eq!(list(&graph, &resources, &options), list(&graph, &resources, &options));
}

#[test]
fn nothing_to_schedule() {
    let found = list(&crate::graph::Graph::default(), &samples::mckinley(1), &List::default());
    assert_eq!((found.schedule.length(), found.bound.cycles), (0, 0));
}
