//! The sweeps for two roles with a constant sum, optimised for speed.
//!
//! With a constant sum, the value for the first role is enough. The reach of one role is the counterfactual reach of
//! the other, so a node has two reach probabilities. All nodes of a run have the same shape, so loops over their
//! entries and children are loops over chunks of slices, whose lengths the compiler knows for the most common shapes.
//!
//! With one thread the downward sweep spreads reach and updates regrets at once. With several, nodes gather their reach
//! from their parents instead, in the same order, so that results are bitwise the same.

use super::rule::{Step, learn};
use super::{Tables, Turn};
use crate::graph::{Graph, Run, Work};
use crate::passes::take;
use rayon::prelude::*;

/// Number of joint moves of a level from which on several threads are used, and of the part that one of them takes.
const MUCH: usize = 1 << 14;
const SOME: usize = 1 << 11;

/// Data of nodes within an iteration.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    sum: f64,
    /// Value of each node for the first role.
    values: Vec<f64>,
    /// Advantage of the move of each entry over the current strategy of its role.
    gains: Vec<f64>,
    /// Reach probability of each node, by the moves of each role.
    reach: Vec<[f64; 2]>,
    parents: Option<Parents>,
    /// Assumed value of each node that is its own child: the mean of its values so far, with more weight on recent
    /// iterations. Empty if there is no such node.
    stays: Vec<f64>,
    /// Number of sweeps so far.
    sweeps: f64,
}

/// For each node the entries, one of each role, and the node that lead to it.
#[derive(Clone, Debug)]
struct Parents {
    starts: Vec<u32>,
    steps: Vec<[u32; 3]>,
}

/// Calls a function for the most common shapes with their numbers known to the compiler.
macro_rules! by_shape {
    ($run:expr, $function:ident, ($($argument:expr),*)) => {
        match ($run.shape[0], $run.shape[1], $run.has_loops) {
            (1, 1, false) => $function::<1, 1>($($argument),*),
            (2, 2, false) => $function::<2, 2>($($argument),*),
            (3, 3, false) => $function::<3, 3>($($argument),*),
            (4, 4, false) => $function::<4, 4>($($argument),*),
            (5, 5, false) => $function::<5, 5>($($argument),*),
            (6, 6, false) => $function::<6, 6>($($argument),*),
            (7, 7, false) => $function::<7, 7>($($argument),*),
            _ => $function::<0, 0>($($argument),*),
        }
    };
}

impl Sweeps {
    pub(super) fn new(graph: &Graph, sum: f64, threads: usize) -> Sweeps {
        Sweeps {
            sum,
            values: vec![0.0; graph.len()],
            gains: vec![0.0; graph.entry_count()],
            reach: vec![[0.0; 2]; graph.len()],
            parents: (threads > 1 && graph.transitions() >= MUCH).then(|| Parents::of(graph)),
            stays: match graph.has_loops() {
                true => vec![graph.endless()[0]; graph.len()],
                false => Vec::new(),
            },
            sweeps: 0.0,
        }
    }

    /// Copies goals and estimates from the graph.
    pub(super) fn refresh(&mut self, graph: &Graph) {
        for (value, goals) in self.values.iter_mut().zip(graph.all_goals().chunks(2)) {
            *value = goals[0];
        }
    }

    /// The sum of the goals of both roles.
    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    /// Value of the root for each role under the strategies of the last iteration.
    pub(super) fn values(&self) -> Vec<f64> {
        vec![self.values[0], self.sum - self.values[0]]
    }

    pub(super) fn iterate(&mut self, graph: &Graph, tables: &mut Tables, turn: Turn<'_>, step: &Step) {
        self.evaluate(graph, &tables.mixture);
        match (&self.parents, step.is_plain()) {
            (None, true) => descend::<true>(self, graph, tables, turn, step),
            (None, false) => descend::<false>(self, graph, tables, turn, step),
            (Some(_), true) => self.gather_and_learn::<true>(graph, tables, turn, step),
            (Some(_), false) => self.gather_and_learn::<false>(graph, tables, turn, step),
        }
    }

