//! Packs the graph into words: questions that follow each other lie one behind the other, in as few lines of memory as
//! they need, and neighbouring literal segments are compared as one text.

use super::hosts::{Line, NO_SITE, Places};
use super::kept::{Kept, KeptHosts, Range, Step, number};
use super::walk::class_number;
use super::words::{End, Goal, LINE, Op, SPAN_MAX, Span, TEXT_MAX, halves, low, text, text_words, word};
use crate::ir::{CaptureId, NodeId};
use crate::limits::SMALL_NODE_MAX;
use std::collections::HashSet;

/// The words, and where nodes are among them.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Words before the first line, so that lines begin where those of the memory do.
    skip: usize,
    padded: Vec<u64>,
    place: Vec<u32>,
}

/// No place yet.
const NOWHERE: u32 = u32::MAX;

impl Packed {
    pub(super) fn new(kept: &Kept) -> Packed {
        let place = vec![NOWHERE; kept.steps.len()];
        let mut packer = Packer { kept, words: Vec::new(), place, open: Vec::new(), tables: Vec::new() };
        packer.hosts();
        let roots = kept.roots.iter();
        packer.nodes(roots.copied());
        packer.finish()
    }

    /// Sees to it that all these nodes have a place of their own.
    pub(super) fn ensure(&mut self, kept: &Kept, nodes: &[NodeId]) {
        if nodes.iter().all(|node| self.goal(kept, *node).is_some()) {
            return;
        }
        let words = self.words().to_vec();
        let place = std::mem::take(&mut self.place);
        let mut packer = Packer { kept, words, place, open: Vec::new(), tables: Vec::new() };
        packer.nodes(nodes.iter().copied());
        *self = packer.finish();
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        self.padded.get(self.skip..).unwrap_or_default()
    }

    /// Where a node is, if it has a place of its own.
    pub(super) fn goal(&self, kept: &Kept, node: NodeId) -> Option<u32> {
        known_goal(kept, &self.place, node).map(Goal::encode)
    }
}

fn known_goal(kept: &Kept, place: &[u32], node: NodeId) -> Option<Goal> {
    match kept.step(node) {
        Step::Miss => Some(Goal::Miss),
        Step::Leaf(route) => Some(Goal::Route(route)),
        Step::Method(_)
        | Step::Segments { .. }
        | Step::Seg { .. }
        | Step::Typed { .. }
        | Step::Test { .. }
        | Step::Linear(_) => {
            let at = place.get(node as usize).copied().filter(|at| *at != NOWHERE)?;
            Some(Goal::Word(at))
        }
    }
}

struct Packer<'a> {
    kept: &'a Kept,
    words: Vec<u64>,
    place: Vec<u32>,
    /// The last one is next, so that what belongs together lies together.
    open: Vec<(Half, To)>,
    /// Words that name tables of edges; they come last, since they would push apart what belongs together.
    tables: Vec<(usize, Range)>,
}

/// Half of a word that is not known yet.
#[derive(Clone, Copy, Debug)]
struct Half {
    word: usize,
    upper: bool,
}

/// What it leads to.
#[derive(Clone, Copy, Debug)]
enum To {
    Node(NodeId),
    /// The text of an edge and then its target.
    Edge(u32),
    /// The text of an edge, and then where its target begins, which is a site.
    Host(u32),
}

/// Words in the making that lie behind each other.
#[derive(Default)]
struct Run {
    words: Vec<u64>,
    open: Vec<(Half, NodeId)>,
    nodes: Vec<(NodeId, usize)>,
    /// Where tables of edges have to be named.
    probes: Vec<(usize, Range)>,
}

impl Run {
    /// A question; the other answer leads to `no`.
    fn ask(&mut self, word: u64, no: NodeId) {
        self.open.push((Half { word: self.words.len(), upper: true }, no));
        self.words.push(word);
    }
}

