//! Reads the texts of ground programs and propositional networks.

use crate::ids::{Fluent, MoveId, Proposition, Role, RoleMap};
use crate::names::{Named, Names};
use crate::network::{Block, Lit, Network};
use crate::program::{Body, Condition, GroundProgram, Signal};
use crate::verify::{self, Defect};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::Term;
use ludens_gdl::rule::{Atom, Formula, Rule, goal_value};
use ludens_gdl::{Diagnostic, Notation, Source, Span, Symbol, Symbols, build, keyword, read};
use std::sync::Arc;

/// Reason why a text is not a ground program or network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A statement cannot be understood.
    #[error("line {line}, column {column}: {problem}")]
    Statement {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The problem there.
        problem: String,
    },
    /// The whole is not sound.
    #[error(transparent)]
    Unsound(#[from] Defect),
}

type Reading<T> = Result<T, TextError>;

/// Reads a ground program, with the names that its terms are made of.
pub fn read_program(source: &Source) -> Reading<(GroundProgram, Symbols)> {
    let text = Text::read(source)?;
    let mut program = GroundProgram::default();
    program.names = text.names.clone();
    program.initial.clone_from(&text.initial);
    let mut outputs = Outputs::new(&text);
    let mut instances: Vec<(Proposition, Body)> = Vec::new();
    let mut propositions = 0;
    let mut proposition = |atom: &Atom| -> Option<Reading<Proposition>> {
        let number = text.number(atom, 'p')?;
        if number > source.text().len() {
            return Some(text.error(atom.span, "there are fewer propositions than that"));
        }
        propositions = propositions.max(number + 1);
        Some(Ok(Proposition(number as u32)))
    };
    for rule in text.rules() {
        if let Some(head) = proposition(&rule.head) {
            let mut conditions = Vec::new();
            for formula in &rule.body {
                let (atom, negated) = text.literal(formula)?;
                let signal = match proposition(atom) {
                    Some(other) => Signal::Derived(other?),
                    None => text.input(atom)?,
                };
                conditions.push(Condition { signal, negated });
            }
            conditions.sort_unstable();
            conditions.dedup();
            instances.push((head?, program.bodies.intern(&conditions)));
            continue;
        }
        let [Formula::Atom(atom)] = &rule.body[..] else {
            return text.error(rule.span, "an output is one proposition");
        };
        match proposition(atom) {
            Some(target) => outputs.add(&text, rule, target?)?,
            None => return text.error(atom.span, "an output is one proposition"),
        }
    }
    // Instances of a proposition keep their order.
    instances.sort_by_key(|&(proposition, _)| proposition);
    let ends = (0..propositions).map(|index| instances.partition_point(|(of, _)| of.index() <= index) as u32);
    let ends = ends.collect();
    program.set_sorted_instances(ends, instances.into_iter().map(|(_, body)| body).collect());
    program.terminal = outputs.terminal;
    program.legal = outputs.legal;
    program.goals = outputs.goals;
    program.next = outputs.next;
    program.percepts = outputs.percepts;
    verify::program(&program)?;
    Ok((program, text.symbols))
}

/// Reads a propositional network, with the names that its terms are made of.
pub fn read_network(source: &Source) -> Reading<(Network, Symbols)> {
    let text = Text::read(source)?;
    let heads = || text.rules().map(|rule| &rule.head);
    let mut network = Network {
        fluents: text.names.fluents.len(),
        moves: text.names.moves.values().map(Vec::len).collect(),
        latches: heads().filter(|head| text.number(head, 'l').is_some()).count(),
        names: text.names.clone(),
        initial: text.initial.clone(),
        ..Network::default()
    };
    let gates = heads().filter(|head| text.number(head, 'g').is_some()).count();
    let mut outputs = Outputs::new(&text);
    // The blocks of the state and those of the moves, and which of them is being read.
    let mut blocks = [Vec::new(), Vec::new()];
    let mut at = 0;
    for rule in text.rules() {
        let head = &rule.head;
        if let Some((is_of_moves, is_once)) = text.block(head) {
            at = usize::from(is_of_moves);
            let gates = network.gates.len()..network.gates.len();
            blocks[at].push(match is_once {
                true => Block::Once(gates),
                false => Block::UntilStable(gates, Vec::new()),
            });
            continue;
        }
        let lits: Reading<Vec<Lit>> = rule
            .body
            .iter()
            .map(|formula| text.lit(&network, gates, formula))
            .collect();
        match (
            text.number(head, 'g'),
            text.number(head, 'l'),
            &lits?[..],
            blocks[at].last_mut(),
        ) {
            (Some(gate), _, &[a, b], Some(Block::Once(range) | Block::UntilStable(range, _)))
                if gate == network.gates.len() =>
            {
                network.gates.push([a, b]);
                range.end = network.gates.len();
            }
            (Some(_), ..) => return text.error(rule.span, "a gate has two inputs, the next number and a block"),
            (_, Some(latch), &[input], Some(Block::UntilStable(_, latches))) if latch < network.latches => {
                latches.push(((network.first_latch() + latch) as u32, input));
            }
            (_, Some(_), ..) => return text.error(rule.span, "a latch has one input and stands in `until-stable`"),
            (None, None, &[target], _) => outputs.add(&text, rule, target)?,
            _ => return text.error(rule.span, "an output is one node"),
        }
    }
    [network.state_blocks, network.move_blocks] = blocks;
    network.terminal = outputs.terminal;
    network.legal = outputs.legal;
    network.goals = outputs.goals;
    network.next = outputs.next;
    network.percepts = outputs.percepts;
    verify::network(&network)?;
    Ok((network, text.symbols))
}

