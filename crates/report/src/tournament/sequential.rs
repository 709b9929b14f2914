//! The sequential test of a tournament, round by round.
//!
//! Only whole rounds in their order count, and nothing after the deciding one. So the decision does not depend on which
//! match happened to end first.

use ludens_play::tournament::MatchResult;
use ludens_statistics::outcome::Outcome;
use ludens_statistics::sprt::{Decision, Sprt, Verdict};
use std::collections::BTreeMap;

/// Error rate of each of the two decisions.
const ERROR: f64 = 0.05;

/// A running test.
#[derive(Clone, Debug)]
pub struct SequentialTest {
    sprt: Sprt,
    pub(super) elo0: f64,
    pub(super) elo1: f64,
    /// Incomplete rounds: points, matches with a result, and all matches.
    open: BTreeMap<u64, (f64, u64, u64)>,
    next_round: u64,
    /// Number of rounds by share of the first player, as bits. Shares are not negative, so bits sort like numbers.
    shares: BTreeMap<u64, u64>,
    decided: bool,
}

/// Parses `ELO0,ELO1`.
pub fn parse(text: &str) -> Result<SequentialTest, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let Some([elo0, elo1]) = numbers.as_deref() else {
        return Err("give two numbers, as in 0,20".to_string());
    };
    let sprt = Sprt::new(*elo0, *elo1, ERROR, ERROR);
    let sprt = sprt.ok_or("the first must be below the second, and both from -1000 to 1000")?;
    Ok(SequentialTest {
        sprt,
        elo0: *elo0,
        elo1: *elo1,
        open: BTreeMap::new(),
        next_round: 0,
        shares: BTreeMap::new(),
        decided: false,
    })
}

impl SequentialTest {
    /// Adds a result; returns whether the test has decided. `round_size` is the number of matches per round.
    pub fn add(&mut self, round_size: usize, result: &MatchResult) -> bool {
        let (points, counted, matches) = self.open.entry(result.round).or_default();
        *matches += 1;
        if let Some(share) = share(result) {
            *points += share;
            *counted += 1;
        }
        while !self.decided {
            let Some(&(points, counted, matches)) = self.open.get(&self.next_round) else {
                break;
            };
            if matches < round_size as u64 {
                break;
            }
            if counted > 0 {
                *self.shares.entry((points / counted as f64).to_bits()).or_default() += 1;
            }
            self.next_round += 1;
            self.decided = self.verdict().decision != Decision::Continue;
        }
        self.decided
    }

    pub(super) fn verdict(&self) -> Verdict {
        let shares = self.shares.iter().map(|(&bits, &count)| (f64::from_bits(bits), count));
        self.sprt.verdict_of_shares(&shares.collect::<Vec<_>>())
    }

    /// The deciding round, if any.
    pub fn last_round(&self) -> Option<u64> {
        self.decided.then(|| self.next_round.saturating_sub(1))
    }
}

/// Points of the first player against the second.
fn share(result: &MatchResult) -> Option<f64> {
    let goals = result.goals.as_ref()?;
    let mean = |player: usize| {
        let own = result
            .seating
            .iter()
            .zip(goals)
            .filter(|(seated, _)| **seated == player);
        let own: Vec<f64> = own.map(|(_, &goal)| f64::from(goal)).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    Some(Outcome::of_scores(mean(0)?, mean(1)?).points())
}
