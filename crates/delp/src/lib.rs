//! Defeasible logic programming (García and Simari, 2004): facts, strict and defeasible rules, arguments for and
//! against, and what is warranted after they have met.
//!
//! ```
//! use ludens_budget::Budget;
//! use ludens_delp::{Options, Program, Verdict};
//! use ludens_gdl::Source;
//!
//! let text = "bird(tweety). penguin(opus). bird(X) <- penguin(X).
//!             flies(X) -< bird(X). ~flies(X) -< penguin(X).";
//! let mut program = Program::read(Source::new("birds.delp", text));
//! assert!(program.is_valid());
//! let query = program.read_query("flies(opus)").map_err(|wrong| wrong.1.message)?;
//! let answer = program.answer(&query.literal, Options::default(), &Budget::default());
//! assert_eq!(answer.verdict, Verdict::No);
//! # Ok::<(), String>(())
//! ```
//!
//! `read` makes a [`Program`] of text. A query is answered in four steps: `ground` finds the relevant instances of
//! rules, `argue` the arguments, `compare` decides conflicts, and `tree` builds and marks the dialectical trees.

mod answer;
mod argue;
pub mod codes;
mod compare;
mod explain;
mod ground;
mod meter;
mod program;
mod read;
mod theory;
mod tree;

pub use answer::{Answer, Argument, Attack, Options, TreeNode, UsedRule, Verdict};
pub use compare::{Criterion, Preference};
pub use explain::{explanation, tree_text};
pub use meter::{Limit, Phase};
pub use program::{Literal, Name, Names, Program, Query, Rule, Term};
pub use tree::{Kind, LONGEST_LINE, MOST_NODES, Mark};
