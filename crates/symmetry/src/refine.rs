//! Colour refinement: an ordered partition of the vertices of a graph that no automorphism breaks.
//!
//! A cell is split by how its vertices are joined to another cell, until no cell splits any other; the larger part of a
//! split cell need not be looked at again (Hopcroft). What happened is hashed into a *trace*: isomorphic graphs have equal
//! traces, and their cells correspond by position.

use crate::graph::{Graph, mix};

/// An ordered partition of vertices. A cell is named by the place of its first vertex.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// The vertices, cell by cell.
    pub(crate) order: Vec<u32>,
    place: Vec<u32>,
    /// For each vertex its cell, and for each cell its length.
    cell: Vec<u32>,
    length: Vec<u32>,
    pub(crate) trace: u64,
    /// Number of cells with points that have more than one vertex.
    pub(crate) open_points: u32,
}

/// Memory of a refinement that is used again.
#[derive(Default)]
pub(crate) struct Scratch {
    sums: Vec<u64>,
    touched: Vec<u32>,
    is_waiting: Vec<bool>,
    waiting: Vec<u32>,
    members: Vec<u32>,
    cells: Vec<u32>,
}

impl Partition {
    /// The coarsest stable partition by colour.
    pub(crate) fn new(graph: &Graph, scratch: &mut Scratch) -> Partition {
        let count = graph.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        // Points and other vertices never share a cell.
        let key = |vertex: u32| (vertex as usize >= graph.points, graph.colours[vertex as usize]);
        order.sort_by_key(|&vertex| key(vertex));
        let mut partition = Partition {
            place: vec![0; count],
            cell: vec![0; count],
            length: vec![0; count],
            trace: mix(count as u64, graph.edges() as u64),
            open_points: 0,
            order,
        };
        let mut start = 0;
        let mut cells = Vec::new();
        for place in 0..count {
            if place > 0 && key(partition.order[place]) != key(partition.order[place - 1]) {
                start = place;
            }
            let vertex = partition.order[place] as usize;
            partition.place[vertex] = place as u32;
            partition.cell[vertex] = start as u32;
            partition.length[start] += 1;
            if start == place {
                cells.push(start as u32);
                partition.trace = mix(partition.trace, graph.colours[vertex]);
            }
        }
        for &cell in &cells {
            partition.trace = mix(partition.trace, partition.length[cell as usize].into());
            partition.open_points += u32::from(partition.is_open_point(graph, cell));
        }
        partition.refine(graph, &cells, scratch);
        partition
    }

    fn is_open_point(&self, graph: &Graph, cell: u32) -> bool {
        self.length[cell as usize] > 1 && (self.order[cell as usize] as usize) < graph.points
    }

    /// The vertices of a cell.
    pub(crate) fn members(&self, cell: u32) -> &[u32] {
        &self.order[cell as usize..(cell + self.length[cell as usize]) as usize]
    }

    pub(crate) fn cell_of(&self, vertex: u32) -> u32 {
        self.cell[vertex as usize]
    }

    /// The smallest cell with several points, the first of them if there are many.
    pub(crate) fn smallest_open_cell(&self, graph: &Graph) -> Option<u32> {
        let mut best: Option<(u32, u32)> = None;
        let mut cell = 0;
        // Points come first.
        while (cell as usize) < graph.points {
            let length = self.length[cell as usize];
            if length > 1 && best.is_none_or(|(shortest, _)| length < shortest) {
                best = Some((length, cell));
            }
            cell += length.max(1);
        }
        best.map(|(_, cell)| cell)
    }