    /// Upward sweep: values of nodes and advantages of moves.
    fn evaluate(&mut self, graph: &Graph, mixture: &[f64]) {
        self.sweeps += 1.0;
        let rate = 2.0 / (self.sweeps + 1.0);
        let has_loops = !self.stays.is_empty();
        for runs in graph.levels().iter().rev() {
            let runs = &graph.runs()[runs.clone()];
            let live: Vec<&Run> = runs.iter().filter(|run| run.work != Work::Settled).collect();
            let (Some(first), Some(last)) = (live.first(), live.last()) else {
                continue;
            };
            let work: usize = live.iter().map(|run| run.nodes.len() * run.degree()).sum();
            let is_much = self.parents.is_some() && work >= MUCH;
            let behind = last.nodes.end;
            let (here, values) = self.values.split_at_mut(behind);
            let mut here = &mut here[first.nodes.start..];
            let mut stays = self.stays.get_mut(first.nodes.start..).unwrap_or_default();
            let mut gains = &mut self.gains[first.first_entry..];
            // Live runs come first in their level, one after the other.
            let mut tasks = Vec::new();
            for run in live {
                let some = if is_much {
                    (SOME / run.degree()).max(1)
                } else {
                    run.nodes.len()
                };
                for start in run.nodes.clone().step_by(some) {
                    let count = some.min(run.nodes.end - start);
                    let part = run.part(start, count);
                    let task = Valuing {
                        children: &graph.all_children()[part.children],
                        mixture: &mixture[part.entries.clone()],
                        gains: take(&mut gains, part.entries.len()),
                        here: take(&mut here, count),
                        stays: take(&mut stays, if has_loops { count } else { 0 }),
                        rate,
                        values,
                        behind,
                        run,
                        first: start,
                    };
                    match is_much {
                        true => tasks.push(task),
                        false => task.run(),
                    }
                }
            }
            tasks.into_par_iter().for_each(Valuing::run);
        }
    }

    /// Gathers reach from the parents, level by level, then updates the regrets of all nodes.
    fn gather_and_learn<const PLAIN: bool>(&mut self, graph: &Graph, tables: &mut Tables, turn: Turn<'_>, step: &Step) {
        let Some(parents) = &self.parents else {
            return;
        };
        self.reach[0] = [1.0; 2];
        for runs in graph.levels().iter().skip(1) {
            let runs = &graph.runs()[runs.clone()];
            let nodes = runs[0].nodes.start..runs[runs.len() - 1].nodes.end;
            let (before, here) = self.reach.split_at_mut(nodes.start);
            let here = &mut here[..nodes.len()];
            let gather = |(number, reach): (usize, &mut [f64; 2])| {
                *reach = parents.reach(nodes.start + number, before, &tables.mixture);
            };
            match nodes.len() >= SOME {
                true => here.par_iter_mut().with_min_len(SOME / 4).enumerate().for_each(gather),
                false => here.iter_mut().enumerate().for_each(gather),
            }
        }
        let (reach, gains) = (&self.reach, &self.gains);
        let mut lists = [&mut tables.regret[..], &mut tables.total[..], &mut tables.mixture[..]];
        let mut before = 0;
        let mut tasks = Vec::new();
        for run in graph.runs().iter().filter(|run| run.work != Work::Settled) {
            let some = (SOME / run.degree()).max(1);
            lists.iter_mut().for_each(|list| {
                take(list, run.first_entry - before);
            });
            for start in run.nodes.clone().step_by(some) {
                let count = some.min(run.nodes.end - start);
                let part = run.part(start, count);
                let [regret, total, mixture] = &mut lists;
                let length = part.entries.len();
                tasks.push(Learning {
                    run,
                    regret: take(regret, length),
                    total: take(total, length),
                    mixture: take(mixture, length),
                    gains: &gains[part.entries.clone()],
                    reach: &reach[start..start + count],
                });
                before = part.entries.end;
            }
        }
        tasks.into_par_iter().for_each(|task| task.run::<PLAIN>(turn, step));
    }
}

/// Where the entries and children of some nodes of a run are.
struct Part {
    entries: std::ops::Range<usize>,
    children: std::ops::Range<usize>,
}

impl Run {
    fn part(&self, start: usize, count: usize) -> Part {
        let place = start - self.nodes.start;
        let range = |first: usize, each: usize| first + place * each..first + (place + count) * each;
        Part {
            entries: range(self.first_entry, self.entries()),
            children: range(self.first_child, self.degree()),
        }
    }
}

/// Nodes whose values are computed.
struct Valuing<'a> {
    run: &'a Run,
    first: usize,
    children: &'a [u32],
    mixture: &'a [f64],
    gains: &'a mut [f64],
    here: &'a mut [f64],
    /// Assumed values of nodes that are their own children; empty if there are none.
    stays: &'a mut [f64],
    /// Weight of the last value in it.
    rate: f64,
    /// Values of the nodes from `behind` on.
    values: &'a [f64],
    behind: usize,
}

impl Valuing<'_> {
    fn run(self) {
        let run = self.run;
        by_shape!(run, value, (self));
    }
}

