//! The choice of a playout policy, from the table in `ludens_search`.

use crate::settings::{Choice, Configurable, NamedFile, OneOf, Setting, choice, settings};
use crate::spec::{SpecError, Written};
use ludens_search::mcts::{Draw, PLAYOUT_POLICIES, PlayoutPolicy, PlayoutSettings};

/// A playout policy, and how it samples moves if it does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Playout {
    policy: PlayoutPolicy,
    sampling: Sampling,
}

settings! {
    /// How moves are sampled by the values that a policy gives them.
    #[derive(PartialEq)]
    struct Sampling {
        /// sampling rule: gibbs or epsilon-greedy
        draw: Draw = PlayoutSettings::default().draw, OneOf;
    }
}

choice! {
    impl Draw {
        /// Gibbs sampling: probabilities grow exponentially with the value
        "gibbs": Draw::Gibbs {
            /// temperature in points of score; the lower, the greedier
            tau => temperature = 10.0, 0.01..=1e6;
        };
        /// epsilon-greedy: the best move, but sometimes a random one
        "greedy": Draw::Greedy {
            /// probability of a random move
            epsilon => epsilon = 0.2, 0.0..=1.0;
        };
    }
}

impl Default for Playout {
    fn default() -> Playout {
        PlayoutSettings::default().policy.into()
    }
}

impl From<PlayoutPolicy> for Playout {
    fn from(policy: PlayoutPolicy) -> Playout {
        let sampling = Sampling::default();
        Playout { policy, sampling }
    }
}

impl Playout {
    /// Makes a search use the policy.
    pub(crate) fn apply(&self, playout: &mut PlayoutSettings) {
        playout.policy = self.policy;
        playout.draw = self.sampling.draw;
    }

    fn samples(&self) -> bool {
        let mut entries = PLAYOUT_POLICIES.iter();
        entries.any(|entry| entry.policy == self.policy && entry.draws)
    }
}

impl Choice for Playout {
    fn options() -> Vec<(&'static str, &'static str, Playout)> {
        let entries = PLAYOUT_POLICIES.iter();
        entries
            .map(|entry| (entry.name, entry.help, entry.policy.into()))
            .collect()
    }

    fn name(&self) -> &'static str {
        let entry = PLAYOUT_POLICIES.iter().find(|entry| entry.policy == self.policy);
        entry.map_or("other", |entry| entry.name)
    }
}

impl Configurable for Playout {
    fn settings(&self) -> Vec<Setting> {
        match self.samples() {
            true => self.sampling.settings(),
            false => Vec::new(),
        }
    }

    fn set(&mut self, name: &str, value: &Written) -> Option<Result<(), SpecError>> {
        match self.samples() {
            true => self.sampling.set(name, value),
            false => None,
        }
    }

    fn files(&self) -> Vec<&NamedFile> {
        Vec::new()
    }
}
