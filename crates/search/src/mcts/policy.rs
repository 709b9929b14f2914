//! Playout policies: how moves are chosen in playouts, and what is learnt from playouts for that.
//!
//! Most policies give a value to each legal move, by which a move is then drawn ([`Draw`]). Values are goals, so that
//! all policies use the same scale. What is learnt belongs to one thread: threads may share the tree, but not this.
//!
//! A new policy is a file with a [`Policy`] and a line in the table below.

mod advised;
mod averages;
mod fast;
mod last_good_reply;
mod mast;
mod nst;
mod past;
mod uniform;

use super::Settings;
use super::backup::Episode;
use super::playout::PlayoutSettings;
pub(super) use advised::rescale;
use averages::Averages;
use ludens_engine::knowledge::Advisor;
use ludens_engine::playout::Choice;
use ludens_engine::{Game, Lanes, MoveId, PlayoutOptions, Rng, Role, State, random_argmax, weighted_index};

/// Makes the enums of all policies and their table out of a list, so that calls in playouts are static.
macro_rules! policies {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// How moves are chosen in playouts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PlayoutPolicy {
            $($(#[$doc])* $name,)*
        }

        /// All playout policies.
        pub const PLAYOUT_POLICIES: &[PolicyEntry] = &[$(PolicyEntry {
            name: <$type>::NAME,
            help: <$type>::HELP,
            policy: PlayoutPolicy::$name,
            draws: <$type>::DRAWS,
        },)*];

        enum AnyPolicy {
            $($name($type),)*
        }

        impl AnyPolicy {
            fn new(game: &Game, settings: &PlayoutSettings) -> AnyPolicy {
                match settings.policy {
                    $(PlayoutPolicy::$name => AnyPolicy::$name(<$type>::new(game, settings)),)*
                }
            }

            fn averages(&self) -> Scope {
                match self {
                    $(AnyPolicy::$name(_) => <$type>::AVERAGES,)*
                }
            }

            fn options(&self) -> PlayoutOptions {
                match self {
                    $(AnyPolicy::$name(_) => <$type>::OPTIONS,)*
                }
            }

            #[inline]
            fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
                match self {
                    $(AnyPolicy::$name(policy) => policy.choose(query, aids, rng),)*
                }
            }

            fn survey(&mut self, role: Role, moves: &[MoveId], lanes: &Lanes<'_>, advisor: &mut dyn Advisor) {
                match self {
                    $(AnyPolicy::$name(policy) => policy.survey(role, moves, lanes, advisor),)*
                }
            }

            fn learn(&mut self, episode: &Episode<'_>) {
                match self {
                    $(AnyPolicy::$name(policy) => policy.learn(episode),)*
                }
            }

            fn refresh(&mut self, averages: &Averages) {
                match self {
                    $(AnyPolicy::$name(policy) => policy.refresh(averages),)*
                }
            }

            fn fade(&mut self, keep: f32) {
                match self {
                    $(AnyPolicy::$name(policy) => policy.fade(keep),)*
                }
            }
        }
    };
}

policies! {
    /// Uniformly at random.
    Uniform: uniform::Uniform,
    /// By the mean result after a move, wherever it was made (MAST).
    Mast: mast::Mast,
    /// MAST over the moves made in the tree only (TO-MAST).
    TreeMast: mast::TreeMast,
    /// By the mean result after a move, separately for every fluent that held when it was made (PAST).
    Past: past::Past,
    /// By the mean results after a move and after sequences that end with it (NST).
    Nst: nst::Nst,
    /// The last good reply to the previous move, uniform without one (last good reply with forgetting).
    Reply: last_good_reply::LastGoodReply,
    /// By what is learnt about the fluents that moves make true (in the manner of FAST).
    Fast: fast::Fast,
    /// By the advisor's evaluation of each move; uniform without an advisor.
    Advised: advised::Advised,
}

/// A playout policy with the words by which users choose it.
pub struct PolicyEntry {
    /// Name in agent specs.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The policy.
    pub policy: PlayoutPolicy,
    /// Whether it gives values to moves, by which [`Draw`] then draws one.
    pub draws: bool,
}

/// A choice of a role among several legal moves in a playout.
pub(super) struct Query<'a> {
    pub(super) role: Role,
    pub(super) legal: &'a [MoveId],
    /// The choices before, the latest last.
    pub(super) before: &'a [Choice],
    /// The state, if the options ask for it.
    pub(super) state: Option<&'a State>,
}

/// Tools that policies share.
struct Aids<'a> {
    averages: &'a Averages,
    drawer: &'a mut Drawer,
    advisor: Option<&'a mut (dyn Advisor + 'static)>,
}

/// The choices of which move averages are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Nothing,
    Tree,
    Playout,
}

/// Chooses moves in playouts.
trait Policy {
    /// Name in agent specs.
    const NAME: &'static str;
    /// One line of help.
    const HELP: &'static str;
    /// Whether it draws by values.
    const DRAWS: bool = true;
    /// Move averages that it needs.
    const AVERAGES: Scope = Scope::Playout;
    /// Playout options that it needs. `lanes` says that it can survey them.
    const OPTIONS: PlayoutOptions;

