//! Who sits where in a round.
//!
//! A round has every seating once in which all players have equally many seats, or as equally as their number allows:
//! with enough players nobody sits twice, and with fewer players than seats the seats are filled up. As these seatings
//! stay the same when players or seats change places, every player sits equally often in every role, and meets every
//! other player equally often in every pair of roles.

/// The greatest number of seatings of a round; with more, a tournament would not end.
pub const MOST_SEATINGS: usize = 100_000;

/// All seatings of a round, in order: for each seat the number of its player. `None` if there are more than
/// [`MOST_SEATINGS`], or no players or seats.
pub fn seatings(players: usize, seats: usize) -> Option<Vec<Vec<usize>>> {
    if players == 0 || seats == 0 {
        return None;
    }
    let mut search = Search {
        seats,
        least: seats / players,
        most: seats.div_ceil(players),
        times: vec![0; players],
        seating: Vec::new(),
        found: Vec::new(),
    };
    search.extend().then_some(search.found)
}

struct Search {
    seats: usize,
    /// How often each player sits at one table, at least and at most.
    least: usize,
    most: usize,
    /// How often each player sits already.
    times: Vec<usize>,
    seating: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search {
    /// Adds all seatings that begin as the present one; false if there are too many.
    fn extend(&mut self) -> bool {
        let free = self.seats - self.seating.len();
        let owed: usize = self.times.iter().map(|&times| self.least.saturating_sub(times)).sum();
        if owed > free {
            return true;
        }
        if free == 0 {
            self.found.push(self.seating.clone());
            return self.found.len() <= MOST_SEATINGS;
        }
        for player in 0..self.times.len() {
            if self.times[player] < self.most {
                self.times[player] += 1;
                self.seating.push(player);
                let goes_on = self.extend();
                self.seating.pop();
                self.times[player] -= 1;
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn small_rounds_are_as_expected() {
        assert_eq!(seatings(2, 2).unwrap(), [[0, 1], [1, 0]]);
        assert_eq!(seatings(3, 1).unwrap(), [[0], [1], [2]]);
        assert_eq!(seatings(3, 2).unwrap().len(), 6);
        assert_eq!(seatings(1, 2).unwrap(), [[0, 0]]);
        let filled = seatings(2, 3).unwrap();
        assert_eq!(filled[..2], [[0, 0, 1], [0, 1, 0]]);
        assert_eq!(filled.len(), 6);
        assert_eq!(seatings(0, 2), None);
        assert_eq!(seatings(2, 0), None);
        assert_eq!(seatings(12, 12), None);
        assert_eq!(seatings(1000, 2), None);
    }

    /// How often each value occurs.
    fn counts<T: Ord>(values: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
        let mut counts = BTreeMap::new();
        values.for_each(|value| *counts.entry(value).or_default() += 1);
        counts
    }

    #[test]
    fn rounds_are_balanced() {
        for players in 1..=6 {
            for seats in 1..=6 {
                let Some(round) = seatings(players, seats) else {
                    panic!("{players} players at {seats} seats are not too many");
                };
                let case = format!("{players} players at {seats} seats");
                assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), round.len(), "{case}");
                for seating in &round {
                    let times = counts(seating.iter());
                    assert_eq!(times.len(), players.min(seats), "{case}");
                    let (least, most) = (times.values().min(), times.values().max());
                    assert!(most.unwrap() - least.unwrap() <= 1, "{case}");
                }
                for seat in 0..seats {
                    let times = counts(round.iter().map(|seating| seating[seat]));
                    assert_eq!(times.len(), players, "{case}");
                    assert_eq!(times.values().collect::<BTreeSet<_>>().len(), 1, "{case}");
                    for other in (0..seats).filter(|&other| other != seat) {
                        let pairs = round.iter().map(|seating| (seating[seat], seating[other]));
                        let times = counts(pairs.filter(|(one, two)| one != two));
                        assert_eq!(times.len(), players * (players - 1), "{case}");
                        assert!(times.values().collect::<BTreeSet<_>>().len() <= 1, "{case}");
                    }
                }
            }
        }
    }
}
