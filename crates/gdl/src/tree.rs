//! The concrete syntax tree that both notations are read into.
//!
//! A tree holds nested lists of words and variables, exactly as prefix KIF has them; the infix reader produces the
//! same shape, so that every later stage exists once. Nodes live in one flat vector and know their span;
//! comments are kept beside the tree so that the formatter can put them back.

use crate::source::Span;
use crate::symbol::Symbol;

/// Number of a node in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A name.
    Word(Symbol),
    /// A variable, its symbol without the question mark.
    Variable(Symbol),
    /// A parenthesised list; the children are `children[start..end]` of the tree.
    List {
        /// Index of the first child.
        start: u32,
        /// Index after the last child.
        end: u32,
    },
}

/// A forest of nodes, one root a statement.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<(Node, Span)>,
    children: Vec<NodeId>,
    /// The statements, in order.
    pub roots: Vec<NodeId>,
    /// Spans of the comments, in order.
    pub comments: Vec<Span>,
}

impl Tree {
    /// Adds a word or variable.
    pub fn leaf(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push((node, span));
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a list of nodes that are already in the tree.
    pub fn list(&mut self, items: &[NodeId], span: Span) -> NodeId {
        let start = self.children.len() as u32;
        self.children.extend_from_slice(items);
        let end = self.children.len() as u32;
        self.leaf(Node::List { start, end }, span)
    }

    /// Kind of the node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize].0
    }

    /// Span of the node.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.0 as usize].1
    }

    /// The items of a list; empty for a word or variable.
    pub fn items(&self, id: NodeId) -> &[NodeId] {
        match self.node(id) {
            Node::List { start, end } => &self.children[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The word that a list starts with, or the word itself.
    pub fn operator(&self, id: NodeId) -> Option<Symbol> {
        match self.node(id) {
            Node::Word(symbol) => Some(symbol),
            Node::Variable(_) => None,
            Node::List { .. } => match self.items(id).first().map(|&first| self.node(first)) {
                Some(Node::Word(symbol)) => Some(symbol),
                _ => None,
            },
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