impl Packer<'_> {
    fn nodes(&mut self, nodes: impl Iterator<Item = NodeId>) {
        for node in nodes {
            let _ = self.goal(node);
            self.drain();
        }
    }

    fn drain(&mut self) {
        loop {
            while let Some((half, to)) = self.open.pop() {
                let goal = self.resolve(to);
                self.fill(half, goal);
            }
            let Some((at, edges)) = self.tables.pop() else { return };
            self.words[at] = self.table(edges, To::Edge);
        }
    }

    fn resolve(&mut self, to: To) -> Goal {
        match to {
            To::Node(node) => self.goal(node),
            To::Edge(edge) => {
                let (text, target) = self.kept.edge(edge);
                Goal::Word(self.run(key(text, 0), target))
            }
            To::Host(edge) => {
                let (name, site) = self.kept.edge(edge);
                let root = self.kept.roots.get(site as usize).copied().unwrap_or(NodeId::MAX);
                Goal::Word(self.run(key(name, site), root))
            }
        }
    }

    fn fill(&mut self, half: Half, goal: Goal) {
        let word = &mut self.words[half.word];
        *word = if half.upper {
            halves(goal.encode(), low(*word))
        } else {
            (*word >> 32 << 32) | u64::from(goal.encode())
        };
    }

    fn finish(self) -> Packed {
        let Packer { words, place, .. } = self;
        let mut padded: Vec<u64> = Vec::with_capacity(words.len() + LINE);
        let skip = padded.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        padded.resize(skip, 0);
        padded.extend_from_slice(&words);
        Packed { skip, padded, place }
    }

    /// Where a node is; it gets its place when it has none.
    fn goal(&mut self, node: NodeId) -> Goal {
        known_goal(self.kept, &self.place, node).unwrap_or_else(|| Goal::Word(self.run(Vec::new(), node)))
    }

    /// Writes words that begin with these and go on with a node.
    fn run(&mut self, head: Vec<u64>, node: NodeId) -> u32 {
        let mut run = Run { words: head, ..Run::default() };
        let mut next = Some(node);
        while let Some(node) = next {
            next = self.node(&mut run, node);
        }
        let start = self.fit(run.words.len());
        self.words.extend_from_slice(&run.words);
        for (node, at) in run.nodes {
            self.place[node as usize] = number(start + at);
        }
        for (half, node) in run.open.into_iter().rev() {
            self.open.push((Half { word: start + half.word, ..half }, To::Node(node)));
        }
        self.tables.extend(run.probes.into_iter().map(|(at, edges)| (start + at, edges)));
        number(start)
    }

    /// Where this many words need the fewest lines.
    fn fit(&mut self, words: usize) -> usize {
        let at = self.words.len();
        if (at % LINE + words).div_ceil(LINE) > words.div_ceil(LINE) {
            self.words.resize(at.next_multiple_of(LINE), halves(Goal::Miss.encode(), 0));
        }
        self.words.len()
    }

    /// Writes the places of a table of edges; the word that names it.
    fn table(&mut self, edges: Range, to: impl Fn(u32) -> To) -> u64 {
        if edges.count == 0 {
            return 0;
        }
        let mut seen: HashSet<&[u8]> = HashSet::with_capacity(edges.count as usize);
        let mut different: Vec<u32> = (edges.first..edges.first + edges.count).collect();
        // Of equal texts the first counts.
        different.retain(|edge| seen.insert(self.kept.edge(*edge).0));
        let texts: Vec<&[u8]> = different.iter().map(|edge| self.kept.edge(*edge).0).collect();
        let places = Places::new(&texts);
        self.words.resize(self.words.len().next_multiple_of(LINE), halves(Goal::Miss.encode(), 0));
        let start = self.words.len();
        self.words.extend_from_slice(&places.words);
        for (place, edge) in places.taken.iter().zip(different).rev() {
            self.open.push((Half { word: start + place, upper: false }, to(edge)));
        }
        places.named(start / LINE)
    }

    fn hosts(&mut self) {
        let kept = self.kept;
        // Lines of listeners are at the beginning, in their order.
        self.words.resize(kept.hosts().len() * LINE, 0);
        for (listener, hosts) in kept.hosts().iter().enumerate() {
            let start = listener * LINE;
            self.only_host(start, hosts);
            for (at, edges) in [
                (Line::EXACT, hosts.exact),
                (Line::ONE_LABEL, hosts.one_label),
                (Line::ANY_DEPTH, hosts.any_depth),
            ] {
                self.words[start + at] = self.table(edges, To::Host);
            }
            self.words[start + Line::ANY] = NO_SITE;
            if let Some(site) = hosts.any {
                self.site(start + Line::ANY, site);
            }
            self.drain();
        }
    }

    /// A short name that is the only one needs no table.
    fn only_host(&mut self, start: usize, hosts: &KeptHosts) {
        let (name, site) = match hosts.exact {
            Range { count: 1, first } => self.kept.edge(first),
            Range { .. } => return,
        };
        if name.len() > Line::ONLY_MAX {
            return;
        }
        self.words[start + Line::ONLY_LEN] = name.len() as u64;
        for (at, word) in text(name).enumerate() {
            self.words[start + Line::ONLY + at] = word;
        }
        self.site(start + Line::ONLY_SITE, site);
    }

    /// The number of a site and, once that is known, its start.
    fn site(&mut self, at: usize, site: u32) {
        self.words[at] = u64::from(site);
        if let Some(root) = self.kept.roots.get(site as usize) {
            self.open.push((Half { word: at, upper: true }, To::Node(*root)));
        }
    }

    /// Adds what a node asks to a run; the node that comes right behind, if any.
    fn node(&self, run: &mut Run, node: NodeId) -> Option<NodeId> {
        if let Some(goal) = known_goal(self.kept, &self.place, node) {
            run.words.push(halves(goal.encode(), low(word(Op::Go, 0, 0, 0))));
            return None;
        }
        run.nodes.push((node, run.words.len()));
        match self.kept.step(node) {
            // Their goals are known.
            Step::Miss | Step::Leaf(_) => None,
            Step::Method(row) => self.method(run, self.kept.row(row)),
            Step::Segments { depth, end, more } => {
                if let Some(ending) = self.ending(node) {
                    let span = Span { segments: 0, end: ending.end };
                    run.ask(word(Op::Ends, depth, span.encode(), 0), ending.no);
                    return Some(ending.yes);
                }
                if self.other_of(more, depth) == Some(end) {
                    // Looking at a segment that is not there leads the same way.
                    return self.node(run, more);
                }
                run.ask(word(Op::Longer, depth, 0, 0), end);
                Some(more)
            }
            Step::Seg { depth, edges, other } => self.seg(run, depth, edges, other),
            Step::Typed { depth, capture, yes, no } => {
                self.typed(run, depth, capture, no);
                Some(yes)
            }
            Step::Test { predicate, yes, no } => {
                // Conditions are at most as many as expressions, so three bytes hold their number.
                let [a, b, c, _] = predicate.to_le_bytes();
                run.ask(word(Op::Test, a, b, c), no);
                Some(yes)
            }
            Step::Linear(Range { first, count }) => {
                run.words.extend([word(Op::Linear, 0, 0, 0), halves(count, first)]);
                None
            }
        }
    }

    fn method(&self, run: &mut Run, row: [NodeId; 10]) -> Option<NodeId> {
        let other = row[9];
        let different = row.iter().copied().find(|target| *target != other);
        let two = different.filter(|one| row.iter().all(|target| target == one || *target == other));
        if let Some(one) = two {
            let (yes, no) = if self.is_end(one) && !self.is_end(other) { (other, one) } else { (one, other) };
            let bit = |(method, target): (usize, &NodeId)| u16::from(*target == yes) << method;
            let [a, b] = row.iter().enumerate().map(bit).sum::<u16>().to_le_bytes();
            run.ask(word(Op::MethodIn, 0, a, b), no);
            return Some(yes);
        }
        run.words.push(word(Op::Methods, 0, 0, 0));
        for (method, target) in row.into_iter().enumerate() {
            let upper = !method.is_multiple_of(2);
            if !upper {
                run.words.push(0);
            }
            run.open.push((Half { word: run.words.len() - 1, upper }, target));
        }
        None
    }

    fn seg(&self, run: &mut Run, depth: u8, edges: Range, other: NodeId) -> Option<NodeId> {
        if edges.count as usize > SMALL_NODE_MAX {
            run.ask(word(Op::Probe, depth, 0, 0), other);
            run.probes.push((run.words.len(), edges));
            run.words.push(0);
            return None;
        }
        let mut last = None;
        for edge in edges.first..edges.first + edges.count {
            let (text, target) = self.kept.edge(edge);
            if text.len() > TEXT_MAX {
                run.ask(word(Op::Long, depth, 0, 0), target);
                run.words.push(u64::from(edge));
            } else if let Some((before, leads_to)) = last.replace((text, target)) {
                ask_text(run, Op::Unlike, depth, (Span::ONE, before), leads_to);
            }
        }
        let Some((text, target)) = last else { return Some(other) };
        let chain = self.chain(usize::from(depth), text, target, other);
        for (span, text, leads_to) in &chain.beside {
            ask_text(run, Op::Unlike, depth, (*span, text), *leads_to);
        }
        ask_text(run, Op::Text, depth, (chain.span, &chain.text), other);
        Some(chain.next)
    }

    /// A literal segment and those behind it, as long as nothing but them leads on.
    fn chain(&self, depth: usize, text: &[u8], target: NodeId, other: NodeId) -> Chain {
        let mut chain = Chain { text: text.to_vec(), span: Span::ONE, next: target, beside: Vec::new() };
        while let Step::Segments { depth: here, end, more } = self.kept.step(chain.next) {
            if usize::from(here) != depth + chain.span.segments {
                break;
            }
            if let Some(ending) = self.ending(chain.next).filter(|ending| ending.no == other) {
                chain.span.end = ending.end;
                chain.next = ending.yes;
                break;
            }
            if end != other || !self.extend(&mut chain, more, here, other) {
                break;
            }
        }
        chain
    }

    /// Takes the literals of the next segment into a chain, if that needs no more words than asking for them apart.
    fn extend(&self, chain: &mut Chain, node: NodeId, depth: u8, other: NodeId) -> bool {
        let Step::Seg { depth: here, edges, other: leads_to } = self.kept.step(node) else { return false };
        let fits = here == depth && leads_to == other && edges.count as usize <= SMALL_NODE_MAX;
        if !fits || chain.span.segments == SPAN_MAX {
            return false;
        }
        let texts = (edges.first..edges.first + edges.count).map(|edge| self.kept.edge(edge));
        let before = chain.text.len();
        let longest = texts.clone().map(|(text, _)| text.len()).max().unwrap_or(0);
        let apart: usize = texts.clone().map(|(text, _)| 1 + text_words(text.len())).sum();
        let joined: usize = texts.clone().map(|(text, _)| 1 + text_words(before + 1 + text.len())).sum();
        if before + 1 + longest > TEXT_MAX || joined > 1 + text_words(before) + apart {
            return false;
        }
        chain.span.segments += 1;
        let mut all = texts.map(|(text, target)| ([&chain.text, &b"/"[..], text].concat(), target));
        let Some((first, target)) = all.next() else { return false };
        let rest: Vec<(Vec<u8>, NodeId)> = all.collect();
        chain.beside.extend(
            rest.into_iter().map(|(text, target)| (Span { end: End::Open, ..chain.span }, text, target)),
        );
        (chain.text, chain.next) = (first, target);
        true
    }

    /// The only literal of a node that looks at a segment and otherwise leads to `other`.
    fn only(&self, node: NodeId, depth: u8, other: NodeId) -> Option<(&[u8], NodeId)> {
        match self.kept.step(node) {
            Step::Seg { depth: here, edges: Range { first, count: 1 }, other: leads_to }
                if here == depth && leads_to == other =>
            {
                Some(self.kept.edge(first))
            }
            Step::Seg { .. }
            | Step::Miss
            | Step::Leaf(_)
            | Step::Method(_)
            | Step::Segments { .. }
            | Step::Typed { .. }
            | Step::Test { .. }
            | Step::Linear(_) => None,
        }
    }

    /// Where a node that looks at a segment leads when that is none of its literals.
    fn other_of(&self, node: NodeId, depth: u8) -> Option<NodeId> {
        match self.kept.step(node) {
            Step::Seg { depth: here, other, .. } if here == depth && self.place[node as usize] == NOWHERE => {
                Some(other)
            }
            Step::Seg { .. }
            | Step::Miss
            | Step::Leaf(_)
            | Step::Method(_)
            | Step::Segments { .. }
            | Step::Typed { .. }
            | Step::Test { .. }
            | Step::Linear(_) => None,
        }
    }

    /// Whether a node only asks how the path ends.
    fn ending(&self, node: NodeId) -> Option<Ending> {
        let Step::Segments { depth, end, more } = self.kept.step(node) else { return None };
        if self.is_end(more) {
            return Some(Ending { end: End::Here, yes: end, no: more });
        }
        let Step::Seg { other, .. } = self.kept.step(more) else { return None };
        let (text, slash) = self.only(more, depth, other)?;
        let Step::Segments { depth: behind, end: same, more: longer } = self.kept.step(slash) else {
            return None;
        };
        let is_slash = text.is_empty() && behind == depth + 1 && same == end && longer == other;
        is_slash.then_some(Ending { end: End::HereOrSlash, yes: end, no: other })
    }

    fn is_end(&self, node: NodeId) -> bool {
        matches!(self.kept.step(node), Step::Miss | Step::Leaf(_))
    }

    fn typed(&self, run: &mut Run, depth: u8, capture: CaptureId, no: NodeId) {
        let test = &self.kept.captures[capture as usize];
        let class = class_number(test.class).filter(|_| test.prefix.is_empty() && test.suffix.is_empty());
        if let Some(class) = class {
            run.ask(word(Op::Class, depth, class, 0), no);
        } else {
            run.ask(word(Op::Typed, depth, 0, 0), no);
            run.words.push(u64::from(capture));
        }
    }
}

/// Segments that are compared together.
struct Chain {
    text: Vec<u8>,
    span: Span,
    next: NodeId,
    /// Others that begin like it and lead elsewhere.
    beside: Vec<(Span, Vec<u8>, NodeId)>,
}

/// How a path ends, for [`Packer::ending`].
struct Ending {
    end: End,
    yes: NodeId,
    no: NodeId,
}

fn ask_text(run: &mut Run, op: Op, depth: u8, (span, what): (Span, &[u8]), no: NodeId) {
    let len = u8::try_from(what.len()).unwrap_or(u8::MAX);
    run.ask(word(op, depth, span.encode(), len), no);
    run.words.extend(text(what));
}

/// The text that begins what a table's place leads to; a host's has the number of its site, of at most 24 bits.
fn key(what: &[u8], site: u32) -> Vec<u64> {
    let [a, b, c, _] = site.to_le_bytes();
    let mut words = vec![halves(number(what.len()), low(word(Op::Key, a, b, c)))];
    words.extend(text(what));
    words
}
