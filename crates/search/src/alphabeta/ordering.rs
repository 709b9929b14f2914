//! Move ordering: killer moves and the history heuristic.
//!
//! Also counts how often moves are best where they are legal, by which realisation probability search reduces the depth
//! of unlikely moves.

use super::settings::{History, Likelihood, Settings};
use super::transposition::PLY;
use ludens_engine::{Game, MoveId, Role, RoleMap};

/// Moves by their indices, each with its rank: the lower, the earlier.
pub(super) type Order = Vec<(f64, u32)>;

/// Statistics of a move of a role, wherever it is made.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// Cut-offs that it caused, weighted by depth.
    good: f64,
    /// Times it was tried, weighted by depth.
    tried: f64,
    /// Times it was best.
    best: f64,
    /// Times it was legal.
    available: f64,
    /// The group of moves with the same name.
    group: u32,
    is_grouped: bool,
}

/// The statistics that order moves.
pub(super) struct Ordering {
    history: History,
    uses_killers: bool,
    game: Game,
    records: RoleMap<Vec<Record>>,
    /// For each role the names of moves, each with how often it was best and available.
    groups: RoleMap<Vec<(String, f64, f64)>>,
    /// For each distance from the root the two moves that caused the last cut-offs.
    killers: Vec<[Option<(Role, MoveId)>; 2]>,
}

/// Weight of the statistics of a group against those of the move itself, in tries.
const GROUP_WEIGHT: f64 = 4.0;
/// Ranks above any history, which is at most one.
const HINT: f64 = 4.0;
const KILLER: f64 = 3.0;

impl Ordering {
    pub(super) fn new(game: &Game, settings: &Settings) -> Ordering {
        Ordering {
            history: settings.history,
            uses_killers: settings.killers,
            records: game.roles().map(|_| Vec::new()).collect(),
            groups: game.roles().map(|_| Vec::new()).collect(),
            killers: Vec::new(),
            game: game.clone(),
        }
    }

    /// Starts another search, in which earlier statistics count less.
    pub(super) fn next_search(&mut self) {
        self.killers.clear();
        for record in self.records.values_mut().flatten() {
            record.good /= 8.0;
            record.tried /= 8.0;
        }
    }

    /// Moves, by index, in the order in which to try them; those of equal rank as given.
    pub(super) fn sort(&self, ply: usize, role: Role, moves: &[MoveId], hint: Option<u32>, order: &mut Order) {
        order.clear();
        let killers = self.killers.get(ply).filter(|_| self.uses_killers);
        let most = match self.history {
            History::Absolute => moves
                .iter()
                .map(|&made| self.record(role, made).good)
                .fold(1.0, f64::max),
            _ => 1.0,
        };
        for (index, &made) in moves.iter().enumerate() {
            let record = self.record(role, made);
            let history = match self.history {
                History::None => 0.0,
                History::Absolute => record.good / most,
                History::Relative if record.tried > 0.0 => record.good / record.tried,
                History::Relative => 0.0,
            };
            let is_killer = |number: usize| killers.is_some_and(|killers| killers[number] == Some((role, made)));
            let rank = if hint == Some(index as u32) {
                HINT
            } else if is_killer(0) {
                KILLER
            } else if is_killer(1) {
                KILLER - 1.0
            } else {
                history
            };
            order.push((-rank, index as u32));
        }
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
    }

    /// Records a move that caused a cut-off or was best; `before` were tried before it in vain.
    pub(super) fn reward(
        &mut self,
        ply: usize,
        role: Role,
        made: MoveId,
        before: impl Iterator<Item = MoveId>,
        depth: i32,
    ) {
        let steps = f64::from(depth.max(PLY)) / f64::from(PLY);
        let weight = steps * steps;
        for vain in before {
            self.record_mut(role, vain).tried += weight;
        }
        let record = self.record_mut(role, made);
        record.good += weight;
        record.tried += weight;
        if self.uses_killers {
            if self.killers.len() <= ply {
                self.killers.resize(ply + 1, [None; 2]);
            }
            let killers = &mut self.killers[ply];
            if killers[0] != Some((role, made)) {
                *killers = [Some((role, made)), killers[0]];
            }
        }
    }

    /// Records a move that was best among others.
    pub(super) fn learn(&mut self, role: Role, moves: &[MoveId], best: MoveId) {
        for &made in moves {
            let group = self.group(role, made);
            let is_best = f64::from(u8::from(made == best));
            let record = self.record_mut(role, made);
            record.best += is_best;
            record.available += 1.0;
            let (_, group_best, group_available) = &mut self.groups[role][group];
            *group_best += is_best;
            *group_available += 1.0;
        }
    }

