//! Groups of permutations, by generators and a chain of stabilisers (Schreier–Sims).
//!
//! A chain fixes one *base* point after the other. Each level knows the orbit of its point under what fixes the points
//! before it, as a tree of generators. Order, membership, elements and stabilisers follow from the chain.

use crate::search::Orbits;
use ludens_budget::Budget;
use num_bigint::BigUint;

/// A permutation of the points `0..n`: the image of each.
pub type Permutation = Vec<u32>;

/// A group of permutations.
#[derive(Clone, Debug)]
pub struct Group {
    points: usize,
    base: Vec<u32>,
    generators: Vec<Permutation>,
    levels: Vec<Level>,
}

/// The orbit of a base point.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Points of the orbit, the base point first.
    orbit: Vec<u32>,
    /// For each point of the orbit but the first the generator that leads to it, and from where; else `NOWHERE`.
    tree: Vec<(u32, u32)>,
}

const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);

/// Returns the permutation that applies `first`, then `second`.
pub fn compose(first: &[u32], second: &[u32]) -> Permutation {
    first.iter().map(|&point| second[point as usize]).collect()
}

/// Returns the inverse of a permutation.
pub fn inverse(permutation: &[u32]) -> Permutation {
    let mut inverse = vec![0; permutation.len()];
    for (point, &image) in permutation.iter().enumerate() {
        inverse[image as usize] = point as u32;
    }
    inverse
}

fn identity(points: usize) -> Permutation {
    (0..points as u32).collect()
}

fn is_identity(permutation: &[u32]) -> bool {
    permutation
        .iter()
        .enumerate()
        .all(|(point, &image)| point as u32 == image)
}

impl Group {
    /// Returns the group of the identity alone.
    pub fn trivial(points: usize) -> Group {
        Group::strong(points, Vec::new(), Vec::new())
    }

    /// Returns the group with these generators, which must be strong for the base: those that fix the first points of the
    /// base generate everything that does.
    pub(crate) fn strong(points: usize, base: Vec<u32>, generators: Vec<Permutation>) -> Group {
        let mut group = Group {
            points,
            base,
            generators,
            levels: Vec::new(),
        };
        group.levels = (0..group.base.len()).map(|level| group.level(level)).collect();
        // Points with an orbit of one only make walks longer.
        let moved: Vec<bool> = group.levels.iter().map(|level| level.orbit.len() > 1).collect();
        let mut kept = moved.iter();
        group.base.retain(|_| kept.next().is_some_and(|&moved| moved));
        group.levels.retain(|level| level.orbit.len() > 1);
        group
    }

    /// Returns the group that some permutations generate; `None` if the budget is spent before its chain is known.
    pub fn generated(points: usize, generators: Vec<Permutation>, budget: &Budget) -> Option<Group> {
        Group::with_base(points, generators, Vec::new(), budget)
    }

    fn with_base(points: usize, mut generators: Vec<Permutation>, base: Vec<u32>, budget: &Budget) -> Option<Group> {
        generators.retain(|generator| !is_identity(generator));
        let mut group = Group {
            points,
            base,
            generators,
            levels: Vec::new(),
        };
        for number in 0..group.generators.len() {
            group.extend_base(number);
        }
        group.levels = (0..group.base.len()).map(|level| group.level(level)).collect();
        let mut level = group.base.len();
        while level > 0 {
            if budget.is_spent() {
                return None;
            }
            match group.missing(level - 1, budget)? {
                None => level -= 1,
                Some((generator, deepest)) => {
                    group.generators.push(generator);
                    group.extend_base(group.generators.len() - 1);
                    for changed in level..group.base.len() {
                        let rebuilt = group.level(changed);
                        match group.levels.get_mut(changed) {
                            Some(level) => *level = rebuilt,
                            None => group.levels.push(rebuilt),
                        }
                    }
                    level = (deepest + 1).min(group.base.len());
                }
            }
        }
        Some(group)
    }

    /// Sees to it that a generator moves a point of the base.
    fn extend_base(&mut self, number: usize) {
        let generator = &self.generators[number];
        if self.base.iter().all(|&point| generator[point as usize] == point) {
            let moved = (0..self.points as u32).find(|&point| generator[point as usize] != point);
            self.base.extend(moved);
        }
    }

