//! Matches with players elsewhere, several at once.
//!
//! A match is played by the only match loop, `ludens_play::play`; here it is shown to spectators as it goes.

use crate::spectate::Hub;
use ludens_play::ggp::{Export, GgpMatch};
use ludens_play::{MatchRecord, Setup, play};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

/// How matches are shown and exported.
#[derive(Clone, Default)]
pub struct Publication {
    /// Where spectators look.
    pub hub: Option<Hub>,
    /// Where the rules are found, for exports.
    pub game_url: String,
    /// Whether players are given scrambled rules.
    pub is_scrambled: bool,
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its number among the setups.
    pub number: usize,
    /// Our record.
    pub record: MatchRecord,
    /// The same in the format of ggp.org.
    pub exchange: GgpMatch,
}

/// Plays a match, shows it to `watch` and to spectators.
pub fn play_match(setup: &Setup, publication: &Publication, watch: &mut dyn FnMut(&MatchRecord)) -> Played {
    let mut export: Option<Export> = None;
    let mut show = |record: &MatchRecord| {
        let export = export.get_or_insert_with(|| {
            Export::new(record, &setup.game, &publication.game_url).with_scrambled(publication.is_scrambled)
        });
        let exchange = export.update(record).clone();
        if let Some(hub) = &publication.hub {
            hub.publish(&exchange);
        }
        exchange
    };
    let record = play(setup, &mut |record| {
        show(record);
        watch(record);
    });
    let exchange = show(&record);
    Played {
        number: 0,
        record,
        exchange,
    }
}

/// Plays matches, so many at once, and hands each over when it is finished.
pub fn play_matches(
    setups: &[Setup],
    at_once: usize,
    publication: &Publication,
    watch: &(dyn Fn(usize, &MatchRecord) + Sync),
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
                    let played = play_match(setup, publication, &mut |record| watch(number, record));
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
