//! Runs matches with remote players, several at once.
//!
//! Matches use the match loop, `ludens_play::Match`; spectators observe them.

use crate::spectate::LatestMatches;
use ludens_play::ggp::{Export, GgpMatch};
use ludens_play::{Match, MatchEvent, MatchRecord, Observer, Setup};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

/// How matches are published and exported.
#[derive(Clone, Default)]
pub struct Publication {
    /// Matches for spectators, if any.
    pub hub: Option<LatestMatches>,
    /// URL of the rules, for exports.
    pub game_url: String,
    /// Whether players get scrambled rules.
    pub is_scrambled: bool,
}

/// A finished match.
#[derive(Clone, Debug)]
pub struct Played {
    /// Index of its setup.
    pub number: usize,
    /// The record.
    pub record: MatchRecord,
    /// The record in the format of ggp.org.
    pub exchange: GgpMatch,
}

/// Observer that exports a match and publishes every step.
struct Publisher<'a> {
    export: Export,
    hub: Option<&'a LatestMatches>,
}

impl Observer for Publisher<'_> {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        self.export.observe(event);
        let is_step = !matches!(event, MatchEvent::Started { .. } | MatchEvent::Fault { .. });
        if let Some(hub) = self.hub.filter(|_| is_step) {
            hub.publish(self.export.current());
        }
    }
}

/// Plays a match; spectators and `observer` follow it.
pub fn play_match(setup: &Setup, publication: &Publication, observer: &mut dyn Observer) -> Played {
    let seated = Match::new(setup);
    let mut recorder = seated.recorder();
    let export = Export::new(seated.header(), &setup.game, &publication.game_url);
    let mut publisher = Publisher {
        export: export.with_scrambled(publication.is_scrambled),
        hub: publication.hub.as_ref(),
    };
    seated.run(&mut [&mut recorder, &mut publisher, observer]);
    Played {
        number: 0,
        record: recorder.into_record(),
        exchange: publisher.export.into_match(),
    }
}

/// Plays matches, up to `at_once` at a time, and hands each over when it ends. `watch` gets the events of each match
/// with its index.
pub fn play_matches(
    setups: &[Setup],
    at_once: usize,
    publication: &Publication,
    watch: &(dyn Fn(usize, &MatchEvent<'_>) + Sync),
    finished: &mut dyn FnMut(Played),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel(64);
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, setups.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(setup) = setups.get(number).filter(|setup| !setup.budget.is_cancelled()) else {
                        return;
                    };
                    let played = play_match(setup, publication, &mut |event: &MatchEvent<'_>| watch(number, event));
                    if sender.send(Played { number, ..played }).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver.into_iter().for_each(finished);
    });
}
