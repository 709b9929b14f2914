//! Solutions in files, and moves as text, for the commands that use them.

use crate::output::{Failure, counted};
use anyhow::{Context, anyhow};
use ludens_engine::{Game, Machine, MoveId, Role};
use ludens_solve::Solution;
use std::path::Path;

/// A solution with its game, from a file.
pub(crate) fn load(path: &Path) -> Result<(Game, Solution), Failure> {
    let shown = path.display();
    let wanted = |game: &dyn std::fmt::Display| {
        format!("a solution file is wanted here; `ludens solve {game} --save FILE` writes one")
    };
    if let Some(entry) = path.to_str().filter(|_| !path.exists()).and_then(ludens_library::find) {
        return Err(anyhow!("{shown} is a game of the library: {}", wanted(&entry.name)).into());
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}: {}", wanted(&"GAME")))?;
    let rules =
        Solution::rules(&bytes).map_err(|error| anyhow!("{shown} cannot be used: {error}; {}", wanted(&"GAME")))?;
    let game = Game::read(rules).map_err(|error| anyhow!("{shown} cannot be used: {error}"))?;
    let solution = Solution::read(&game, &bytes).map_err(|error| anyhow!("{shown} cannot be used: {error}"))?;
    Ok((game, solution))
}

/// The joint move that a text means where a machine stands: one move for each role, or the move of the only role that has
/// a choice.
pub(crate) fn joint(game: &Game, machine: &mut dyn Machine, text: &str) -> Result<Vec<MoveId>, String> {
    if machine.is_terminal() {
        return Err(format!("`{text}` cannot be made: the match is over"));
    }
    let roles: Vec<Role> = game.roles().collect();
    let choosers: Vec<Role> = roles
        .iter()
        .copied()
        .filter(|&role| machine.legal(role).len() > 1)
        .collect();
    let found = joint_of(game, machine, text, &roles, &choosers);
    match (found, &choosers[..]) {
        (Ok(joint), _) => Ok(joint),
        // A move may be written without its outer parentheses, as at the prompt of `ludens play`.
        (Err(cause), &[chooser]) => {
            let bare = format!("({text})");
            let moves = roles
                .iter()
                .map(|&role| legal(game, machine, role, (role == chooser).then_some(&*bare)));
            moves
                .collect::<Result<_, _>>()
                .map_err(|unknown| match text.contains('(') {
                    true => cause,
                    false => unknown,
                })
        }
        (Err(cause), _) => Err(cause),
    }
}

/// The joint move of a text in which every move is one term.
fn joint_of(
    game: &Game,
    machine: &mut dyn Machine,
    text: &str,
    roles: &[Role],
    choosers: &[Role],
) -> Result<Vec<MoveId>, String> {
    let terms = terms(text)?;
    let texts: Vec<Option<&str>> = match (terms.len(), choosers) {
        (count, _) if count == roles.len() => terms.into_iter().map(Some).collect(),
        (1, []) => roles.iter().map(|_| None).collect(),
        (1, [chooser]) => roles.iter().map(|role| (role == chooser).then_some(terms[0])).collect(),
        (count, _) => {
            return Err(format!(
                "`{text}` is {}, for {} of which {} a choice",
                counted(count, "term"),
                counted(roles.len(), "role"),
                match choosers.len() {
                    0 => "none has".to_string(),
                    1 => "1 has".to_string(),
                    several => format!("{several} have"),
                }
            ));
        }
    };
    roles
        .iter()
        .zip(texts)
        .map(|(&role, text)| legal(game, machine, role, text))
        .collect()
}

/// The legal move of a role that a text means, or the only one.
pub(crate) fn legal(game: &Game, machine: &mut dyn Machine, role: Role, text: Option<&str>) -> Result<MoveId, String> {
    let moves = machine.legal(role).to_vec();
    let name = game.role_name(role);
    match (text, &moves[..]) {
        (None, [only]) => Ok(*only),
        (None, _) => Err(format!("{name} has no move")),
        (Some(text), _) => {
            let meant = game.parse_move(role, text).filter(|meant| moves.contains(meant));
            meant.ok_or_else(|| {
                let some: Vec<String> = moves.iter().take(8).map(|&known| game.move_text(role, known)).collect();
                let more = if moves.len() > 8 { ", ..." } else { "" };
                format!(
                    "`{text}` is no legal move of {name} here; these are: {}{more}",
                    some.join(", ")
                )
            })
        }
    }
}

/// The terms of a text, one after the other.
fn terms(text: &str) -> Result<Vec<&str>, String> {
    let mut terms = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    for (at, letter) in text.char_indices() {
        let ends = depth == 0 && (letter.is_whitespace() || letter == '(');
        if let Some(first) = start.filter(|_| ends) {
            terms.push(&text[first..at]);
            start = None;
        }
        if start.is_none() && !letter.is_whitespace() {
            start = Some(at);
        }
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth
                    .checked_sub(1)
                    .ok_or_else(|| format!("`{text}` has a parenthesis too many"))?
            }
            _ => {}
        }
        if letter == ')' && depth == 0 {
            terms.extend(start.take().map(|first| &text[first..=at]));
        }
    }
    terms.extend(start.map(|first| &text[first..]));
    match depth {
        0 => Ok(terms),
        _ => Err(format!("`{text}` lacks a closing parenthesis")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart() {
        assert_eq!(terms("(mark 1 1) noop").unwrap(), ["(mark 1 1)", "noop"]);
        assert_eq!(terms(" noop(mark 1 (f 2))x ").unwrap(), ["noop", "(mark 1 (f 2))", "x"]);
        assert_eq!(terms("").unwrap(), Vec::<&str>::new());
        assert!(terms("(mark 1").is_err() && terms("mark)").is_err());
    }
}