    fn new(game: &Game, settings: &PlayoutSettings) -> Self;

    /// Returns the index of a move.
    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize;

    /// Prepares for many states at once, in which it chooses next, one after the other.
    fn survey(&mut self, _role: Role, _moves: &[MoveId], _lanes: &Lanes<'_>, _advisor: &mut dyn Advisor) {}

    /// Learns from a finished playout.
    fn learn(&mut self, _episode: &Episode<'_>) {}

    /// Prepares for a round of playouts. Costly values change between rounds only.
    fn refresh(&mut self, _averages: &Averages) {}

    /// Weakens what was learnt, as the match has gone on.
    fn fade(&mut self, _keep: f32) {}
}

/// Options of a policy that chooses moves and learns from choices.
const LEARNING: PlayoutOptions = PlayoutOptions {
    guided: true,
    choices: true,
    states: false,
    lanes: false,
    choice_states: false,
    last_state: false,
    watched_from: None,
    at_most: None,
};

/// The policy of a thread, with move averages. These also serve progressive bias in the tree.
pub(super) struct Policies {
    policy: AnyPolicy,
    averages: Averages,
    scope: Scope,
    drawer: Drawer,
}

impl Policies {
    pub(super) fn new(game: &Game, settings: &Settings) -> Policies {
        let policy = AnyPolicy::new(game, &settings.playout);
        let scope = match policy.averages() {
            Scope::Nothing if settings.selection.progressive_bias > 0.0 => Scope::Playout,
            scope => scope,
        };
        Policies {
            policy,
            averages: Averages::new(game.roles().count()),
            scope,
            drawer: Drawer {
                draw: settings.playout.draw,
                values: Vec::new(),
            },
        }
    }

    /// Playout options that it needs.
    pub(super) fn options(&self) -> PlayoutOptions {
        let options = self.policy.options();
        PlayoutOptions {
            choices: options.choices || self.scope != Scope::Nothing,
            ..options
        }
    }

    /// Prepares for a round of playouts.
    pub(super) fn refresh(&mut self) {
        self.policy.refresh(&self.averages);
    }

    /// Keeps only a share of what was learnt, as the match has gone on.
    pub(super) fn fade(&mut self, keep: f64) {
        self.averages.fade(keep as f32);
        self.policy.fade(keep as f32);
    }

    /// The average goal of a role after one of its moves; `None` if it was never made.
    pub(super) fn average(&self, role: Role, move_id: MoveId) -> Option<f32> {
        self.averages.mean(role, move_id)
    }

    /// Returns the index of the move to make.
    #[inline]
    pub(super) fn choose(
        &mut self,
        query: &Query<'_>,
        advisor: Option<&mut (dyn Advisor + 'static)>,
        rng: &mut Rng,
    ) -> usize {
        let aids = Aids {
            averages: &self.averages,
            drawer: &mut self.drawer,
            advisor,
        };
        self.policy.choose(query, aids, rng)
    }

    /// Asks an advisor about moves in many states at once.
    pub(super) fn survey(&mut self, role: Role, moves: &[MoveId], lanes: &Lanes<'_>, advisor: &mut dyn Advisor) {
        self.policy.survey(role, moves, lanes, advisor);
    }

    /// Learns from a finished playout.
    pub(super) fn learn(&mut self, episode: &Episode<'_>) {
        match self.scope {
            Scope::Nothing => {}
            Scope::Tree => self.averages.learn(&episode.choices[..episode.in_tree], episode.goals),
            Scope::Playout => self.averages.learn(episode.choices, episode.goals),
        }
        self.policy.learn(episode);
    }
}

/// Sampling rule: how a move is drawn by the values of all legal ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// Gibbs sampling: probabilities grow exponentially with the value.
    Gibbs {
        /// Temperature in goal points: the lower, the greedier.
        temperature: f64,
    },
    /// Epsilon-greedy: the best move, or with this probability a uniformly random one.
    Greedy {
        /// Probability of a random move.
        epsilon: f64,
    },
}

/// Draws moves by values.
struct Drawer {
    draw: Draw,
    /// Buffer.
    values: Vec<f32>,
}

impl Drawer {
    /// Draws an index by the value of each move.
    fn draw(&mut self, values: impl Iterator<Item = f32>, rng: &mut Rng) -> usize {
        self.values.clear();
        self.values.extend(values);
        self.draw_filled(rng)
    }

    /// Draws an index by `self.values`.
    fn draw_filled(&mut self, rng: &mut Rng) -> usize {
        match self.draw {
            Draw::Gibbs { temperature } => {
                let greatest = self.values.iter().copied().fold(f32::MIN, f32::max);
                let temperature = temperature.max(1e-3) as f32;
                for value in &mut self.values {
                    *value = ((*value - greatest) / temperature).exp();
                }
                // The weight of the greatest value is 1, so one is drawn.
                weighted_index(self.values.iter().copied(), rng).unwrap_or(0)
            }
            Draw::Greedy { epsilon } if rng.f64() < epsilon => rng.usize(..self.values.len()),
            Draw::Greedy { .. } => random_argmax(self.values.iter().map(|&value| f64::from(value)), rng),
        }
    }
}