/// Computes the values of nodes; zeros for the shape mean that it is not known at compile time.
fn value<const M: usize, const N: usize>(task: Valuing<'_>) {
    let (m, n) = match M {
        0 => (task.run.shape[0] as usize, task.run.shape[1] as usize),
        _ => (M, N),
    };
    let nodes = task.children.chunks_exact(m * n).zip(task.mixture.chunks_exact(m + n));
    let results = task.gains.chunks_exact_mut(m + n).zip(task.here);
    for (number, ((children, mixture), (gains, here))) in nodes.zip(results).enumerate() {
        let (rows, columns) = mixture.split_at(m);
        let (of_rows, of_columns) = gains.split_at_mut(m);
        if M == 0 && task.run.has_loops {
            // The value of choosing again changes slowly, so that regrets have a stable target.
            let stay = &mut task.stays[number];
            let child = |place: usize| match children[place] as usize {
                child if child == task.first + number => *stay,
                child => task.values[child - task.behind],
            };
            *here = value_by(child, rows, columns, of_rows, of_columns);
            *stay += task.rate * (*here - *stay);
            continue;
        }
        of_columns.fill(0.0);
        let mut mean = 0.0;
        for row in 0..m {
            let mut of_row = 0.0;
            for column in 0..n {
                let value = task.values[children[row * n + column] as usize - task.behind];
                of_row += columns[column] * value;
                of_columns[column] += rows[row] * value;
            }
            of_rows[row] = of_row;
            mean += rows[row] * of_row;
        }
        of_rows.iter_mut().for_each(|gain| *gain -= mean);
        of_columns.iter_mut().for_each(|gain| *gain = mean - *gain);
        *here = mean;
    }
}

/// The same for a single node; a function gives the values of its children.
fn value_by(
    child: impl Fn(usize) -> f64,
    rows: &[f64],
    columns: &[f64],
    of_rows: &mut [f64],
    of_columns: &mut [f64],
) -> f64 {
    of_columns.fill(0.0);
    let mut mean = 0.0;
    for (row, &in_row) in rows.iter().enumerate() {
        let mut of_row = 0.0;
        for (column, &in_column) in columns.iter().enumerate() {
            let value = child(row * columns.len() + column);
            of_row += in_column * value;
            of_columns[column] += in_row * value;
        }
        of_rows[row] = of_row;
        mean += in_row * of_row;
    }
    of_rows.iter_mut().for_each(|gain| *gain -= mean);
    of_columns.iter_mut().for_each(|gain| *gain = mean - *gain);
    mean
}

/// Downward sweep: spreads reach and updates regrets.
fn descend<const PLAIN: bool>(sweeps: &mut Sweeps, graph: &Graph, tables: &mut Tables, turn: Turn<'_>, step: &Step) {
    sweeps.reach[0] = [1.0; 2];
    for run in graph.runs().iter().filter(|run| run.work != Work::Settled) {
        match PLAIN {
            true => by_shape!(run, descend_plain, (run, sweeps, graph, tables, turn, step)),
            false => by_shape!(run, descend_weighed, (run, sweeps, graph, tables, turn, step)),
        }
    }
}

fn descend_plain<const M: usize, const N: usize>(
    run: &Run,
    sweeps: &mut Sweeps,
    graph: &Graph,
    tables: &mut Tables,
    turn: Turn<'_>,
    step: &Step,
) {
    descend_run::<M, N, true>(run, sweeps, graph, tables, turn, step);
}

fn descend_weighed<const M: usize, const N: usize>(
    run: &Run,
    sweeps: &mut Sweeps,
    graph: &Graph,
    tables: &mut Tables,
    turn: Turn<'_>,
    step: &Step,
) {
    descend_run::<M, N, false>(run, sweeps, graph, tables, turn, step);
}

