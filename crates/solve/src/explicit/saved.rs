//! Explicit solutions as bytes; see [`file`](crate::file).

use super::outcomes::UNKNOWN;
use super::table::{Content, ExplicitSolution, Numbering};
use crate::Order;
use crate::file::write_fluent;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_artifact::{Broken, Decoder, Encoder};
use ludens_engine::{Fluent, Game};
use ludens_reach::{Coding, PackedStates};
use std::io::{self, Write};

impl ExplicitSolution {
    pub(crate) fn write(&self, game: &Game, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Encoder(out);
        write_coding(self.numbering.coding(), game, &mut out)?;
        match &self.numbering {
            Numbering::Codes(_) => out.number(0)?,
            Numbering::Listed(states) => {
                out.number(1)?;
                out.number(states.len() as u64)?;
                out.list(states.codes(), u64::to_le_bytes)?;
            }
        }
        match &self.content {
            Content::Outcomes {
                goals,
                outcomes,
                distances,
            } => {
                out.number(0)?;
                out.number(goals.len() as u64)?;
                for goals in goals {
                    out.number(goals.len() as u64)?;
                    out.0.write_all(goals)?;
                }
                out.number(outcomes.len() as u64)?;
                out.list(outcomes, u16::to_le_bytes)?;
                out.list(distances, u16::to_le_bytes)
            }
            Content::Shares { values, sum } => {
                out.number(1)?;
                out.number(u64::from(*sum))?;
                out.number(values.len() as u64)?;
                out.list(values, f64::to_le_bytes)
            }
        }
    }

    pub(crate) fn read(game: &Game, order: Order, bytes: &[u8]) -> Result<ExplicitSolution, Broken> {
        let mut input = Decoder(bytes);
        let coding = read_coding(game, &mut input)?;
        let (numbering, states) = match input.number()? {
            0 => {
                let size = coding.size().ok_or(Broken("its codes are not numbers of states"))?;
                (Numbering::Codes(coding), size)
            }
            1 => {
                let width = coding.width();
                let count = input.count(width * 8)?;
                let codes = input.list(count * width, u64::from_le_bytes)?;
                let mut states = PackedStates::new(coding);
                states.insert_all(&codes, |_| ());
                match states.len() == count {
                    true => (Numbering::Listed(states), count as u64),
                    false => return Err(Broken("it lists a state twice")),
                }
            }
            _ => return Err(Broken("its numbering of states is unknown")),
        };
        let content = read_content(game.roles().len(), &mut input)?;
        let length = match &content {
            Content::Outcomes { outcomes, .. } => outcomes.len(),
            Content::Shares { values, .. } => values.len(),
        };
        match (length as u64 == states, input.0.is_empty()) {
            (true, true) => Ok(ExplicitSolution {
                numbering,
                order,
                content,
            }),
            (false, _) => Err(Broken("the number of values is not the number of states")),
            (_, false) => Err(Broken("it goes on after its end")),
        }
    }
}

fn write_coding(coding: &Coding, game: &Game, out: &mut Encoder<'_>) -> io::Result<()> {
    // The bits of states are digits with two values each.
    let bits;
    let digits: Vec<&[Option<Fluent>]> = match coding.is_open() {
        false => coding.digits().collect(),
        true => {
            let known = game.vocabulary().fluent_count().min(coding.width() * 64);
            bits = (0..known as u32)
                .map(|bit| [None, Some(Fluent(bit))])
                .collect::<Vec<_>>();
            bits.iter().map(|digit| &digit[..]).collect()
        }
    };
    out.number(digits.len() as u64)?;
    for fluents in digits {
        out.number(fluents.len() as u64)?;
        for fluent in fluents {
            out.number(u64::from(fluent.is_some()))?;
            if let Some(fluent) = fluent {
                write_fluent(out, game, *fluent)?;
            }
        }
    }
    out.number(coding.always().len() as u64)?;
    let mut always = coding.always().iter();
    always.try_for_each(|&fluent| write_fluent(out, game, fluent))
}

fn read_coding(game: &Game, input: &mut Decoder<'_>) -> Result<Coding, Broken> {
    let vocabulary = game.vocabulary();
    let numbered = (0..vocabulary.fluent_count() as u32).map(Fluent);
    let known: HashMap<String, Fluent, FixedState> = numbered
        .map(|fluent| (vocabulary.fluent_name(fluent).text.clone(), fluent))
        .collect();
    let read = |input: &mut Decoder<'_>| {
        let text = input.text()?;
        let fluent = known.get(text).copied().or_else(|| game.parse_fluent(text));
        fluent.ok_or(Broken("it names a fluent that the game does not have"))
    };
    let mut digits = Vec::new();
    for _ in 0..input.count(8)? {
        let values = input.count(8)?;
        let mut digit = Vec::new();
        for _ in 0..values {
            digit.push(match input.number()? {
                0 => None,
                _ => Some(read(input)?),
            });
        }
        if digit.len() < 2 {
            return Err(Broken("a digit has only one value"));
        }
        digits.push(digit);
    }
    let mut always = Vec::new();
    for _ in 0..input.count(8)? {
        always.push(read(input)?);
    }
    Ok(Coding::of_digits(digits, always))
}

fn read_content(roles: usize, input: &mut Decoder<'_>) -> Result<Content, Broken> {
    match input.number()? {
        0 => {
            let mut goals = Vec::new();
            for _ in 0..input.count(8)? {
                let count = input.count(1)?;
                goals.push(input.bytes(count)?.to_vec());
            }
            let count = input.count(4)?;
            let outcomes = input.list(count, u16::from_le_bytes)?;
            let distances = input.list(count, u16::from_le_bytes)?;
            let is_known = |&outcome: &u16| outcome == UNKNOWN || usize::from(outcome) < goals.len();
            match goals.iter().all(|goals| goals.len() == roles) && outcomes.iter().all(is_known) {
                true => Ok(Content::Outcomes {
                    goals,
                    outcomes,
                    distances,
                }),
                false => Err(Broken("its goals are not those of the game")),
            }
        }
        1 if roles == 2 => {
            let sum = u32::try_from(input.number()?).map_err(|_| Broken("the sum of goals is too large"))?;
            let count = input.count(8)?;
            let values = input.list(count, f64::from_le_bytes)?;
            Ok(Content::Shares { values, sum })
        }
        _ => Err(Broken("its values are of an unknown kind")),
    }
}