    /// Gives a vertex a cell of its own, in front of the others of its cell, and refines.
    pub(crate) fn individualise(&mut self, graph: &Graph, vertex: u32, scratch: &mut Scratch) {
        let cell = self.cell_of(vertex);
        let first = self.order[cell as usize];
        let place = self.place[vertex as usize];
        self.order.swap(cell as usize, place as usize);
        self.place[first as usize] = place;
        self.place[vertex as usize] = cell;
        let length = self.length[cell as usize];
        self.open_points -= u32::from(self.is_open_point(graph, cell));
        self.length[cell as usize] = 1;
        if length > 1 {
            self.length[cell as usize + 1] = length - 1;
            for at in cell + 1..cell + length {
                let other = self.order[at as usize];
                self.cell[other as usize] = cell + 1;
            }
            self.open_points += u32::from(self.is_open_point(graph, cell + 1));
        }
        self.trace = mix(self.trace, u64::from(cell) << 32 | u64::from(length));
        self.refine(graph, &[cell], scratch);
    }

    /// Splits cells until none splits another, starting with some as splitters.
    fn refine(&mut self, graph: &Graph, splitters: &[u32], scratch: &mut Scratch) {
        let mut own = std::mem::take(scratch);
        own.sums.resize(graph.len(), 0);
        own.is_waiting.clear();
        own.is_waiting.resize(graph.len(), false);
        own.waiting.clear();
        for &cell in splitters {
            own.is_waiting[cell as usize] = true;
            own.waiting.push(cell);
        }
        let mut next = 0;
        while next < own.waiting.len() {
            let splitter = own.waiting[next];
            next += 1;
            own.is_waiting[splitter as usize] = false;
            own.members.clear();
            own.members.extend_from_slice(self.members(splitter));
            own.touched.clear();
            for &member in &own.members {
                for (neighbour, label) in graph.neighbours(member) {
                    let sum = &mut own.sums[neighbour as usize];
                    if *sum == 0 {
                        own.touched.push(neighbour);
                    }
                    // Zero means that a vertex was not touched; a sum that happens to come to zero only splits less.
                    *sum = sum.wrapping_add(label | 1);
                }
            }
            self.trace = mix(self.trace, splitter.into());
            own.cells.clear();
            own.cells
                .extend(own.touched.iter().map(|&vertex| self.cell[vertex as usize]));
            own.cells.sort_unstable();
            own.cells.dedup();
            for at in 0..own.cells.len() {
                let cell = own.cells[at];
                self.split(graph, cell, &mut own);
            }
            for &vertex in &own.touched {
                own.sums[vertex as usize] = 0;
            }
            if next > graph.len() {
                own.waiting.drain(..next);
                next = 0;
            }
        }
        *scratch = own;
    }

    /// Splits a cell by the sums of its vertices.
    fn split(&mut self, graph: &Graph, cell: u32, own: &mut Scratch) {
        let (start, length) = (cell as usize, self.length[cell as usize] as usize);
        if length == 1 {
            self.trace = mix(self.trace, own.sums[self.order[start] as usize] ^ u64::from(cell));
            return;
        }
        let sums = &own.sums;
        self.order[start..start + length].sort_unstable_by_key(|&vertex| sums[vertex as usize]);
        self.open_points -= u32::from(self.is_open_point(graph, cell));
        let mut parts: Vec<u32> = Vec::new();
        let mut part = start;
        for place in start..start + length {
            let vertex = self.order[place] as usize;
            if place > start && sums[vertex] != sums[self.order[place - 1] as usize] {
                part = place;
            }
            if part == place {
                parts.push(part as u32);
                self.length[part] = 0;
                self.trace = mix(self.trace, sums[vertex] ^ part as u64);
            }
            self.place[vertex] = place as u32;
            self.cell[vertex] = part as u32;
            self.length[part] += 1;
        }
        let mut largest = parts[0];
        for &part in &parts {
            self.trace = mix(self.trace, self.length[part as usize].into());
            self.open_points += u32::from(self.is_open_point(graph, part));
            if self.length[part as usize] > self.length[largest as usize] {
                largest = part;
            }
        }
        if parts.len() == 1 {
            return;
        }
        // A cell that waits stays in the list under its own name, which is that of its first part.
        let all = own.is_waiting[cell as usize];
        for &part in &parts {
            if (all || part != largest) && !own.is_waiting[part as usize] {
                own.is_waiting[part as usize] = true;
                own.waiting.push(part);
            }
        }
    }
}