#[inline(always)]
fn descend_run<const M: usize, const N: usize, const PLAIN: bool>(
    run: &Run,
    sweeps: &mut Sweeps,
    graph: &Graph,
    tables: &mut Tables,
    turn: Turn<'_>,
    step: &Step,
) {
    let (m, n) = match M {
        0 => (run.shape[0] as usize, run.shape[1] as usize),
        _ => (M, N),
    };
    let part = run.part(run.nodes.start, run.nodes.len());
    let children = graph.all_children()[part.children].chunks_exact(m * n);
    let entries = part.entries;
    let regrets = tables.regret[entries.clone()].chunks_exact_mut(m + n);
    let totals = tables.total[entries.clone()].chunks_exact_mut(m + n);
    let mixtures = tables.mixture[entries.clone()].chunks_exact_mut(m + n);
    let gains = sweeps.gains[entries].chunks_exact(m + n);
    let lists = regrets.zip(totals).zip(mixtures).zip(gains);
    for (number, (children, (((regret, total), mixture), gain))) in children.zip(lists).enumerate() {
        let node = run.nodes.start + number;
        let [first, second] = std::mem::take(&mut sweeps.reach[node]);
        if first == 0.0 && second == 0.0 && PLAIN {
            // Nothing changes here or below on this path.
            continue;
        }
        if run.work == Work::Choices {
            let (rows, columns) = mixture.split_at(m);
            for row in 0..m {
                let own = first * rows[row];
                for column in 0..n {
                    let child = children[row * n + column] as usize;
                    if M == 0 && child == node {
                        continue;
                    }
                    let reach = &mut sweeps.reach[child];
                    reach[0] += own;
                    reach[1] += second * columns[column];
                }
            }
        }
        learn_node::<PLAIN>(m, [regret, total, mixture], gain, [first, second], turn, step);
    }
}

#[inline(always)]
fn learn_node<const PLAIN: bool>(
    m: usize,
    [regret, total, mixture]: [&mut [f64]; 3],
    gain: &[f64],
    [first, second]: [f64; 2],
    turn: Turn<'_>,
    step: &Step,
) {
    let (regret_rows, regret_columns) = regret.split_at_mut(m);
    let (total_rows, total_columns) = total.split_at_mut(m);
    let (rows, columns) = mixture.split_at_mut(m);
    let (gain_rows, gain_columns) = gain.split_at(m);
    if turn.is_on(0) {
        learn::<PLAIN>([regret_rows, total_rows, rows], gain_rows, second, first, step);
    }
    if turn.is_on(1) {
        learn::<PLAIN>(
            [regret_columns, total_columns, columns],
            gain_columns,
            first,
            second,
            step,
        );
    }
}

/// Nodes whose regrets are updated.
struct Learning<'a> {
    run: &'a Run,
    regret: &'a mut [f64],
    total: &'a mut [f64],
    mixture: &'a mut [f64],
    gains: &'a [f64],
    reach: &'a [[f64; 2]],
}

impl Learning<'_> {
    fn run<const PLAIN: bool>(self, turn: Turn<'_>, step: &Step) {
        let (m, entries) = (self.run.shape[0] as usize, self.run.entries());
        let lists = self
            .regret
            .chunks_exact_mut(entries)
            .zip(self.total.chunks_exact_mut(entries));
        let lists = lists
            .zip(self.mixture.chunks_exact_mut(entries))
            .zip(self.gains.chunks_exact(entries));
        for ((((regret, total), mixture), gain), &reach) in lists.zip(self.reach) {
            if reach == [0.0; 2] && PLAIN {
                continue;
            }
            learn_node::<PLAIN>(m, [regret, total, mixture], gain, reach, turn, step);
        }
    }
}

impl Parents {
    fn of(graph: &Graph) -> Parents {
        let size = graph.len();
        let mut counts = vec![0u32; size + 1];
        let steps = |tell: &mut dyn FnMut(usize, [u32; 3])| {
            for run in graph.runs().iter().filter(|run| run.work == Work::Choices) {
                for node in run.nodes.clone() {
                    let (first, second) = (graph.entries(node, 0), graph.entries(node, 1));
                    for (place, &child) in graph.children(node).iter().enumerate() {
                        let (row, column) = (place / second.len(), place % second.len());
                        if child as usize != node {
                            let step = [(first.start + row) as u32, (second.start + column) as u32, node as u32];
                            tell(child as usize, step);
                        }
                    }
                }
            }
        };
        steps(&mut |child, _| counts[child + 1] += 1);
        for node in 0..size {
            counts[node + 1] += counts[node];
        }
        let starts = counts.clone();
        let mut list = vec![[0; 3]; counts[size] as usize];
        steps(&mut |child, step| {
            list[counts[child] as usize] = step;
            counts[child] += 1;
        });
        Parents { starts, steps: list }
    }

    fn reach(&self, node: usize, before: &[[f64; 2]], mixture: &[f64]) -> [f64; 2] {
        let mut reach = [0.0; 2];
        for &[row, column, parent] in &self.steps[self.starts[node] as usize..self.starts[node + 1] as usize] {
            let [first, second] = before[parent as usize];
            reach[0] += first * mixture[row as usize];
            reach[1] += second * mixture[column as usize];
        }
        reach
    }
}
