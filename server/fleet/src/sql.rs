//! The queries as text for the user's engine, which returns the same rows as this program: `slice`, `costs` and `compare`.
//!
//! Each text is one statement, without a semicolon, so that it can also be part of another statement. It depends on no setting of
//! the engine and changes none. All it does is compare texts by bytes, and add, multiply and divide non-negative integers.

mod compare;
mod dialect;

use std::fmt::Write as _;

pub use dialect::{Dialect, LakePath};

use crate::condition::{Column, Condition};
use crate::rows::Row;
use crate::tables::{COSTS, SESSIONS, STACKS, Table};

/// Which sessions form a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Those of a user; a session without a user is a cluster of its own.
    #[default]
    User,
    /// Each session by itself.
    Session,
}

/// The columns of the result of the query `costs`.
pub const COSTS_COLUMNS: [&str; 6] =
    ["definition", "self_ns", "total_ns", "self_samples", "total_samples", "sessions"];

/// The lake as an engine sees it, and how the engine is queried.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The engine's language.
    pub dialect: Dialect,
    /// Where the engine finds the lake.
    pub lake: LakePath,
}

/// A `with` query that is written table by table.
struct Query {
    text: String,
    tables: usize,
}

impl Query {
    fn new(name: &str, dialect: Dialect) -> Self {
        let text = format!(
            "-- Proflens: the query {name} for {}.\n-- Run proflens-fleet compact on the lake before: a session in several shards counts several times.\n",
            dialect.name()
        );
        Self { text, tables: 0 }
    }

    fn table(&mut self, name: &str, body: &str) {
        let before = if self.tables == 0 { "with " } else { ",\n" };
        self.tables += 1;
        let body = body.trim().replace('\n', "\n  ");
        let _ = write!(self.text, "{before}{name} as (\n  {body}\n)");
    }

    fn select(mut self, body: &str) -> String {
        self.text.push('\n');
        self.text.push_str(body.trim());
        self.text.push('\n');
        self.text
    }
}

/// A 64-bit integer with a name.
fn integer(expression: &str, name: &str) -> String {
    format!("cast({expression} as bigint) as {name}")
}

/// Expressions with names, as the columns of a `select`.
fn columns(expressions: &[(&str, &str)]) -> String {
    let all: Vec<String> = expressions.iter().map(|(expression, name)| integer(expression, name)).collect();
    all.join(",\n  ")
}

/// A `select` of expressions with the names of a result; `rest` is what follows them.
fn select<const N: usize>(expressions: [&str; N], names: [&str; N], rest: &str) -> String {
    let named: Vec<(&str, &str)> = expressions.into_iter().zip(names).collect();
    format!("select\n  {}\n{rest}", columns(&named))
}

/// All columns of a table, as they are written in a `select`.
fn all_columns(table: &Table) -> String {
    table.column_names().collect::<Vec<_>>().join(", ")
}

impl Asked {
    /// The query `slice`; its result has [`Row::COLUMNS`].
    pub fn slice(&self, condition: &Condition) -> String {
        let mut query = Query::new("slice", self.dialect);
        self.chosen(&mut query, condition);
        for table in [&STACKS, &COSTS] {
            self.of_chosen(&mut query, table, self.terms(condition, Column::is_partition));
        }
        let all = [
            select(
                [
                    "0",
                    "0",
                    "0",
                    "sum(sessions.active_ns)",
                    "sum(sessions.total_ns)",
                    "sum(sessions.samples)",
                    "count(*)",
                ],
                Row::COLUMNS,
                "from sessions\nhaving count(*) > 0",
            ),
            select(
                ["1", "stacks.stack", "0", "0", "sum(stacks.ns)", "sum(stacks.samples)", "count(*)"],
                Row::COLUMNS,
                "from stacks\ngroup by stacks.stack",
            ),
            select(
                [
                    "2",
                    "costs.definition",
                    "costs.total_bucket",
                    "sum(costs.self_ns)",
                    "sum(costs.total_ns)",
                    "sum(costs.total_samples)",
                    "count(*)",
                ],
                Row::COLUMNS,
                "from costs\ngroup by costs.definition, costs.total_bucket",
            ),
            select(
                [
                    "3",
                    "costs.definition",
                    "costs.self_bucket",
                    "sum(costs.self_ns)",
                    "sum(costs.total_ns)",
                    "sum(costs.self_samples)",
                    "count(*)",
                ],
                Row::COLUMNS,
                "from costs\ngroup by costs.definition, costs.self_bucket",
            ),
        ];
        query.table("summed", &all.join("\nunion all\n"));
        query.select(&format!("select {}\nfrom summed\norder by kind, id, bucket", Row::COLUMNS.join(", ")))
    }

    /// The query `costs`; its result has [`COSTS_COLUMNS`].
    pub fn costs(&self, condition: &Condition) -> String {
        let mut query = Query::new("costs", self.dialect);
        self.chosen(&mut query, condition);
        self.of_chosen(&mut query, &COSTS, self.terms(condition, Column::is_partition));
        let values = [
            "costs.definition",
            "sum(costs.self_ns)",
            "sum(costs.total_ns)",
            "sum(costs.self_samples)",
            "sum(costs.total_samples)",
            "count(*)",
        ];
        query.table("summed", &select(values, COSTS_COLUMNS, "from costs\ngroup by costs.definition"));
        query.select(&format!("select {}\nfrom summed\norder by definition", COSTS_COLUMNS.join(", ")))
    }

    /// The table `sessions`, restricted to the chosen ones.
    fn chosen(&self, query: &mut Query, condition: &Condition) {
        let names = ["session", "samples", "total_ns", "active_ns"];
        query.table("sessions", &self.select_sessions(&names, condition));
    }

    /// A `select` of chosen sessions.
    fn select_sessions(&self, names: &[&str], condition: &Condition) -> String {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        for column in Column::ALL.into_iter().filter(|column| !column.is_partition()) {
            let name = self.dialect.name_of(column);
            if condition.terms().iter().any(|term| term.column == column) && !names.contains(&name) {
                names.push(name);
            }
        }
        self.rows(&SESSIONS, &names.join(", "), &self.terms(condition, |_| true))
    }

    /// The rows of a table that belong to chosen sessions, in the partitions that `terms` name.
    fn of_chosen(&self, query: &mut Query, table: &Table, mut terms: Vec<String>) {
        terms.push(
            "(session, lake_date, lake_release) in (select session, lake_date, lake_release from sessions)"
                .to_owned(),
        );
        query.table(table.name, &self.rows(table, &all_columns(table), &terms));
    }

    /// The rows of a table, with day and release.
    fn rows(&self, table: &Table, columns: &str, terms: &[String]) -> String {
        let [date, release] = self.dialect.partitions();
        let files = self.dialect.files(&self.lake, table);
        let mut text = format!(
            "select *\nfrom (\n  select\n    {columns},\n    {date} as lake_date,\n    {release} as lake_release\n  from {files}\n) as rows_of_{}",
            table.name
        );
        for (number, term) in terms.iter().enumerate() {
            let _ = write!(text, "\n{} {term}", if number == 0 { "where" } else { "  and" });
        }
        text
    }

    fn terms(&self, condition: &Condition, only: impl Fn(Column) -> bool) -> Vec<String> {
        condition
            .terms()
            .iter()
            .filter(|term| only(term.column))
            .map(|term| self.dialect.term(term))
            .collect()
    }
}

#[cfg(test)]
mod tests;
