//! Expressions that compare two values: by an order, or by how far they are from being the same.

use super::expand::Expander;
use super::expression::{Compared, Pair, components};
use super::possible::{Nature, TRUE};
use ludens_gdl::normal::{Atom, Literal, Term};

impl Expander<'_> {
    /// Returns a conjunction in which an order stands between two sides that have nothing else in common.
    pub(super) fn ordered(&self, literals: &[Literal]) -> Option<Pair> {
        let (place, atom) = literals.iter().enumerate().find_map(|(place, literal)| match literal {
            Literal::Positive(atom) if self.graphs.order(atom.relation()).is_some() => Some((place, atom)),
            _ => None,
        })?;
        let rest: Vec<usize> = (0..literals.len()).filter(|&number| number != place).collect();
        let others: Vec<Literal> = rest.iter().map(|&number| literals[number].clone()).collect();
        let groups = components(&others);
        let mut sides: [Vec<usize>; 2] = Default::default();
        let mut used = Vec::new();
        for (side, arg) in sides.iter_mut().zip(&atom.args) {
            let variable = match arg {
                Term::Variable(variable) => *variable,
                _ if arg.is_ground() => continue,
                _ => return None,
            };
            let group = groups.iter().position(|group| {
                let mut is_there = false;
                let visit = &mut |found| is_there |= found == variable;
                group.iter().for_each(|&member| others[member].variables(visit));
                is_there
            })?;
            used.push(group);
            *side = groups[group].iter().map(|&member| rest[member]).collect();
        }
        // Each value has a side of its own, which depends on the state, and there is nothing else.
        let changes = |side: &Vec<usize>| {
            side.is_empty()
                || side.iter().any(|&number| match &literals[number] {
                    Literal::Positive(atom) => self.nature(atom) != Nature::Static,
                    Literal::Negative(_) | Literal::Distinct(..) => false,
                })
        };
        let is_apart = used.first() != used.get(1) || used.len() < 2;
        (is_apart && used.len() == groups.len() && !used.is_empty() && sides.iter().all(changes)).then(|| Pair {
            sides,
            compared: Compared::Order(atom.relation(), [atom.args[0].clone(), atom.args[1].clone()]),
        })
    }

    /// Two fluents of the same name that have variables in common, and nothing else but conditions on one of them.
    pub(super) fn meeting(&self, literals: &[Literal]) -> Option<Pair> {
        let fluents: Vec<usize> = (0..literals.len())
            .filter(|&number| matches!(&literals[number], Literal::Positive(atom) if atom.relation() == TRUE))
            .collect();
        let [left, right] = fluents[..] else {
            return None;
        };
        let fluent = |number: usize| match &literals[number] {
            Literal::Positive(atom) => atom.args[0].parts(),
            Literal::Negative(_) | Literal::Distinct(..) => None,
        };
        let ((head, left_args), (other, right_args)) = (fluent(left)?, fluent(right)?);
        if head != other {
            return None;
        }
        let variables = |args: &[Term]| {
            let mut all = Vec::new();
            args.iter()
                .for_each(|arg| arg.variables(&mut |variable| all.push(variable)));
            all
        };
        let (of_left, of_right) = (variables(left_args), variables(right_args));
        let same: Vec<usize> = (0..head.1)
            .filter(|&place| matches!(left_args[place], Term::Variable(_)) && left_args[place] == right_args[place])
            .collect();
        let is_common = |variable: &u32| {
            let mut at = same.iter().map(|&place| &left_args[place]);
            at.any(|arg| *arg == Term::Variable(*variable))
        };
        let is_measured = same.iter().any(|&place| self.graphs.argument(head, place).is_some());
        // A variable that stands elsewhere in the other fluent is no distance of one argument.
        if !is_measured
            || of_left
                .iter()
                .any(|variable| of_right.contains(variable) && !is_common(variable))
        {
            return None;
        }
        let mut sides = [vec![left], vec![right]];
        for (number, literal) in literals
            .iter()
            .enumerate()
            .filter(|(number, _)| !fluents.contains(number))
        {
            let is_fixed = literal
                .atom()
                .is_none_or(|(atom, _)| self.nature(atom) == Nature::Static);
            let mut own = Vec::new();
            literal.variables(&mut |variable| own.push(variable));
            let side = [&of_left, &of_right]
                .iter()
                .position(|known| own.iter().all(|variable| known.contains(variable)));
            match side {
                Some(side) if is_fixed => sides[side].push(number),
                _ => return None,
            }
        }
        Some(Pair {
            sides,
            compared: Compared::Fluents(same),
        })
    }

    /// Returns a relation that depends on itself, with one variable at two places of which one is counted along.
    pub(super) fn repeated(&self, atom: &Atom) -> Option<Pair> {
        if !self.kinds.has(super::Kind::VariableDistance) {
            return None;
        }
        let head = (atom.name, atom.args.len());
        let places = |variable: &Term| -> Vec<usize> {
            let places = 0..atom.args.len();
            places.filter(|&place| atom.args[place] == *variable).collect()
        };
        let variables = atom.args.iter().filter(|arg| matches!(arg, Term::Variable(_)));
        let pair = variables.map(places).find(|places| places.len() == 2)?;
        let is_measured = pair.iter().any(|&place| self.graphs.argument(head, place).is_some());
        is_measured.then(|| Pair {
            sides: [vec![0], Vec::new()],
            compared: Compared::Arguments([pair[0], pair[1]]),
        })
    }

    fn nature(&self, atom: &Atom) -> Nature {
        self.possible.nature(atom.relation())
    }
}