/// Statements, and what was declared by the first of them.
struct Text<'a> {
    source: &'a Source,
    symbols: Symbols,
    statements: Vec<Rule>,
    names: Arc<Names>,
    initial: Vec<Fluent>,
    roles: HashMap<Symbol, Role, RandomState>,
    fluents: HashMap<Term, Fluent, RandomState>,
    moves: RoleMap<HashMap<Term, MoveId, RandomState>>,
}

fn is_declaration(rule: &Rule) -> bool {
    let is_input = matches!(
        rule.head.name,
        keyword::ROLE | keyword::BASE | keyword::INIT | keyword::INPUT
    );
    is_input && rule.body.is_empty()
}

impl<'a> Text<'a> {
    fn read(source: &'a Source) -> Reading<Text<'a>> {
        let mut symbols = Symbols::new();
        let (tree, mut diagnostics) = read::read_tree(source, Notation::Kif, &read::Limits::default(), &mut symbols);
        let (rules, of_form) = build::build(&tree, Notation::Kif, symbols);
        diagnostics.extend(of_form);
        let mut text = Text {
            source,
            symbols: rules.symbols,
            statements: rules.rules,
            names: Arc::default(),
            initial: Vec::new(),
            roles: HashMap::default(),
            fluents: HashMap::default(),
            moves: RoleMap::default(),
        };
        if let Some(first) = diagnostics.iter().find(|diagnostic| Diagnostic::is_error(diagnostic)) {
            return text.error(first.span, &first.message);
        }
        text.declare()?;
        Ok(text)
    }

    fn error<T>(&self, span: Span, problem: impl ToString) -> Reading<T> {
        let place = self.source.place(span.start);
        Err(TextError::Statement {
            line: place.line,
            column: place.column,
            problem: problem.to_string(),
        })
    }

    fn declare(&mut self) -> Reading<()> {
        let mut names = Names::default();
        let statements = std::mem::take(&mut self.statements);
        for rule in statements.iter().filter(|rule| is_declaration(rule)) {
            let head = &rule.head;
            match (head.name, &self.terms(head)?[..]) {
                (keyword::ROLE, [Term::Constant(role)]) => {
                    let number = names.roles.len();
                    if number > usize::from(u8::MAX) || self.roles.insert(*role, Role(number as u8)).is_some() {
                        return self.error(rule.span, "the role is declared already, or there are more than 256");
                    }
                    names.roles.push(*role);
                    names.moves.push(Vec::new());
                    self.moves.push(HashMap::default());
                }
                (keyword::BASE, [term]) => {
                    let fluent = Fluent(names.fluents.len() as u32);
                    if self.fluents.insert(term.clone(), fluent).is_some() {
                        return self.error(rule.span, "the fluent is declared already");
                    }
                    names.fluents.push(self.named(term));
                }
                (keyword::INIT, [term]) => match self.fluents.get(term) {
                    Some(&fluent) => self.initial.push(fluent),
                    None => return self.error(rule.span, "the fluent is not declared before, by `base`"),
                },
                (keyword::INPUT, [Term::Constant(role), term]) => {
                    let Some(&role) = self.roles.get(role) else {
                        return self.error(rule.span, "the role is not declared before");
                    };
                    let chosen = MoveId(names.moves[role].len() as u32);
                    if self.moves[role].insert(term.clone(), chosen).is_some() {
                        return self.error(rule.span, "the move is declared already");
                    }
                    names.moves[role].push(self.named(term));
                }
                _ => return self.error(rule.span, "the declaration does not have the right arguments"),
            }
        }
        self.statements = statements;
        self.names = Arc::new(names);
        Ok(())
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.statements.iter().filter(|rule| !is_declaration(rule))
    }

    fn named(&self, term: &Term) -> Arc<Named> {
        Arc::new(Named {
            text: canonical_term(term, &self.symbols),
            term: term.clone(),
        })
    }

    fn terms(&self, atom: &Atom) -> Reading<Vec<Term>> {
        let terms = atom.args.iter().map(|arg| match arg.to_ground() {
            Some(term) => Ok(term),
            None => self.error(arg.span, "there are no variables in a ground program"),
        });
        terms.collect()
    }

    /// The number in a name such as `p12`.
    fn number(&self, atom: &Atom, letter: char) -> Option<usize> {
        let digits = self.symbols.name(atom.name).strip_prefix(letter)?;
        let is_number = atom.args.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    }

    /// For the line before a block of gates: whether it is for moves, and whether it is computed once.
    fn block(&self, atom: &Atom) -> Option<(bool, bool)> {
        let [arg] = &atom.args[..] else {
            return None;
        };
        let Some(Term::Constant(when)) = arg.to_ground() else {
            return None;
        };
        let is_of_moves = match self.symbols.name(when) {
            "state" => false,
            "moves" => true,
            _ => return None,
        };
        match self.symbols.name(atom.name) {
            "once" => Some((is_of_moves, true)),
            "until-stable" => Some((is_of_moves, false)),
            _ => None,
        }
    }

    fn literal<'f>(&self, formula: &'f Formula) -> Reading<(&'f Atom, bool)> {
        match formula {
            Formula::Atom(atom) => Ok((atom, false)),
            Formula::Not(inner, _) if matches!(**inner, Formula::Atom(_)) => {
                self.literal(inner).map(|(atom, negated)| (atom, !negated))
            }
            _ => self.error(formula.span(), "a condition is an atom or `not` and an atom"),
        }
    }

