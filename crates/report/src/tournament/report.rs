//! Results of a tournament, as tables and as JSON.

use super::Description;
use super::sequential::SequentialTest;
use crate::grouped;
use ludens_play::tournament::{Duel, Entry, MatchResult, Section, Standings};
use ludens_statistics::Interval;
use ludens_statistics::sprt::Decision;
use serde::Serialize;

/// Significance level for corrected p-values.
const SIGNIFICANT: f64 = 0.05;

/// A tournament, or the part of it that was played.
pub struct Report {
    /// What the results depend on.
    pub description: Description,
    /// The standings.
    pub standings: Standings,
    /// Number of planned matches.
    planned: u64,
    test: Option<SequentialTest>,
}

/// Results of a player as JSON.
#[derive(Serialize)]
pub struct PlayerLine {
    player: String,
    matches: u64,
    mean_goal: Option<f64>,
    ci95: Option<[f64; 2]>,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Number of faulty moves, replaced by random ones.
    failed: u64,
}

#[derive(Serialize)]
struct RatingLine {
    player: String,
    elo: f64,
    ci95: [f64; 2],
}

#[derive(Serialize)]
struct ComparisonLine {
    players: [String; 2],
    difference: f64,
    ci95: Option<[f64; 2]>,
    p_value: f64,
    corrected_p_value: f64,
}

#[derive(Serialize)]
struct GameLine {
    game: String,
    players: Vec<PlayerLine>,
    ratings: Vec<RatingLine>,
    comparisons: Vec<ComparisonLine>,
}

#[derive(Serialize)]
struct TestLine {
    elo0: f64,
    elo1: f64,
    llr: f64,
    lower: f64,
    upper: f64,
    decision: &'static str,
}

/// A tournament as JSON.
#[derive(Serialize)]
pub struct ReportJson {
    games: Vec<GameLine>,
    overall: Vec<PlayerLine>,
    ratings: Vec<RatingLine>,
    comparisons: Vec<ComparisonLine>,
    sprt: Option<TestLine>,
    seed: u64,
    planned: u64,
    played: u64,
    without_result: u64,
    faults: u64,
    notes: Vec<String>,
}

/// A table with its heading, for text and HTML.
pub struct Grid {
    /// Names of the columns.
    pub header: Vec<&'static str>,
    /// Rows, with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Report {
    /// Makes the report of these results. `planned` is the number of matches of the whole tournament.
    pub fn new(
        description: Description,
        planned: u64,
        results: Vec<MatchResult>,
        test: Option<SequentialTest>,
    ) -> Report {
        let standings = Standings::new(&description.round_sizes(), description.players.len(), &results);
        Report {
            description,
            standings,
            planned,
            test,
        }
    }

    /// Whether all matches, or enough for a sequential test, were played and have a result, and no player failed.
    /// Failures make a report incomplete because random moves count for the player.
    pub fn is_complete(&self) -> bool {
        let is_decided = self.test.as_ref().is_some_and(|test| test.last_round().is_some());
        let is_sound = self.standings.without_result == 0 && self.standings.faults == 0;
        is_sound && (is_decided || self.standings.played >= self.planned)
    }

    /// The JSON form.
    pub fn json(&self) -> ReportJson {
        let names = self.description.games.iter().zip(&self.standings.games);
        let games = names.map(|(game, section)| GameLine {
            game: game.name.clone(),
            players: self.players(section),
            ratings: self.ratings(section),
            comparisons: self.comparisons(section),
        });
        ReportJson {
            games: games.collect(),
            overall: self.players(&self.standings.overall),
            ratings: self.ratings(&self.standings.overall),
            comparisons: self.comparisons(&self.standings.overall),
            sprt: self.test.as_ref().map(test_line),
            seed: self.description.seed,
            planned: self.planned,
            played: self.standings.played,
            without_result: self.standings.without_result,
            faults: self.standings.faults,
            notes: self.notes_on_games(),
        }
    }

    /// Caveats about results in some games.
    fn notes_on_games(&self) -> Vec<String> {
        let notes = self.description.games.iter().filter_map(|game| game.note.clone());
        notes.collect()
    }

    fn name(&self, player: usize) -> String {
        self.description.players[player].clone()
    }

    fn players(&self, section: &Section) -> Vec<PlayerLine> {
        let line = |(player, entry): (usize, &Entry)| PlayerLine {
            player: self.name(player),
            matches: entry.matches,
            mean_goal: entry.mean_goal,
            ci95: entry.interval.map(ends),
            wins: entry.tally.wins,
            draws: entry.tally.draws,
            losses: entry.tally.losses,
            failed: entry.failed,
        };
        section.entries.iter().enumerate().map(line).collect()
    }

    fn ratings(&self, section: &Section) -> Vec<RatingLine> {
        let rated = section.ratings.by_strength().iter();
        let rated = rated.filter(|rating| rating.matches > 0);
        let line = rated.map(|rating| RatingLine {
            player: self.name(rating.player),
            elo: rating.elo,
            ci95: ends(rating.interval),
        });
        line.collect()
    }

