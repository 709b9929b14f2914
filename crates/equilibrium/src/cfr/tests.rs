//! The sweeps for any number of roles against the plain ones of [`passes`](crate::passes).

use super::rule::learn;
use super::{Cfr, Settings, Sweeps, Tables, Turn, Variant};
use crate::graph::{Graph, Sketch, Work};
use crate::passes::{Reach, Values, evaluate, spread};
use crate::strategy::Strategy;
use ludens_budget::Budget;
use ludens_engine::Rng;

/// A graph in which many joint moves lead to the same child, some to where they started.
fn merging_graph(roles: usize, rng: &mut Rng) -> Graph {
    let mut sketch = Sketch::new(roles);
    let inner = 12;
    // Numbers are known before their nodes are: inner ones first, so that the root is the first.
    let ends = 6;
    for node in 0..inner {
        let counts: Vec<u32> = (0..roles).map(|_| rng.u32(1..4)).collect();
        let joint: u32 = counts.iter().product();
        let few: Vec<u32> = (0..3).map(|_| rng.u32(node + 1..inner + ends)).chain([node]).collect();
        let children: Vec<u32> = (0..joint)
            .map(|number| {
                if number == 0 && node + 1 < inner {
                    node + 1
                } else {
                    few[rng.usize(0..4)]
                }
            })
            .collect();
        sketch.add_inner(&counts, &children);
    }
    for _ in 0..ends {
        let goals: Vec<f64> = (0..roles).map(|_| f64::from(rng.u32(0..101))).collect();
        sketch.add_end(&goals);
    }
    sketch.into_graph().expect("there is no way back")
}

/// What one turn does by the plain sweeps.
fn plainly(graph: &Graph, tables: &mut Tables, turn: Turn<'_>, variant: Variant, iteration: u64) -> Vec<f64> {
    let strategy = Strategy::from(tables.mixture.clone());
    let (mut values, mut reach) = (Values::new(graph), Reach::new(graph));
    evaluate(graph, &strategy, &mut values);
    spread(graph, &strategy, &mut reach);
    let roles = graph.roles();
    for node in (0..graph.len()).filter(|&node| graph.work(node) != Work::Settled) {
        for role in (0..roles).filter(|&role| turn.is_on(role)) {
            let entries = graph.entries(node, role);
            let value = values.at(graph, node, role);
            let gains: Vec<f64> = values.of_moves[entries.clone()]
                .iter()
                .map(|of_move| of_move - value)
                .collect();
            let Tables { regret, total, mixture } = &mut *tables;
            let lists = [regret, total, mixture].map(|list| &mut list[entries.clone()]);
            let at = node * roles + role;
            learn::<false>(lists, &gains, reach.others[at], reach.own[at], &variant.step(iteration));
        }
    }
    values.of_nodes[..roles].to_vec()
}

fn assert_near(one: &[f64], other: &[f64]) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        assert!((one - other).abs() <= 1e-7 * one.abs().max(1.0), "{one} and {other}");
    }
}

#[test]
fn taking_joint_moves_together_changes_nothing() {
    let mut rng = Rng::with_seed(3);
    for round in 0..40 {
        let graph = merging_graph(3 + round % 2, &mut rng);
        for variant in [Variant::Vanilla, Variant::Plus, Variant::DISCOUNTED] {
            let frozen = if round % 5 == 0 { vec![1] } else { Vec::new() };
            let settings = Settings {
                variant,
                frozen: frozen.clone(),
                ..Settings::default()
            };
            let cfr = Cfr::new(&graph, settings).expect("threads can be had");
            let (mut tables, Sweeps::Many(mut sweeps)) = (cfr.tables, cfr.sweeps) else {
                panic!("there are more than two roles")
            };
            let is_frozen: Vec<bool> = (0..graph.roles()).map(|role| frozen.contains(&role)).collect();
            let free = (0..graph.roles()).filter(|&role| !is_frozen[role]);
            let turns: Vec<Option<usize>> = match variant.alternates() {
                true => free.map(Some).collect(),
                false => vec![None],
            };
            for (iteration, only) in (1..=8).flat_map(|iteration| turns.iter().map(move |&only| (iteration, only))) {
                let turn = Turn {
                    frozen: &is_frozen,
                    only,
                };
                // Mixtures jump where regrets are next to nothing, so each turn starts with the same ones.
                let mut plain = tables.clone();
                let values = plainly(&graph, &mut plain, turn, variant, iteration);
                sweeps.iterate(&graph, &mut tables, turn, &variant.step(iteration));
                assert_near(&tables.regret, &plain.regret);
                assert_near(&tables.total, &plain.total);
                for role in (0..graph.roles()).filter(|&role| turn.is_on(role) || is_frozen[role]) {
                    assert_near(&sweeps.values()[role..=role], &values[role..=role]);
                }
            }
        }
    }
}

#[test]
fn a_focus_values_its_node_and_leaves_what_was_before_it_alone() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..20 {
        let graph = merging_graph(3, &mut rng);
        let Some(node) = (1..graph.len()).find(|&node| graph.work(node) == Work::Choices) else {
            continue;
        };
        let mut cfr = Cfr::new(&graph, Settings::default()).expect("no threads are needed");
        cfr.focus(node);
        cfr.iterate(&graph, 50, &Budget::default());
        let strategy = Strategy::from(cfr.tables.mixture.clone());
        let mut values = Values::new(&graph);
        cfr.iterate(&graph, 1, &Budget::default());
        evaluate(&graph, &strategy, &mut values);
        let roles = graph.roles();
        assert_eq!(cfr.root(), node);
        assert_near(&cfr.last_values(), &values.of_nodes[node * roles..(node + 1) * roles]);
        // What the match has left behind is as it was.
        let start = graph.entries(0, 0).start..graph.entries(0, roles - 1).end;
        assert!(cfr.tables.total[start].iter().all(|&total| total == 0.0));
    }
}
