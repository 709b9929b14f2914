//! Standings of players from match results: by game, and over all games.
//!
//! A player that has several seats of a match has the mean of their goals. Outcomes compare a player with the best of
//! the other players of its match; ratings compare it with each of them. Differences are looked at round by round, as
//! within a round all players had the same seats in the same company: how much more one scored in it than the other.
//! Unfinished rounds are left out there.

use super::plan::{Fixture, Plan};
use crate::record::MatchRecord;
use crate::setup::seats;
use ludens_statistics::compare::{Comparison, holm, paired};
use ludens_statistics::mean::Mean;
use ludens_statistics::outcome::{ByGame, Tally};
use ludens_statistics::rating::{Pairings, Ratings, Settings};
use ludens_statistics::{CONFIDENCE, Interval};
use std::collections::BTreeMap;

/// The results of a match that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The number of the match.
    pub number: u64,
    /// Its round.
    pub round: u64,
    /// The number of the game.
    pub game: usize,
    /// For each seat the number of the player.
    pub seating: Vec<usize>,
    /// For each seat the goal, if the match came to its end.
    pub goals: Option<Vec<u8>>,
    /// How many moves failed.
    pub faults: usize,
    /// Number of them for each seat; may be empty if there are none.
    pub failed: Vec<usize>,
}

impl MatchResult {
    /// The result of a match that was played.
    pub fn new(plan: &Plan, fixture: &Fixture, record: &MatchRecord) -> MatchResult {
        let game = plan.games().nth(fixture.game);
        let places = game.map(|game| seats(game).into_iter().map(|role| role.index()));
        let places: Vec<usize> = places.into_iter().flatten().collect();
        let goals = record.goals.as_ref();
        MatchResult {
            number: fixture.number,
            round: fixture.round,
            game: fixture.game,
            seating: fixture.seating.clone(),
            goals: goals.map(|goals| places.iter().map(|&place| goals[place]).collect()),
            faults: record.errors.len(),
            failed: record.seat_faults(),
        }
    }

    /// The players with their scores, in the order of their numbers; nothing without a result.
    fn scores(&self) -> Vec<(usize, f64)> {
        let mut scores: BTreeMap<usize, Mean> = BTreeMap::new();
        for (&player, &goal) in self.seating.iter().zip(self.goals.iter().flatten()) {
            scores.entry(player).or_default().add(f64::from(goal));
        }
        let means = scores.into_iter();
        means
            .filter_map(|(player, mean)| Some((player, mean.mean()?)))
            .collect()
    }
}

/// How a player did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Matches with a result.
    pub matches: u64,
    /// The mean goal; over several games, the mean of the means of the games.
    pub mean_goal: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Outcomes against the best of the others.
    pub tally: Tally,
    /// Number of its moves that failed, also in matches without a result.
    pub failed: u64,
}

/// How two players differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duel {
    /// The first player.
    pub one: usize,
    /// The second player.
    pub other: usize,
    /// Mean goal of the first minus that of the second, over whole rounds.
    pub comparison: Comparison,
    /// The p-value, corrected by Holm's method for all the pairs.
    pub corrected: f64,
}

/// Results in one game, or in all.
#[derive(Clone, Debug)]
pub struct Section {
    /// How each player did, in the order of their numbers.
    pub entries: Vec<Entry>,
    /// Ratings of the players by number.
    pub ratings: Ratings<usize>,
    /// All pairs that can be compared.
    pub duels: Vec<Duel>,
}

/// Results of a tournament, or of the part of it that was played.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Game by game, in the order of their numbers.
    pub games: Vec<Section>,
    /// All games together.
    pub overall: Section,
    /// How many matches were played.
    pub played: u64,
    /// How many of them came to no result; they are not counted otherwise.
    pub without_result: u64,
    /// How many moves failed.
    pub faults: u64,
}

