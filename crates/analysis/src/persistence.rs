//! Fluents that keep a value once they have it.
//!
//! Playouts refute: a fluent that changed back keeps nothing. For the rest, the form of the rules comes first: if every
//! rule that makes a fluent hold next has the fluent as a condition, it never comes back, and if holding is enough to
//! hold next, it never goes. The SAT solver decides the others, over all steps that the proved groups of exclusive
//! fluents allow.

use crate::cnf::Step;
use crate::formula::Literal;
use crate::sample::Sample;
use crate::{Latch, Verdict, exclusive, sample};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Circuit, Fluent, Game};
use ludens_ground::network::{Lit, Network};

/// Candidates per question to the solver: proofs of earlier ones stay when the time is over.
const TOGETHER: usize = 256;
/// Maximum number of literals visited per fluent to read from the rules what it keeps.
const MOST_LITERALS: usize = 20_000;
/// The same for all fluents together.
const MOST_LITERALS_OF_ALL: usize = 50_000_000;
/// Number of literals visited even if the time is over: it takes milliseconds.
const FEW_LITERALS: usize = 200_000;

/// For every fluent whether it keeps a value once it has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Persistence {
    /// By fluent: whether it stays false, and whether it stays true.
    verdicts: Vec<[Verdict; 2]>,
}

impl Persistence {
    /// Whether the fluent keeps this value once it has it.
    pub fn stays(&self, fluent: Fluent, value: bool) -> Verdict {
        let verdicts = self.verdicts.get(fluent.0 as usize);
        verdicts.map_or(Verdict::Unknown, |verdicts| verdicts[usize::from(value)])
    }

    /// The fluents that are proved to keep a value, with the value; those that never change are left out.
    pub fn latches(&self) -> impl Iterator<Item = Latch> + '_ {
        self.of(Verdict::Yes)
    }

    /// Number of fluents with this verdict on keeping a value.
    pub fn count(&self, value: bool, verdict: Verdict) -> usize {
        let verdicts = self.verdicts.iter();
        verdicts.filter(|known| known[usize::from(value)] == verdict).count()
    }

    fn of(&self, verdict: Verdict) -> impl Iterator<Item = Latch> + '_ {
        let fluents = (0..).map(Fluent).zip(&self.verdicts);
        fluents.flat_map(move |(fluent, verdicts)| {
            let values = [true, false].into_iter();
            // A fluent that keeps both values never changes: the network is built without it.
            let is_constant = *verdicts == [Verdict::Yes; 2];
            values
                .filter(move |&value| verdicts[usize::from(value)] == verdict && !is_constant)
                .map(move |value| Latch { fluent, value })
        })
    }
}

/// Decides for every fluent whether it keeps a value; `None` if the game is not compiled. When the budget is spent,
/// what is not proved stays unknown. This is a part of [`analyse`](crate::analyse).
pub fn persistence(game: &Game, budget: &Budget) -> Option<Persistence> {
    let circuit = game.engine().circuit()?;
    let sample = sample::sample(game, budget);
    let mut persistence = begin(circuit, &sample, budget);
    if persistence.of(Verdict::Unknown).next().is_some()
        && let Ok(mut step) = Step::new(circuit, budget)
    {
        // Groups cost more than all else, so they come only where nothing less will do.
        let found = prove(&mut step, &mut persistence);
        if found.is_some() && persistence.of(Verdict::Unknown).next().is_some() {
            let candidates = exclusive::candidates(circuit, &sample, &|| step.is_late());
            if exclusive::prove(&mut step, candidates, &circuit.program.initial).is_some() {
                prove(&mut step, &mut persistence);
            }
        }
    }
    Some(persistence)
}

