//! The moves of a game as relations between states.
//!
//! There is one relation for each joint move, and it mentions only the bits that the move changes. In turn-taking games
//! nearly all joint moves are a move of one role together with moves of the others that do nothing; the moves of a role
//! that do nothing are treated as one.

use super::diagram::{Diagrams, Set};
use super::encoding::Encoding;
use super::gates::{Gates, with_number};
use ludens_analysis::Analysis;
use ludens_budget::StopReason;
use ludens_engine::Circuit;
use ludens_ground::network::Lit;

/// A joint move.
pub struct Relation {
    /// States with their successors.
    pub set: Set,
    /// The only role whose move has an effect; `None` if there are none or several.
    pub mover: Option<usize>,
}

/// A move of a role, or all its moves that do nothing.
struct Choice {
    /// The node of the move; `None` for those that do nothing.
    node: Option<usize>,
    legal: Set,
}

/// The game as sets and relations.
pub struct Model {
    /// The joint moves.
    pub relations: Vec<Relation>,
    /// Terminal states, in parts.
    terminal: Vec<Set>,
    /// States in which every role has a legal move.
    pub playable: Set,
    /// Whose turn it is.
    pub turns: Turns,
    /// States in which every number of the encoding is valid. Play stays within them, because the groups are proved.
    pub valid: Set,
    /// The initial state.
    pub initial: Set,
}

/// Which role chooses in which states.
pub enum Turns {
    /// At most one role has a move with an effect: the mover of a relation chooses it. The sets are the states in which
    /// each role has such moves.
    Divided(Vec<Set>),
    /// Legal moves must be counted: the sets are the states in which each role has several.
    Counted(Vec<Set>),
}

/// Maximum number of joint moves.
const MOST_RELATIONS: usize = 200_000;

/// Maximum number of nodes of a part of the terminal states.
const LARGE_PART: u64 = 1_000_000;

/// Why there is no model.
pub enum Refusal {
    /// A limit was hit.
    Stop(StopReason),
    /// The game is not of the right kind.
    Unsuitable(String),
}

impl From<StopReason> for Refusal {
    fn from(stop: StopReason) -> Refusal {
        Refusal::Stop(stop)
    }
}

impl Model {
    /// Builds all sets and relations.
    pub fn new(
        diagrams: &Diagrams,
        circuit: &Circuit,
        analysis: &Analysis,
        encoding: &Encoding,
    ) -> Result<Model, Refusal> {
        let network = &*circuit.network;
        let mut gates = Gates::new(diagrams, circuit, encoding)?;
        let valid = valid(diagrams, encoding)?;
        let mut options: Vec<Vec<Choice>> = Vec::new();
        let mut playable = diagrams.all();
        for (role, legal) in network.legal.iter() {
            let lits: Vec<Lit> = legal.iter().map(|&(_, lit)| lit).collect();
            let sets = gates.of_state(&lits)?;
            let mut idle = diagrams.none();
            let mut of_role = Vec::new();
            for (&(number, _), set) in legal.iter().zip(&sets) {
                match analysis.noops(role).contains(&number) {
                    true => idle = diagrams.or(&idle, set)?,
                    false => of_role.push(Choice {
                        node: Some(network.first_move(role) + number.index()),
                        legal: set.clone(),
                    }),
                }
            }
            playable = diagrams.and(&playable, &diagrams.union(sets)?)?;
            of_role.push(Choice {
                node: None,
                legal: idle,
            });
            options.push(of_role);
        }
        let mut builder = Builder {
            diagrams,
            encoding,
            next: vec![Lit::FALSE; network.fluents],
            gates,
            valid,
            relations: Vec::new(),
        };
        for &(fluent, lit) in &network.next {
            builder.next[fluent.index()] = lit;
        }
        let all = builder.valid.clone();
        builder.combine(&options, 0, &mut Vec::new(), &all, &diagrams.all())?;
        let turns = builder.turns(&options)?;
        let Builder {
            mut gates,
            relations,
            valid,
            ..
        } = builder;
        let terminal = match network.terminal {
            Some(lit) => gates.in_parts(lit, LARGE_PART)?,
            None => Vec::new(),
        };
        let mut words = Vec::new();
        let state = ludens_engine::State::new(circuit.program.initial.iter().copied());
        encoding.write(&state, &mut words);
        let initial = single(diagrams, &words)?;
        Ok(Model {
            relations,
            terminal,
            playable,
            turns,
            valid,
            initial,
        })
    }

