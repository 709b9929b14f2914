//! Notes printed with results.

use ludens_engine::Game;

/// A sentence about an open match of a game whose rules hide information from roles; `None` for other games.
pub fn open_information(game: &Game) -> Option<String> {
    game.hides_information().then(|| {
        format!(
            "{} hides information from its roles (`sees`), but here all players see everything: results say nothing \
             about play with hidden information",
            game.name()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_games_with_sees_have_the_note() {
        let game = |name: &str| Game::read(ludens_library::find(name).unwrap().source()).unwrap();
        let note = open_information(&game("kuhn-poker")).expect("kuhn poker hides cards");
        assert!(note.starts_with("kuhn-poker hides information") && note.contains("see everything"));
        assert_eq!(open_information(&game("tic-tac-toe")), None);
    }
}