    /// Numbers of the generators that fix the base up to a level.
    fn fixing(&self, level: usize) -> Vec<u32> {
        let fixes = |generator: &Permutation| {
            let mut before = self.base[..level].iter();
            before.all(|&point| generator[point as usize] == point)
        };
        let numbered = self.generators.iter().enumerate();
        numbered
            .filter(|(_, generator)| fixes(generator))
            .map(|(number, _)| number as u32)
            .collect()
    }

    /// The orbit of a base point, breadth first.
    fn level(&self, number: usize) -> Level {
        let generators = self.fixing(number);
        let mut level = Level {
            orbit: vec![self.base[number]],
            tree: vec![NOWHERE; self.points],
        };
        let mut next = 0;
        while let Some(&point) = level.orbit.get(next) {
            next += 1;
            for &generator in &generators {
                let image = self.generators[generator as usize][point as usize];
                if image != self.base[number] && level.tree[image as usize] == NOWHERE {
                    level.tree[image as usize] = (generator, point);
                    level.orbit.push(image);
                }
            }
        }
        level
    }

    /// The element that maps the base point of a level to a point of its orbit, and fixes the points before.
    fn representative(&self, level: usize, mut point: u32) -> Permutation {
        let mut path = Vec::new();
        while self.levels[level].tree[point as usize] != NOWHERE {
            let (generator, from) = self.levels[level].tree[point as usize];
            path.push(generator);
            point = from;
        }
        let mut element = identity(self.points);
        for &generator in path.iter().rev() {
            let generator = &self.generators[generator as usize];
            element.iter_mut().for_each(|image| *image = generator[*image as usize]);
        }
        element
    }

    fn is_in_orbit(&self, level: usize, point: u32) -> bool {
        point == self.base[level] || self.levels[level].tree[point as usize] != NOWHERE
    }

    /// What is left of a permutation when representatives are divided out from a level on, and the level where that
    /// fails; the length of the base if it does not.
    fn sift(&self, mut permutation: Permutation, from: usize) -> (Permutation, usize) {
        for level in from..self.levels.len() {
            let image = permutation[self.base[level] as usize];
            if !self.is_in_orbit(level, image) {
                return (permutation, level);
            }
            if image != self.base[level] {
                permutation = compose(&permutation, &inverse(&self.representative(level, image)));
            }
        }
        (permutation, self.levels.len())
    }

    /// A Schreier generator of a level that the levels below it do not have, with where it belongs.
    #[allow(clippy::type_complexity)]
    fn missing(&self, level: usize, budget: &Budget) -> Option<Option<(Permutation, usize)>> {
        let generators = self.fixing(level);
        for &point in &self.levels[level].orbit {
            if budget.is_spent() {
                return None;
            }
            let to = self.representative(level, point);
            for &generator in &generators {
                let generator = &self.generators[generator as usize];
                let image = generator[point as usize];
                let back = inverse(&self.representative(level, image));
                let schreier = compose(&compose(&to, generator), &back);
                let (rest, deepest) = self.sift(schreier, level + 1);
                if !is_identity(&rest) {
                    return Some(Some((rest, deepest)));
                }
            }
        }
        Some(None)
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Number of elements.
    pub fn order(&self) -> BigUint {
        let orbits = self.levels.iter().map(|level| BigUint::from(level.orbit.len()));
        orbits.product()
    }

    /// Permutations that generate the group.
    pub fn generators(&self) -> &[Permutation] {
        &self.generators
    }

    /// The points that the chain fixes, in order. The identity is the only element that fixes all of them.
    pub fn base(&self) -> &[u32] {
        &self.base
    }

    /// Returns whether a permutation is an element.
    pub fn contains(&self, permutation: &[u32]) -> bool {
        permutation.len() == self.points && is_identity(&self.sift(permutation.to_vec(), 0).0)
    }

    /// Returns the orbits with more than one point, each in increasing order.
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        let mut joined = Orbits::new(self.points);
        self.generators.iter().for_each(|generator| joined.join(generator));
        let mut orbits: Vec<Vec<u32>> = vec![Vec::new(); self.points];
        for point in 0..self.points as u32 {
            orbits[joined.of(point) as usize].push(point);
        }
        orbits.retain(|orbit| orbit.len() > 1);
        orbits
    }