    /// Returns the non-terminal states of a set.
    pub fn live(&self, diagrams: &Diagrams, set: &Set) -> Result<Set, StopReason> {
        let mut live = set.clone();
        for part in &self.terminal {
            live = diagrams.minus(&live, part)?;
        }
        Ok(live)
    }
}

/// Goals of terminal states. They are separate because these sets are large in some games and not needed to find
/// states.
pub struct Goals {
    /// Goal values of each role with the states that have them.
    of_roles: Vec<Vec<(u8, Set)>>,
}

impl Goals {
    /// Builds all sets.
    pub fn new(diagrams: &Diagrams, circuit: &Circuit, encoding: &Encoding) -> Result<Goals, StopReason> {
        let mut gates = Gates::new(diagrams, circuit, encoding)?;
        let goals = circuit.network.goals.values();
        let of_roles = goals.map(|values| scores(diagrams, &mut gates, values));
        Ok(Goals {
            of_roles: of_roles.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the terminal states of a set by their goals.
    pub fn outcomes(&self, diagrams: &Diagrams, terminal: &Set) -> Result<Vec<(Vec<u8>, Set)>, StopReason> {
        let mut outcomes = vec![(Vec::new(), terminal.clone())];
        for values in &self.of_roles {
            let mut finer = Vec::new();
            for (goals, set) in &outcomes {
                for (value, scoring) in values {
                    let both = diagrams.and(set, scoring)?;
                    if !diagrams.is_empty(&both) {
                        let mut goals: Vec<u8> = goals.clone();
                        goals.push(*value);
                        finer.push((goals, both));
                    }
                }
            }
            outcomes = finer;
        }
        Ok(outcomes)
    }
}

/// Returns the set of one state.
pub fn single(diagrams: &Diagrams, words: &[u64]) -> Result<Set, StopReason> {
    let mut set = diagrams.all();
    for bit in (0..diagrams.bits()).rev() {
        let has = diagrams.bit(bit)?;
        let fits = match words[bit / 64] >> (bit % 64) & 1 {
            0 => diagrams.not(&has),
            _ => has,
        };
        set = diagrams.and(&set, &fits)?;
    }
    Ok(set)
}

/// Returns the states in which every number of the encoding is valid.
fn valid(diagrams: &Diagrams, encoding: &Encoding) -> Result<Set, StopReason> {
    let mut valid = diagrams.all();
    for placed in encoding.groups.iter().rev() {
        let first = u32::from(placed.group.exactly_one);
        let numbers = (0..placed.group.fluents.len() as u32 + 1 - first)
            .map(|number| with_number(diagrams, placed.bits(), number));
        let numbers: Vec<Set> = numbers.collect::<Result<_, _>>()?;
        valid = diagrams.and(&valid, &diagrams.union(numbers)?)?;
    }
    Ok(valid)
}

/// Returns the states in which a role scores each of its goal values, in increasing order: the first that holds in the
/// order of the network, or 0 if none does.
fn scores(diagrams: &Diagrams, gates: &mut Gates<'_>, values: &[(u8, Lit)]) -> Result<Vec<(u8, Set)>, StopReason> {
    let lits: Vec<Lit> = values.iter().map(|&(_, lit)| lit).collect();
    let sets = gates.of_state(&lits)?;
    let mut rest = diagrams.all();
    let mut scores: Vec<(u8, Set)> = Vec::new();
    for (&(value, _), set) in values.iter().zip(&sets) {
        let here = diagrams.and(&rest, set)?;
        rest = diagrams.minus(&rest, set)?;
        match scores.last_mut() {
            Some((last, known)) if *last == value => *known = diagrams.or(known, &here)?,
            _ => scores.push((value, here)),
        }
    }
    scores.sort_by_key(|&(value, _)| value);
    match scores.first_mut() {
        Some((0, known)) => *known = diagrams.or(known, &rest)?,
        _ => scores.insert(0, (0, rest)),
    }
    Ok(scores)
}

struct Builder<'a> {
    diagrams: &'a Diagrams,
    encoding: &'a Encoding,
    gates: Gates<'a>,
    /// For each fluent whether it holds next.
    next: Vec<Lit>,
    valid: Set,
    relations: Vec<Relation>,
}

impl Builder<'_> {
    /// Enumerates the joint moves that can be legal together; `legal` are the states in which those chosen so far are
    /// legal, and `possible` the valid ones among them.
    fn combine(
        &mut self,
        options: &[Vec<Choice>],
        role: usize,
        chosen: &mut Vec<(usize, usize)>,
        possible: &Set,
        legal: &Set,
    ) -> Result<(), Refusal> {
        if role == options.len() {
            if self.relations.len() >= MOST_RELATIONS {
                return Err(Refusal::Unsuitable(format!(
                    "it has more than {MOST_RELATIONS} joint moves"
                )));
            }
            let mover = match chosen[..] {
                [(role, _)] => Some(role),
                _ => None,
            };
            let nodes: Vec<usize> = chosen.iter().map(|&(_, node)| node).collect();
            if let Some(set) = self.relation(&nodes, legal)? {
                self.relations.push(Relation { set, mover });
            }
            return Ok(());
        }
        for option in &options[role] {
            let possible = self.diagrams.and(possible, &option.legal)?;
            if self.diagrams.is_empty(&possible) {
                continue;
            }
            let legal = self.diagrams.and(legal, &option.legal)?;
            let length = chosen.len();
            chosen.extend(option.node.map(|node| (role, node)));
            self.combine(options, role + 1, chosen, &possible, &legal)?;
            chosen.truncate(length);
        }
        Ok(())
    }

    /// Returns the relation of a joint move: where it is legal, and the next values of the bits that it changes.
    fn relation(&mut self, moves: &[usize], legal: &Set) -> Result<Option<Set>, StopReason> {
        let diagrams = self.diagrams;
        let step = self.gates.step(moves);
        let care = diagrams.and(legal, &self.valid)?;
        let mut changes: Vec<(usize, Set)> = Vec::new();
        for placed in &self.encoding.groups {
            let fluents = &placed.group.fluents;
            let lits: Vec<Lit> = fluents.iter().map(|fluent| self.next[fluent.0 as usize]).collect();
            let stays = fluents
                .iter()
                .zip(&lits)
                .all(|(fluent, &lit)| step.resolve(lit) == Lit((1 + fluent.0) << 1));
            if stays {
                continue;
            }
            let next = self.gates.of_step(&lits, &step)?;
            for (bit, weight) in placed.bits() {
                let with_weight = (0..fluents.len()).filter(|&place| placed.group.code(place) & weight != 0);
                let becomes = diagrams.union(with_weight.map(|place| next[place].clone()))?;
                let is = diagrams.bit(bit)?;
                if diagrams.and(&care, &becomes)? != diagrams.and(&care, &is)? {
                    changes.push((bit, becomes));
                }
            }
        }
        let mut relation = legal.clone();
        for (bit, becomes) in changes.iter().rev() {
            let change = diagrams.equal(&diagrams.next_bit(*bit)?, becomes)?;
            relation = diagrams.and(&relation, &change)?;
        }
        Ok((!diagrams.is_empty(&relation)).then_some(relation))
    }

    /// Finds which role chooses in which states.
    fn turns(&self, options: &[Vec<Choice>]) -> Result<Turns, StopReason> {
        let diagrams = self.diagrams;
        let mut active = Vec::new();
        let mut before = diagrams.none();
        let mut is_divided = true;
        for of_role in options {
            let doing = of_role.iter().filter(|choice| choice.node.is_some());
            let doing = diagrams.union(doing.map(|choice| choice.legal.clone()))?;
            let doing = diagrams.and(&doing, &self.valid)?;
            is_divided &= diagrams.is_empty(&diagrams.and(&before, &doing)?);
            before = diagrams.or(&before, &doing)?;
            active.push(doing);
        }
        if is_divided {
            return Ok(Turns::Divided(active));
        }
        let mut several = Vec::new();
        for of_role in options {
            let (mut one, mut two) = (diagrams.none(), diagrams.none());
            for choice in of_role {
                two = diagrams.or(&two, &diagrams.and(&one, &choice.legal)?)?;
                one = diagrams.or(&one, &choice.legal)?;
            }
            several.push(two);
        }
        Ok(Turns::Counted(several))
    }
}
