//! Notes printed with results.

use ludens_engine::Game;

/// Note about a game with hidden information, which matches do not hide yet; `None` for other games.
pub fn hidden_information(game: &Game) -> Option<String> {
    game.hides_information().then(|| {
        format!(
            "{} hides information from its roles (`sees`), but for now agents and people see everything: results say \
             nothing about play with hidden information",
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
        let note = hidden_information(&game("kuhn-poker")).expect("kuhn poker hides cards");
        assert!(note.starts_with("kuhn-poker hides information") && note.contains("see everything"));
        assert_eq!(hidden_information(&game("tic-tac-toe")), None);
    }
}