    /// Cost of a move in depth, if likely moves cost less.
    pub(super) fn cost(&mut self, role: Role, made: MoveId, likelihood: &Likelihood) -> i32 {
        let group = self.group(role, made);
        let (_, best, available) = self.groups[role][group];
        // Before anything is known, a move costs one step.
        let of_group = (best + likelihood.base) / (available + 1.0);
        let record = self.record(role, made);
        let share = (record.best + GROUP_WEIGHT * of_group) / (record.available + GROUP_WEIGHT);
        cost_of(share, likelihood)
    }

    fn record(&self, role: Role, made: MoveId) -> Record {
        let known = self.records[role].get(made.0 as usize);
        known.copied().unwrap_or_default()
    }

    fn record_mut(&mut self, role: Role, made: MoveId) -> &mut Record {
        let records = &mut self.records[role];
        let index = made.0 as usize;
        if records.len() <= index {
            records.resize(index + 1, Record::default());
        }
        &mut records[index]
    }

    /// The group of a move.
    fn group(&mut self, role: Role, made: MoveId) -> usize {
        let record = *self.record_mut(role, made);
        if record.is_grouped {
            return record.group as usize;
        }
        let text = self.game.move_text(role, made);
        let name = text.trim_start_matches('(').split(' ').next().unwrap_or_default();
        let groups = &mut self.groups[role];
        let group = match groups.iter().position(|(known, ..)| known == name) {
            Some(known) => known,
            None => {
                groups.push((name.to_string(), 0.0, 0.0));
                groups.len() - 1
            }
        };
        let record = self.record_mut(role, made);
        record.group = group as u32;
        record.is_grouped = true;
        group
    }
}

/// The cost in depth of moves that are the best in this share of the states where they can be made. Hundredths are cut
/// off, as in the table published for Surakarta.
fn cost_of(share: f64, likelihood: &Likelihood) -> i32 {
    let steps = share.ln() / likelihood.base.ln();
    (steps.clamp(likelihood.least, likelihood.most) * f64::from(PLY)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_published_for_surakarta() {
        let likelihood = Likelihood::default();
        // Shares in percent are printed with one decimal, so costs are only known to lie between two.
        let published = [
            (30.4, 85),
            (48.4, 52),
            (1.6, 297),
            (12.9, 147),
            (17.0, 127),
            (0.8, 345),
            (6.7, 194),
            (11.5, 155),
            (2.7, 260),
            (7.4, 188),
            (64.3, 50),
            (47.2, 54),
            (42.7, 61),
        ];
        for (percent, cost) in published {
            let least = cost_of((percent + 0.05) / 100.0, &likelihood);
            let most = cost_of((percent - 0.05) / 100.0, &likelihood);
            assert!((least..=most).contains(&cost), "{percent} %: {least} to {most}");
        }
        assert_eq!(cost_of(0.0, &likelihood), 400);
        assert_eq!(cost_of(1.0, &likelihood), 50);
    }

    #[test]
    fn good_moves_come_first() {
        let rules = ludens_library::find("tic-tac-toe").unwrap();
        let game = Game::read(rules.source()).unwrap();
        let moves = game.machine().legal(Role(0)).to_vec();
        for (history, killers) in [
            (History::Absolute, false),
            (History::Relative, true),
            (History::None, true),
        ] {
            let settings = Settings {
                history,
                killers,
                ..Settings::default()
            };
            let mut ordering = Ordering::new(&game, &settings);
            let mut order = Vec::new();
            ordering.sort(0, Role(0), &moves, None, &mut order);
            let indices: Vec<u32> = order.iter().map(|&(_, index)| index).collect();
            assert_eq!(indices, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
            ordering.reward(0, Role(0), moves[4], moves[..2].iter().copied(), 3 * PLY);
            ordering.reward(0, Role(0), moves[6], std::iter::empty(), 2 * PLY);
            ordering.sort(0, Role(0), &moves, Some(8), &mut order);
            let indices: Vec<u32> = order.iter().take(3).map(|&(_, index)| index).collect();
            match history {
                History::Absolute => assert_eq!(indices, [8, 4, 6]),
                _ => assert_eq!(indices, [8, 6, 4]),
            }
        }
    }

    #[test]
    fn likely_moves_cost_less() {
        let rules = ludens_library::find("tic-tac-toe").unwrap();
        let game = Game::read(rules.source()).unwrap();
        let moves = game.machine().legal(Role(0)).to_vec();
        let mut ordering = Ordering::new(&game, &Settings::default());
        let likelihood = Likelihood::default();
        assert_eq!(ordering.cost(Role(0), moves[4], &likelihood), 100);
        for _ in 0..50 {
            ordering.learn(Role(0), &moves, moves[4]);
        }
        assert_eq!(ordering.cost(Role(0), moves[4], &likelihood), 50);
        // A share of 4 · (50.25 / 451) / 54, of which the logarithm to the base of a quarter is 3.46.
        assert_eq!(ordering.cost(Role(0), moves[3], &likelihood), 346);
    }
}
