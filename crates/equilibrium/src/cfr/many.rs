//! The sweeps for any number of roles and any goals.
//!
//! The downward sweep gathers reach probabilities along the [links](super::merged) that lead to each node; the upward
//! sweep computes values and updates regrets. Nodes of a level are independent, so threads can share them, and results
//! are bitwise the same for any number of threads.

use super::merged::{Merged, Pattern, Scratch};
use super::rule::{Step, learn};
use super::{Tables, Turn};
use crate::graph::{Graph, Run, Work};
use crate::passes::{Behind, FOR_EVER, take};
use rayon::prelude::*;
use std::ops::Range;

/// Number of joint moves of a level from which on several threads are used, and of the part that one of them takes.
const MUCH: usize = 1 << 15;
const SOME: usize = 1 << 12;

/// Data of nodes within an iteration.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    roles: usize,
    merged: Merged,
    /// The node at which iterations start, and the nodes that can be reached from it.
    root: usize,
    is_alive: Vec<bool>,
    /// Value for each node and role.
    values: Vec<f64>,
    /// Reach probabilities of each node: the contribution of each role, then the counterfactual reach for each role.
    reach: Vec<f64>,
    /// The same for each link.
    flows: Vec<f64>,
}

impl Sweeps {
    pub(super) fn new(graph: &Graph) -> Sweeps {
        let merged = Merged::of(graph);
        let roles = graph.roles();
        Sweeps {
            roles,
            root: 0,
            is_alive: vec![true; graph.len()],
            values: graph.all_goals().to_vec(),
            reach: vec![0.0; graph.len() * 2 * roles],
            flows: vec![0.0; merged.len() * 2 * roles],
            merged,
        }
    }

    /// Restricts iterations to the nodes that can be reached from this one.
    pub(super) fn focus(&mut self, root: usize) {
        if self.root != root {
            self.root = root;
            self.is_alive = self.merged.reachable(root);
        }
    }

    /// The node at which iterations start.
    pub(super) fn root(&self) -> usize {
        self.root
    }

    /// Value of the root for each role under the strategies of the last iteration.
    pub(super) fn values(&self) -> Vec<f64> {
        self.values[self.root * self.roles..(self.root + 1) * self.roles].to_vec()
    }

    pub(super) fn iterate(&mut self, graph: &Graph, tables: &mut Tables, turn: Turn<'_>, step: &Step) {
        let wanted = turn.only.map_or(0..self.roles, |only| only..only + 1);
        self.descend(graph, &tables.mixture, wanted.clone());
        // Values are computed for frozen roles too.
        let valued = if turn.frozen.contains(&true) {
            0..self.roles
        } else {
            wanted
        };
        self.ascend(graph, tables, &Lesson { turn, step, valued });
    }

    /// Downward sweep: reach probabilities, as far as the wanted roles need them.
    fn descend(&mut self, graph: &Graph, mixture: &[f64], wanted: Range<usize>) {
        let (merged, is_alive, root) = (&self.merged, &self.is_alive, self.root);
        let width = 2 * self.roles;
        let mut links_before = 0;
        let mut reach = &mut self.reach[..];
        for level in graph.levels() {
            let runs = &graph.runs()[level.clone()];
            let (before, mut here) = self.flows.split_at_mut(links_before * width);
            let mut tasks = Vec::new();
            for run in runs {
                let mut of_run = take(&mut reach, run.nodes.len() * width);
                for nodes in parts(run) {
                    let links = merged.links(nodes.start).start..merged.links(nodes.end - 1).end;
                    links_before = links.end;
                    let of_nodes = take(&mut of_run, nodes.len() * width);
                    tasks.push((nodes, of_nodes, take(&mut here, links.len() * width)));
                }
            }
            each(runs, tasks, |(nodes, reach, mut flows)| {
                let mut scratch = Scratch::default();
                for (node, reach) in nodes.zip(reach.chunks_mut(width)) {
                    let flows = take(&mut flows, merged.links(node).len() * width);
                    if !is_alive[node] {
                        flows.fill(0.0);
                        continue;
                    }
                    reach.fill(if node == root { 1.0 } else { 0.0 });
                    for &link in merged.parents(node) {
                        let flow = &before[link as usize * width..][..width];
                        reach.iter_mut().zip(flow).for_each(|(reach, flow)| *reach += flow);
                    }
                    let chances = &mixture[all_entries(graph, node)];
                    let pattern = merged.pattern(node);
                    pattern.weigh(chances, &mut scratch);
                    pattern.flows(wanted.clone(), chances, &mut scratch, flows);
                    for flow in flows.chunks_mut(width) {
                        flow.iter_mut().zip(&*reach).for_each(|(flow, reach)| *flow *= reach);
                    }
                }
            });
        }
    }