    /// Returns the elements that fix a point; `None` if the budget is spent before they are known.
    pub fn stabiliser(&self, point: u32, budget: &Budget) -> Option<Group> {
        let group = Group::with_base(self.points, self.generators.clone(), vec![point], budget)?;
        let generators = group.fixing(1).into_iter();
        let generators = generators
            .map(|number| group.generators[number as usize].clone())
            .collect();
        Some(Group::strong(self.points, group.base[1..].to_vec(), generators))
    }

    /// Returns all elements, the identity first, if there are at most `most`; else those of the largest stabiliser of the
    /// chain that is small enough, which are a group too.
    pub fn elements(&self, most: usize) -> Vec<Permutation> {
        let mut elements = vec![identity(self.points)];
        for level in (0..self.levels.len()).rev() {
            let orbit = &self.levels[level].orbit;
            if elements.len().saturating_mul(orbit.len()) > most {
                break;
            }
            let mut larger = Vec::with_capacity(elements.len() * orbit.len());
            for &point in orbit {
                let representative = self.representative(level, point);
                larger.extend(elements.iter().map(|element| compose(element, &representative)));
            }
            elements = larger;
        }
        elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(generators: &[&[u32]]) -> Group {
        let generators: Vec<Permutation> = generators.iter().map(|images| images.to_vec()).collect();
        Group::generated(generators[0].len(), generators, &Budget::default()).unwrap()
    }

    #[test]
    fn orders_of_known_groups() {
        assert_eq!(generated(&[&[1, 2, 3, 0], &[1, 0, 2, 3]]).order(), BigUint::from(24u32));
        // The square: a quarter turn and a mirror image.
        assert_eq!(generated(&[&[1, 2, 3, 0], &[1, 0, 3, 2]]).order(), BigUint::from(8u32));
        assert_eq!(
            generated(&[&[1, 2, 0, 3, 4], &[0, 1, 3, 4, 2]]).order(),
            BigUint::from(60u32)
        );
        // The Mathieu group on eleven points.
        let mathieu = generated(&[&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0], &[0, 1, 6, 9, 5, 3, 10, 2, 8, 4, 7]]);
        assert_eq!(mathieu.order(), BigUint::from(7920u32));
        assert_eq!(
            mathieu.stabiliser(3, &Budget::default()).unwrap().order(),
            BigUint::from(720u32)
        );
    }

    #[test]
    fn the_order_of_a_large_group_is_a_large_number() {
        let cycle: Vec<u32> = (0..30).map(|point| (point + 1) % 30).collect();
        let mut swap: Vec<u32> = (0..30).collect();
        swap.swap(0, 1);
        let factorial: BigUint = (1..=30u32).map(BigUint::from).product();
        assert_eq!(generated(&[&cycle, &swap]).order(), factorial);
    }

    #[test]
    fn elements_are_all_different_and_belong_to_the_group() {
        let square = generated(&[&[1, 2, 3, 0], &[1, 0, 3, 2]]);
        let mut elements = square.elements(64);
        assert!(is_identity(&elements[0]));
        assert!(elements.iter().all(|element| square.contains(element)));
        elements.sort();
        elements.dedup();
        assert_eq!(elements.len(), 8);
        assert!(!square.contains(&[1, 0, 2, 3]));
        // Too many elements: a stabiliser instead, which is a group.
        let few = square.elements(4);
        assert_eq!(few.len(), 2);
        assert!(is_identity(&compose(&few[1], &few[1])));
    }

    #[test]
    fn a_permutation_and_its_inverse_cancel() {
        let turn = vec![2, 0, 1, 4, 3];
        assert!(is_identity(&compose(&turn, &inverse(&turn))));
        assert_eq!(generated(&[&turn]).orbits(), [vec![0, 1, 2], vec![3, 4]]);
    }

    #[test]
    fn a_spent_budget_gives_no_group() {
        let spent = Budget::default().within(std::time::Duration::ZERO);
        assert!(Group::generated(3, vec![vec![1, 2, 0]], &spent).is_none());
    }
}