impl Standings {
    /// Counts results. `round_sizes` has the number of matches of a round for each game. The order of results does not
    /// matter.
    pub fn new(round_sizes: &[usize], players: usize, results: &[MatchResult]) -> Standings {
        let mut ordered: Vec<&MatchResult> = results.iter().collect();
        // Sums of floating-point numbers depend on the order.
        ordered.sort_by_key(|result| result.number);
        let rounds = whole_rounds(round_sizes, &ordered);
        let section = |wanted: Option<usize>| {
            let is_wanted = |game: usize| wanted.is_none_or(|wanted| wanted == game);
            let results = ordered.iter().copied().filter(|result| is_wanted(result.game));
            let rounds = rounds.iter().filter(|((_, game), _)| is_wanted(*game));
            Section {
                entries: entries(players, results.clone()),
                ratings: ratings(players, results),
                duels: duels(players, &rounds.map(|(_, means)| means).collect::<Vec<_>>()),
            }
        };
        Standings {
            games: (0..round_sizes.len()).map(|game| section(Some(game))).collect(),
            overall: section(None),
            played: results.len() as u64,
            without_result: results.iter().filter(|result| result.goals.is_none()).count() as u64,
            faults: results.iter().map(|result| result.faults as u64).sum(),
        }
    }
}

fn entries<'a>(players: usize, results: impl Iterator<Item = &'a MatchResult>) -> Vec<Entry> {
    let mut records = vec![ByGame::new(); players];
    let mut failed = vec![0; players];
    for result in results {
        for (&player, &count) in result.seating.iter().zip(&result.failed) {
            failed[player] += count as u64;
        }
        let scores = result.scores();
        for &(player, own) in &scores {
            let others = scores.iter().filter(|(other, _)| *other != player);
            let others: Vec<f64> = others.map(|&(_, score)| score).collect();
            records[player].add(result.game, own, &others);
        }
    }
    let entry = |(record, &failed): (&ByGame<usize>, &u64)| {
        let overall = record.overall();
        Entry {
            matches: overall.scores.count(),
            mean_goal: record.average(),
            interval: match record.games().count() {
                1 => overall.scores.score_interval(CONFIDENCE),
                _ => record.average_interval(CONFIDENCE),
            },
            tally: overall.tally,
            failed,
        }
    };
    records.iter().zip(&failed).map(entry).collect()
}

fn ratings<'a>(players: usize, results: impl Iterator<Item = &'a MatchResult>) -> Ratings<usize> {
    let mut pairings = Pairings::new();
    (0..players).for_each(|player| pairings.add_player(player));
    for result in results {
        pairings.add_match(&result.scores());
    }
    pairings.rate(&Settings::default())
}

/// The mean score of each player in each finished round of each game.
type Rounds = BTreeMap<(u64, usize), BTreeMap<usize, Mean>>;

fn whole_rounds(round_sizes: &[usize], results: &[&MatchResult]) -> Rounds {
    let mut sizes: BTreeMap<(u64, usize), usize> = BTreeMap::new();
    let mut rounds = Rounds::new();
    for result in results.iter().filter(|result| result.goals.is_some()) {
        let round = (result.round, result.game);
        *sizes.entry(round).or_default() += 1;
        for (player, score) in result.scores() {
            rounds.entry(round).or_default().entry(player).or_default().add(score);
        }
    }
    rounds.retain(|round, _| sizes.get(round) == round_sizes.get(round.1));
    rounds
}

fn duels(players: usize, rounds: &[&BTreeMap<usize, Mean>]) -> Vec<Duel> {
    let mut duels = Vec::new();
    for one in 0..players {
        for other in one + 1..players {
            let mean = |round: &BTreeMap<usize, Mean>, player| round.get(player).and_then(Mean::mean);
            let differences = rounds
                .iter()
                .filter_map(|round| Some(mean(round, &one)? - mean(round, &other)?));
            let differences: Vec<f64> = differences.collect();
            if let Some(mut comparison) = paired(&differences, CONFIDENCE) {
                // Few rounds make wide intervals, but goals cannot differ by more than 100.
                comparison.interval = comparison.interval.map(|interval| Interval {
                    low: interval.low.max(-100.0),
                    high: interval.high.min(100.0),
                });
                duels.push(Duel {
                    one,
                    other,
                    comparison,
                    corrected: comparison.p_value,
                });
            }
        }
    }
    let p_values: Vec<f64> = duels.iter().map(|duel| duel.comparison.p_value).collect();
    for (duel, corrected) in duels.iter_mut().zip(holm(&p_values)) {
        duel.corrected = corrected;
    }
    duels
}
