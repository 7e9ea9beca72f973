//! Constant maps: keys in their written form, and what each leads to.

use std::fmt;
use std::sync::Arc;

/// A constant map. Clones share what it holds.
#[derive(Clone)]
pub struct Table(Arc<Content>);

struct Content {
    id: u32,
    name: String,
    keys: Vec<String>,
    values: Values,
}

/// What the keys of a map lead to, in the order of the keys.
#[derive(Clone, Debug)]
pub enum Values {
    /// Texts.
    Texts(Vec<String>),
    /// Numbers.
    Ints(Vec<i64>),
    /// To themselves: the map is a set.
    Keys,
}

impl Table {
    /// A map; `id` tells it apart from all others of a program. Of equal keys the first counts.
    pub fn new(id: u32, name: &str, keys: Vec<String>, values: Values) -> Table {
        Table(Arc::new(Content { id, name: name.to_owned(), keys, values }))
    }

    /// Its number in the program.
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// How dumps call it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys.iter().map(String::as_str)
    }

    /// What they lead to.
    pub fn values(&self) -> &Values {
        &self.0.values
    }
}

/// Maps are equal when they are the same one.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} entries", self.0.name, self.0.keys.len())
    }
}
