//! How the engines differ: in where files are read, where days and releases come from, and how names and texts are written.

use std::str::FromStr;

use profile::problem::Problem;

use crate::condition::{Column, Operator, Term};
use crate::tables::{Table, Type};

/// The language of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Spark SQL.
    Spark,
    /// `ClickHouse`: `clickhouse local`, a server that can reach the files, or chDB.
    Clickhouse,
    /// `DuckDB`.
    Duckdb,
}

/// Where the engine finds a lake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LakePath(String);

/// What engines read as a pattern or a variable, or as the end of a text.
const SPECIAL: &str = "'\"`\\*?[]{}$;";

impl FromStr for LakePath {
    type Err = Problem;

    /// # Errors
    /// If engines would read the path as a pattern, or it ends a text early.
    fn from_str(path: &str) -> Result<Self, Problem> {
        if path.is_empty() {
            return Err(Problem::new("The path of the lake is empty", "name its folder"));
        }
        if let Some(special) = path.chars().find(|it| it.is_control() || SPECIAL.contains(*it)) {
            return Err(Problem::new(
                format!("The path {path:?} has a {special:?}, which engines do not take as it is"),
                "give the lake another path, or a link to it",
            ));
        }
        let folder = path.trim_end_matches('/');
        Ok(Self(if folder.is_empty() { "/" } else { folder }.to_owned()))
    }
}

impl Dialect {
    /// The engine's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spark => "Spark SQL",
            Self::Clickhouse => "ClickHouse",
            Self::Duckdb => "DuckDB",
        }
    }

    /// The files of a table, in the form that follows `from`.
    pub(super) fn files(self, LakePath(lake): &LakePath, table: &Table) -> String {
        let folder = format!("{}/{}", lake.trim_end_matches('/'), table.name);
        let files = format!("{folder}/date=*/release=*/*.parquet");
        match self {
            Self::Spark => format!("parquet.`{folder}`"),
            Self::Clickhouse => {
                let columns: Vec<String> = table
                    .columns
                    .iter()
                    .map(|(name, kind)| match kind {
                        Type::Integer => format!("{name} Int64"),
                        Type::Text => format!("{name} String"),
                        Type::OptionalText => format!("{name} Nullable(String)"),
                    })
                    .collect();
                // Unless days and releases are declared as texts, their type is guessed from the first file, and the others
                // may not fit.
                let partitions = "date String, release String";
                format!("file('{files}', Parquet, '{partitions}, {}')", columns.join(", "))
            }
            Self::Duckdb => format!(
                "read_parquet('{files}', hive_partitioning = true, hive_types = {{'date': varchar, 'release': varchar}})"
            ),
        }
    }

    /// The day and the release of a row. Both are texts, though they look like dates and numbers: 1.10 is not 1.1. Only a setting keeps
    /// Spark from reading them as numbers, so there they are taken from the path of the file; the same goes for ClickHouse, whose older
    /// versions do not read them at all.
    pub(super) fn partitions(self) -> [String; 2] {
        [Column::Date.name(), Column::Release.name()].map(|name| match self {
            Self::Spark => {
                format!("substring_index(substring_index(_metadata.file_path, '/{name}=', -1), '/', 1)")
            }
            Self::Clickhouse => format!("extract(_path, '.*/{name}=([^/]*)/')"),
            Self::Duckdb => format!("\"{name}\""),
        })
    }

    /// The name of a column in a `select` of sessions. `user` is a function in most engines.
    pub(super) fn name_of(self, column: Column) -> String {
        match (column, self) {
            (Column::User, Self::Duckdb) => "\"user\"".to_owned(),
            (Column::User, _) => "`user`".to_owned(),
            (Column::Date, _) => "lake_date".to_owned(),
            (Column::Release, _) => "lake_release".to_owned(),
            (other, _) => other.name().to_owned(),
        }
    }

    /// A comparison. A missing value only satisfies `!=`.
    pub(super) fn term(self, Term { column, operator, value }: &Term) -> String {
        let name = self.name_of(*column);
        let sign = match operator {
            Operator::NotEqual => "<>",
            other => other.sign(),
        };
        let text = format!("{name} {sign} {}", self.text(value));
        if *operator == Operator::NotEqual && !column.is_partition() {
            format!("({text} or {name} is null)")
        } else {
            text
        }
    }

    /// A division of non-negative integers, without the remainder.
    pub(super) fn divided(self, number: &str, by: u64) -> String {
        match self {
            Self::Spark | Self::Clickhouse => format!("{number} div {by}"),
            Self::Duckdb => format!("{number} // {by}"),
        }
    }

    /// A text. Engines and the programs around them differ in how they treat quotes, backslashes, dollars, braces and semicolons in
    /// a text, in some cases depending on settings. So a text with other than plain characters is written by its bytes.
    pub(super) fn text(self, value: &str) -> String {
        if value.chars().all(|it| it.is_alphanumeric() || " /._-:~@+=&,()!".contains(it)) {
            return format!("'{value}'");
        }
        let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        match self {
            Self::Spark => format!("decode(unhex('{hex}'), 'UTF-8')"),
            Self::Clickhouse => format!("unhex('{hex}')"),
            Self::Duckdb => format!("decode(unhex('{hex}'))"),
        }
    }
}