    fn comparisons(&self, section: &Section) -> Vec<ComparisonLine> {
        let line = |duel: &Duel| ComparisonLine {
            players: [self.name(duel.one), self.name(duel.other)],
            difference: duel.comparison.difference,
            ci95: duel.comparison.interval.map(ends),
            p_value: duel.comparison.p_value,
            corrected_p_value: duel.corrected,
        };
        section.duels.iter().map(line).collect()
    }

    /// All games and, if there are several, their total.
    pub fn sections(&self) -> Vec<(String, &Section)> {
        let names = self.description.games.iter().map(|game| game.name.clone());
        let mut sections: Vec<(String, &Section)> = names.zip(&self.standings.games).collect();
        if sections.len() > 1 {
            sections.push((format!("All {} games", sections.len()), &self.standings.overall));
        }
        sections
    }

    /// Players of a section, best first, with a column for failures if there are any.
    pub fn standing_grid(&self, section: &Section) -> Grid {
        let mut order: Vec<usize> = (0..section.entries.len()).collect();
        let goal = |player: usize| section.entries[player].mean_goal.unwrap_or(-1.0);
        order.sort_by(|&one, &other| goal(other).total_cmp(&goal(one)));
        let has_failures = section.entries.iter().any(|entry| entry.failed > 0);
        let rows = order.into_iter().map(|player| {
            let entry = &section.entries[player];
            let rating = section.ratings.get(&player).filter(|rating| rating.matches > 0);
            let mut row = vec![
                self.name(player),
                entry.matches.to_string(),
                entry.mean_goal.map_or_else(none, |mean| format!("{mean:.1}")),
                entry.interval.map_or_else(none, |interval| range(interval, 1)),
                entry.tally.wins.to_string(),
                entry.tally.draws.to_string(),
                entry.tally.losses.to_string(),
                rating.map_or_else(none, |rating| format!("{:.0}", rating.elo)),
                rating.map_or_else(none, |rating| range(rating.interval, 0)),
            ];
            row.extend(has_failures.then(|| entry.failed.to_string()));
            row
        });
        let header = [
            "player",
            "matches",
            "mean goal",
            "95 %",
            "wins",
            "draws",
            "losses",
            "Elo",
            "95 %",
        ];
        let failed = has_failures.then_some("failed");
        Grid {
            header: header.into_iter().chain(failed).collect(),
            rows: rows.collect(),
        }
    }

    /// Pairs of players of a section, with their mean goals side by side.
    pub fn duel_grid(&self, section: &Section) -> Grid {
        let goal = |player: usize| {
            section.entries[player]
                .mean_goal
                .map_or_else(none, |mean| format!("{mean:.1}"))
        };
        let rows = section.duels.iter().map(|duel| {
            vec![
                format!("{} × {}", self.name(duel.one), self.name(duel.other)),
                format!("{} × {}", goal(duel.one), goal(duel.other)),
                format!("{:+.1}", duel.comparison.difference),
                duel.comparison
                    .interval
                    .map_or_else(none, |interval| range(interval, 1)),
                probability(duel.comparison.p_value),
                probability(duel.corrected),
                if duel.corrected < SIGNIFICANT { "yes" } else { "no" }.to_string(),
            ]
        });
        let header = [
            "players",
            "mean goals",
            "difference",
            "95 %",
            "p",
            "corrected",
            "significant",
        ];
        Grid {
            header: header.to_vec(),
            rows: rows.collect(),
        }
    }

    /// Further notes, one line each.
    pub fn notes(&self) -> Vec<String> {
        let Standings {
            played,
            without_result,
            faults,
            ..
        } = self.standings;
        let mut notes = vec![format!(
            "{} of {} played, seed {}",
            played,
            counted(self.planned, "match", "matches"),
            self.description.seed
        )];
        if without_result > 0 {
            notes.push(format!(
                "{without_result} of them without a result, which are not counted"
            ));
        }
        if faults > 0 {
            notes.push(format!(
                "{} failed; random moves were made instead and are counted above as the player's own",
                counted(faults, "move", "moves")
            ));
        }
        if let Some(test) = self.test.as_ref().map(test_line) {
            notes.push(format!(
                "sequential test of {} against {} Elo: {} (LLR {:.2}, from {:.2} to {:.2})",
                test.elo0, test.elo1, test.decision, test.llr, test.lower, test.upper
            ));
        }
        notes.extend(self.notes_on_games().into_iter().map(|note| format!("note: {note}")));
        notes
    }
}

fn test_line(test: &SequentialTest) -> TestLine {
    let verdict = test.verdict();
    TestLine {
        elo0: test.elo0,
        elo1: test.elo1,
        llr: verdict.llr,
        lower: verdict.lower,
        upper: verdict.upper,
        decision: match verdict.decision {
            Decision::Continue => "undecided",
            Decision::AcceptH0 => "elo0",
            Decision::AcceptH1 => "elo1",
        },
    }
}

fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

fn none() -> String {
    "-".to_string()
}

fn range(interval: Interval, digits: usize) -> String {
    format!("{:.digits$} to {:.digits$}", interval.low, interval.high)
}

fn probability(value: f64) -> String {
    match value < 0.0005 {
        true => "< 0.001".to_string(),
        false => format!("{value:.3}"),
    }
}

/// A count with its noun, e.g. `1 match` or `5,478 matches`.
fn counted(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(u128::from(number)))
}
