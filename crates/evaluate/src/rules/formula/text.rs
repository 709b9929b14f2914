//! Formulas as text for people.

use super::{Atom, Formula, Formulas, View};
use ludens_engine::Game;

impl Formulas {
    /// Prints the formula with the names of the game, cut off after `most` characters.
    pub fn text(&self, formula: Formula, game: &Game, most: usize) -> String {
        let mut text = String::new();
        self.write(formula, game, most, &mut text);
        if text.len() > most {
            let end = (0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        text
    }

    fn write(&self, formula: Formula, game: &Game, most: usize, text: &mut String) {
        if text.len() > most {
            return;
        }
        match self.view(formula) {
            View::Constant(value) => text.push_str(if value { "true" } else { "false" }),
            View::Unknown => text.push_str("unknown"),
            View::Leaf { atom, negated } => {
                text.push_str(if negated { "not " } else { "" });
                text.push_str(&atom_text(atom, game));
            }
            View::All(parts) => self.write_parts(" and ", parts, game, most, text),
            View::Any(parts) => self.write_parts(" or ", parts, game, most, text),
        }
    }

    fn write_parts(&self, between: &str, parts: &[Formula], game: &Game, most: usize, text: &mut String) {
        for (number, &part) in parts.iter().enumerate() {
            text.push_str(if number > 0 { between } else { "" });
            let is_nested = matches!(self.view(part), View::All(_) | View::Any(_));
            text.push_str(if is_nested { "(" } else { "" });
            self.write(part, game, most, text);
            text.push_str(if is_nested { ")" } else { "" });
        }
    }
}

/// Returns an atom with the names of the game.
fn atom_text(atom: Atom, game: &Game) -> String {
    match atom {
        Atom::Fluent(fluent) => game.vocabulary().fluent_name(fluent).text.clone(),
        Atom::Move(role, move_id) => format!("{} does {}", game.role_name(role), game.move_text(role, move_id)),
        Atom::Proposition(number) => format!("proposition {number}"),
    }
}