    /// Upward sweep: values of nodes, and updates of the roles whose turn it is.
    fn ascend(&mut self, graph: &Graph, tables: &mut Tables, lesson: &Lesson<'_>) {
        let (roles, merged, is_alive, reach) = (self.roles, &self.merged, &self.is_alive, &self.reach);
        for level in graph.levels().iter().rev() {
            let runs = &graph.runs()[level.clone()];
            let end = runs[runs.len() - 1].nodes.end;
            let (here, behind) = self.values.split_at_mut(end * roles);
            let mut here = &mut here[runs[0].nodes.start * roles..];
            let Tables { regret, total, mixture } = &mut *tables;
            let mut lists = [regret, total, mixture].map(|list| &mut list[runs[0].first_entry..]);
            let mut tasks = Vec::new();
            for run in runs {
                let mut of_run = take(&mut here, run.nodes.len() * roles);
                if run.work == Work::Settled {
                    of_run.copy_from_slice(&graph.all_goals()[run.nodes.start * roles..run.nodes.end * roles]);
                    for list in &mut lists {
                        take(list, run.nodes.len() * run.entries());
                    }
                }
                for nodes in parts(run) {
                    let lists = lists.each_mut().map(|list| take(list, nodes.len() * run.entries()));
                    tasks.push((run, take(&mut of_run, nodes.len() * roles), nodes, lists));
                }
            }
            let behind = Behind {
                values: behind,
                first: end * roles,
            };
            each(runs, tasks, |(run, of_nodes, nodes, mut lists)| {
                let mut visit = Visit::default();
                for (node, of_node) in nodes.zip(of_nodes.chunks_mut(roles)) {
                    let lists = lists.each_mut().map(|list| take(list, run.entries()));
                    if is_alive[node] {
                        visit.value(graph, merged, node, lesson.valued.clone(), &behind, lists[2], of_node);
                        visit.learn(
                            merged.pattern(node),
                            lists,
                            &reach[node * 2 * roles..][..2 * roles],
                            lesson,
                        );
                    }
                }
            });
        }
    }
}

/// Splits the nodes of a run into parts large enough for a thread; none if there is no work at them.
fn parts(run: &Run) -> impl Iterator<Item = Range<usize>> + use<> {
    let nodes = match run.work {
        Work::Settled => 0..0,
        _ => run.nodes.clone(),
    };
    let (some, end) = ((SOME / run.degree().max(1)).max(1), nodes.end);
    nodes.step_by(some).map(move |start| start..(start + some).min(end))
}

/// Runs all tasks of a level, on several threads if it is large.
fn each<T: Send>(runs: &[Run], tasks: Vec<T>, work: impl Fn(T) + Sync + Send) {
    let joint_moves: usize = runs.iter().map(|run| run.nodes.len() * run.degree()).sum();
    match joint_moves >= MUCH && rayon::current_num_threads() > 1 {
        true => tasks.into_par_iter().for_each(work),
        false => tasks.into_iter().for_each(work),
    }
}

fn all_entries(graph: &Graph, node: usize) -> Range<usize> {
    graph.entries(node, 0).start..graph.entries(node, graph.roles() - 1).end
}

/// The work at a node in the upward sweep.
struct Lesson<'a> {
    turn: Turn<'a>,
    step: &'a Step,
    /// Roles whose values are computed.
    valued: Range<usize>,
}

/// Buffers for the numbers of a node.
#[derive(Default)]
struct Visit {
    scratch: Scratch,
    of_links: Vec<f64>,
    of_moves: Vec<f64>,
    stays: Vec<f64>,
    /// Advantage of the move of each entry over the current strategy of its role.
    gains: Vec<f64>,
}

impl Visit {
    /// Computes the values of a node for some roles, given the probabilities `chances` of its moves.
    #[allow(clippy::too_many_arguments)]
    fn value(
        &mut self,
        graph: &Graph,
        merged: &Merged,
        node: usize,
        roles: Range<usize>,
        behind: &Behind<'_>,
        chances: &[f64],
        of_node: &mut [f64],
    ) {
        let (pattern, children) = (merged.pattern(node), merged.children(node));
        let itself = children.iter().position(|&child| child as usize == node);
        pattern.weigh(chances, &mut self.scratch);
        self.gains.resize(chances.len(), 0.0);
        for role in roles {
            let moves = pattern.moves(role);
            let mean = |list: &[f64]| -> f64 {
                let pairs = chances[moves.clone()].iter().zip(list);
                pairs.map(|(chance, value)| chance * value).sum()
            };
            self.of_links.clear();
            self.of_links
                .extend(children.iter().map(|&child| match child as usize == node {
                    true => 0.0,
                    false => behind.values[child as usize * graph.roles() + role - behind.first],
                }));
            self.of_moves.resize(moves.len(), 0.0);
            pattern.value(role, chances, &self.of_links, &mut self.scratch, &mut self.of_moves);
            let mut value = mean(&self.of_moves);
            if let Some(itself) = itself {
                // After staying roles choose again, so only the value of leaving counts.
                self.of_links.fill(0.0);
                self.of_links[itself] = 1.0;
                self.stays.resize(moves.len(), 0.0);
                pattern.value(role, chances, &self.of_links, &mut self.scratch, &mut self.stays);
                let stay = mean(&self.stays);
                value = match stay < FOR_EVER {
                    true => value / (1.0 - stay),
                    false => graph.endless()[role],
                };
                let pairs = self.of_moves.iter_mut().zip(&self.stays);
                pairs.for_each(|(of_move, stay)| *of_move += stay * value);
            }
            of_node[role] = value;
            let gains = self.gains[moves].iter_mut().zip(&self.of_moves);
            gains.for_each(|(gain, of_move)| *gain = of_move - value);
        }
    }

    /// Updates the roles whose turn it is.
    fn learn(&self, pattern: &Pattern, [regret, total, mixture]: [&mut [f64]; 3], reach: &[f64], lesson: &Lesson<'_>) {
        let roles = reach.len() / 2;
        for role in (0..roles).filter(|&role| lesson.turn.is_on(role)) {
            let moves = pattern.moves(role);
            let lists = [
                &mut regret[moves.clone()],
                &mut total[moves.clone()],
                &mut mixture[moves.clone()],
            ];
            learn::<false>(lists, &self.gains[moves], reach[roles + role], reach[role], lesson.step);
        }
    }
}