    fn input(&self, atom: &Atom) -> Reading<Signal> {
        match (atom.name, &self.terms(atom)?[..]) {
            (keyword::TRUE, [term]) => match self.fluents.get(term) {
                Some(&fluent) => Ok(Signal::Fluent(fluent)),
                None => self.error(atom.span, "the fluent is not declared by `base`"),
            },
            (keyword::DOES, [Term::Constant(role), term]) => {
                let role = self.roles.get(role).copied();
                let chosen = role.and_then(|role| Some((role, *self.moves[role].get(term)?)));
                match chosen {
                    Some((role, chosen)) => Ok(Signal::Move(role, chosen)),
                    None => self.error(atom.span, "the role or its move is not declared by `role` and `input`"),
                }
            }
            _ => self.error(atom.span, "this is neither a fluent, nor a move, nor a proposition"),
        }
    }

    fn lit(&self, network: &Network, gates: usize, formula: &Formula) -> Reading<Lit> {
        let (atom, negated) = self.literal(formula)?;
        let node = match (self.number(atom, 'g'), self.number(atom, 'l')) {
            (Some(gate), _) if gate < gates => network.first_gate() + gate,
            (_, Some(latch)) if latch < network.latches => network.first_latch() + latch,
            (None, None) if atom.args.is_empty() && self.symbols.name(atom.name) == "false" => 0,
            (None, None) => match self.input(atom)? {
                Signal::Fluent(fluent) => 1 + fluent.index(),
                Signal::Move(role, chosen) => network.first_move(role) + chosen.index(),
                Signal::Derived(_) => 0,
            },
            _ => return self.error(atom.span, "no rule defines this gate or latch"),
        };
        let lit = Lit::of(node as u32);
        Ok(if negated { lit.negated() } else { lit })
    }
}

/// Outputs of a program or network.
struct Outputs<Target> {
    terminal: Option<Target>,
    legal: RoleMap<Vec<(MoveId, Target)>>,
    goals: RoleMap<Vec<(u8, Target)>>,
    next: Vec<(Fluent, Target)>,
    percepts: RoleMap<Vec<(Term, Target)>>,
}

impl<Target: Clone> Outputs<Target> {
    fn new(text: &Text<'_>) -> Outputs<Target> {
        let roles = text.names.roles.len();
        Outputs {
            terminal: None,
            legal: RoleMap::filled(roles, Vec::new()),
            goals: RoleMap::filled(roles, Vec::new()),
            next: Vec::new(),
            percepts: RoleMap::filled(roles, Vec::new()),
        }
    }

    fn add(&mut self, text: &Text<'_>, rule: &Rule, target: Target) -> Reading<()> {
        let head = &rule.head;
        let terms = text.terms(head)?;
        let role = match terms.first() {
            Some(Term::Constant(role)) => text.roles.get(role).copied(),
            _ => None,
        };
        match (head.name, role, &terms[..]) {
            (keyword::TERMINAL, ..) => self.terminal = Some(target),
            (keyword::NEXT, _, [term]) => match text.fluents.get(term) {
                Some(&fluent) => self.next.push((fluent, target)),
                None => return text.error(head.span, "the fluent is not declared by `base`"),
            },
            (keyword::LEGAL, Some(role), [_, term]) => match text.moves[role].get(term) {
                Some(&chosen) => self.legal[role].push((chosen, target)),
                None => return text.error(head.span, "the move is not declared by `input`"),
            },
            (keyword::GOAL, Some(role), [_, Term::Constant(value)]) => match goal_value(text.symbols.name(*value)) {
                Some(value) => self.goals[role].push((value, target)),
                None => return text.error(head.span, "a goal value is a number from 0 to 100"),
            },
            (keyword::SEES, Some(role), [_, term]) => self.percepts[role].push((term.clone(), target)),
            _ => {
                return text.error(
                    head.span,
                    "this is neither a proposition, nor a node, nor an output of a known role",
                );
            }
        }
        Ok(())
    }
}