/// Reads off what playouts and the form of the rules show, within the time.
pub(crate) fn begin(circuit: &Circuit, sample: &Sample, budget: &Budget) -> Persistence {
    let network = &circuit.network;
    let mut next = vec![Lit::FALSE; network.fluents];
    for &(fluent, lit) in &network.next {
        next[fluent.index()] = lit;
    }
    let mut verdicts: Vec<[Verdict; 2]> = circuit
        .constant_fluents
        .iter()
        .map(|constant| match constant {
            Some(_) => [Verdict::Yes; 2],
            None => [Verdict::Unknown; 2],
        })
        .collect();
    let len = verdicts.len().div_ceil(64);
    let (mut went, mut came) = (vec![0u64; len], vec![0u64; len]);
    for (before, after) in sample.steps() {
        for (word, (went, came)) in went.iter_mut().zip(&mut came).enumerate() {
            let of = |state: &ludens_engine::State| state.words().get(word).copied().unwrap_or(0);
            *went |= of(before) & !of(after);
            *came |= !of(before) & of(after);
        }
    }
    let is_over = |literals| literals > MOST_LITERALS_OF_ALL || literals > FEW_LITERALS && budget.is_spent();
    let mut literals = 0;
    for (number, verdicts) in verdicts.iter_mut().enumerate() {
        if verdicts[0] == Verdict::Yes {
            continue;
        }
        let fluent = Lit(2 * (1 + number as u32));
        // Keeping false is: what holds next held before. Keeping true is: what does not hold next did not hold before.
        let questions = [
            (next[number], fluent, &came),
            (next[number].negated(), fluent.negated(), &went),
        ];
        for (verdict, (from, to, changed)) in verdicts.iter_mut().zip(questions) {
            if changed[number / 64] >> (number % 64) & 1 == 1 {
                *verdict = Verdict::No;
            } else if !is_over(literals) && implies(network, from, to, &mut literals) {
                *verdict = Verdict::Yes;
            }
        }
    }
    Persistence { verdicts }
}

/// Whether one literal can only hold where another does, as far as the gates between them show. Adds how many literals
/// were looked at.
fn implies(network: &Network, from: Lit, to: Lit, looked_at: &mut usize) -> bool {
    let mut known: HashMap<Lit, Option<bool>, FixedState> = HashMap::default();
    let mut open = vec![from];
    while let Some(&lit) = open.last() {
        let gate = lit.node().checked_sub(network.first_gate());
        let answer = match gate {
            _ if lit == to || lit == Lit::FALSE => Some(true),
            None => Some(false),
            Some(gate) => {
                let parts = network.gates[gate].map(|part| match lit.is_negated() {
                    true => part.negated(),
                    false => part,
                });
                let of = |part: Lit| known.get(&part).copied();
                match (lit.is_negated(), of(parts[0]), of(parts[1])) {
                    // A conjunction: one part is enough.
                    (false, Some(Some(true)), _) | (false, _, Some(Some(true))) => Some(true),
                    // A disjunction: both are needed.
                    (true, Some(Some(false)), _) | (true, _, Some(Some(false))) => Some(false),
                    (is_any, Some(Some(_)), Some(Some(_))) => Some(is_any),
                    (_, first, second) => {
                        let missing = parts.into_iter().zip([first, second]);
                        for (part, known_part) in missing.filter(|(_, known)| known.is_none()).take(1) {
                            debug_assert!(known_part.is_none());
                            known.insert(part, None);
                            open.push(part);
                        }
                        None
                    }
                }
            }
        };
        if answer.is_some() {
            known.insert(lit, answer);
            open.pop();
        } else if known.len() > MOST_LITERALS {
            break;
        }
    }
    *looked_at += known.len();
    known.get(&from).copied().flatten() == Some(true)
}

/// Asks the solver about everything that is unknown; `None` if the time is over before the end.
pub(crate) fn prove(step: &mut Step, persistence: &mut Persistence) -> Option<()> {
    let open: Vec<Latch> = persistence.of(Verdict::Unknown).collect();
    for latches in open.chunks(TOGETHER) {
        let mut candidates: Vec<(Latch, Literal)> = latches.iter().map(|&latch| (latch, loses(step, latch))).collect();
        loop {
            let broken: Vec<Literal> = candidates.iter().map(|&(_, loses)| loses).collect();
            let some_broken = step.some_of(&broken);
            if !step.is_possible(&[step.play, some_broken])? {
                break;
            }
            candidates.retain(|(latch, _)| {
                let now = step.holds(step.fluent(latch.fluent.0));
                let next = step.holds(step.next[latch.fluent.0 as usize]);
                now != latch.value || next == latch.value
            });
        }
        for (latch, _) in candidates {
            persistence.verdicts[latch.fluent.0 as usize][usize::from(latch.value)] = Verdict::Yes;
        }
    }
    Some(())
}

/// A literal that holds only where a fluent has a value now and not next.
fn loses(step: &mut Step, latch: Latch) -> Literal {
    let now = step.fluent(latch.fluent.0);
    let next = step.next[latch.fluent.0 as usize];
    let (has, keeps) = match latch.value {
        true => (now, next),
        false => (!now, !next),
    };
    let loses = step.fresh();
    step.clause(&[!loses, has]);
    step.clause(&[!loses, !keeps]);
    loses
}
