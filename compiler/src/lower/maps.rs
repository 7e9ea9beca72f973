//! Maps and lists: constant ones become tables, and reading one entry or element a lookup.

use super::expr::{Lowering, Placed, as_text};
use super::literals;
use crate::core::{Expr, Kind, Order, Table, TableValues};
use crate::fold::fold_expr;
use crate::limits::KEY_BYTES_MAX;
use twp_lang::hir::{self, ExprKind, Ty};
use twp_lang::{Diagnostic, Span};

impl<'a> Lowering<'a> {
    /// `map[key]`
    pub(super) fn look_up(&mut self, map: Placed<'a>, key: Placed<'a>) -> Expr {
        let (map, _) = self.resolve(map);
        let key = as_text(self.written(key));
        Expr::Lookup { table: self.table(map), key: Box::new(key) }
    }

    /// The table of a constant map, made once.
    fn table(&mut self, map: &'a hir::Expr) -> Table {
        if let Some(table) = self.tables.get(&std::ptr::from_ref(map)) {
            return table.clone();
        }
        let (entries, value_ty) = match (&map.kind, &map.ty) {
            (ExprKind::Map(entries), Ty::Map(_, value)) => (entries.as_slice(), &**value),
            _ => (&[][..], &Ty::String),
        };
        let mut keys = Vec::with_capacity(entries.len());
        let mut texts = Vec::new();
        let mut numbers = Vec::new();
        for (key, value) in entries {
            keys.push(self.key(key));
            match fold_expr(self.operand((value, None))) {
                Expr::Int(number) => numbers.push(number),
                Expr::Text(text) => texts.push(text),
                // The checker lets only what is known now stand in a map.
                _ => texts.push(String::new()),
            }
        }
        let values = match literals::kind(value_ty) {
            Kind::Int => TableValues::Ints(numbers),
            Kind::Text | Kind::Bool | Kind::Ip => TableValues::Texts(texts),
        };
        let table = self.new_table(keys, values);
        self.tables.insert(map, table.clone());
        table
    }

    /// A key in its written form.
    fn key(&mut self, key: &'a hir::Expr) -> String {
        let Expr::Text(text) = fold_expr(as_text(self.written((key, None)))) else { return String::new() };
        if text.len() > KEY_BYTES_MAX {
            self.long_key(text.len(), key.span);
        }
        text
    }

    fn long_key(&mut self, len: usize, span: Span) {
        let message = format!("this key has {len} bytes, at most {KEY_BYTES_MAX} are possible");
        self.diagnostics
            .push(Diagnostic::error("E0259", message, span).help("compare so long a text with `==`"));
    }

    fn new_table(&mut self, keys: Vec<String>, values: TableValues) -> Table {
        self.n_tables += 1;
        Table::new(self.n_tables, &format!("map{}", self.n_tables), keys, values)
    }

    /// A duration in whole seconds. Durations come from what is known now, or are chosen among such.
    pub(super) fn seconds(&mut self, duration: Expr) -> Expr {
        match duration {
            Expr::Int(ms) => Expr::Int(ms / 1000),
            Expr::If { condition, then, otherwise } => Expr::If {
                condition,
                then: Box::new(self.seconds(*then)),
                otherwise: Box::new(self.seconds(*otherwise)),
            },
            Expr::Else(first, second) => {
                Expr::Else(Box::new(self.seconds(*first)), Box::new(self.seconds(*second)))
            }
            Expr::Lookup { table, key } => {
                let TableValues::Ints(durations) = table.values() else { return Expr::Absent(Kind::Int) };
                let seconds = durations.iter().map(|ms| ms / 1000).collect();
                let keys = table.keys().map(str::to_owned).collect();
                Expr::Lookup { table: self.new_table(keys, TableValues::Ints(seconds)), key }
            }
            other => other,
        }
    }

    /// `list[index]`
    pub(super) fn element(&mut self, list: Placed<'a>, index: Placed<'a>) -> Expr {
        let (list, env) = self.resolve(list);
        let (ExprKind::Set(elements), Ty::List(ty) | Ty::Set(ty)) = (&list.kind, &list.ty) else {
            return Expr::Absent(Kind::Text);
        };
        let kind = literals::kind(ty);
        let index = fold_expr(self.operand(index));
        if let Expr::Int(number) = index {
            let element = usize::try_from(number).ok().and_then(|number| elements.get(number));
            return element.map_or(Expr::Absent(kind), |element| self.operand((element, env)));
        }
        let elements: Vec<Expr> =
            elements.iter().map(|element| fold_expr(self.operand((element, env.clone())))).collect();
        if let Some(values) = constants(&elements, kind) {
            let table = self.new_table((0..elements.len()).map(|n| n.to_string()).collect(), values);
            return Expr::Lookup { table, key: Box::new(as_text(index)) };
        }
        pick(&index, 0, &elements, kind)
    }
}

/// The values of a list whose elements are all known now.
fn constants(elements: &[Expr], kind: Kind) -> Option<TableValues> {
    let text = |element: &Expr| match element {
        Expr::Text(text) => Some(text.clone()),
        _ => None,
    };
    let number = |element: &Expr| match element {
        Expr::Int(number) => Some(*number),
        _ => None,
    };
    match kind {
        Kind::Text => elements.iter().map(text).collect::<Option<_>>().map(TableValues::Texts),
        Kind::Int => elements.iter().map(number).collect::<Option<_>>().map(TableValues::Ints),
        Kind::Bool | Kind::Ip => None,
    }
}

/// The element of a number, found by halving so that long lists do not nest deeply.
fn pick(index: &Expr, first: i64, elements: &[Expr], kind: Kind) -> Expr {
    let compare = |op, number| {
        let (left, right) = (Box::new(index.clone()), Box::new(Expr::Int(number)));
        Box::new(Expr::Compare { op, left, right })
    };
    match elements {
        [] => Expr::Absent(kind),
        [only] => Expr::If {
            condition: compare(Order::Equal, first),
            then: Box::new(only.clone()),
            otherwise: Box::new(Expr::Absent(kind)),
        },
        _ => {
            let (left, right) = elements.split_at(elements.len() / 2);
            let middle = first.saturating_add(i64::try_from(left.len()).unwrap_or(i64::MAX));
            Expr::If {
                condition: compare(Order::Less, middle),
                then: Box::new(pick(index, first, left, kind)),
                otherwise: Box::new(pick(index, middle, right, kind)),
            }
        }
    }
}
