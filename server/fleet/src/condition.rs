//! A condition that selects sessions: `release=42 and page=/checkout and date>=2026-11-20`.
//!
//! The same condition is evaluated on rows here and, as `sql`, by the user's engine. So it only has what all of them evaluate
//! alike: comparisons of texts by their bytes, all of which have to hold.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use profile::problem::Problem;

/// A column that a condition can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// The day, `2026-11-20`.
    Date,
    /// The release.
    Release,
    /// The page.
    Page,
    /// The device.
    Device,
    /// The country.
    Country,
    /// The user.
    User,
}

impl Column {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Date, Self::Release, Self::Page, Self::Device, Self::Country, Self::User];

    /// Its name in tables and conditions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Release => "release",
            Self::Page => "page",
            Self::Device => "device",
            Self::Country => "country",
            Self::User => "user",
        }
    }

    /// Whether it is a folder of the lake: one value for all rows of a file.
    pub fn is_partition(self) -> bool {
        matches!(self, Self::Date | Self::Release)
    }
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

impl Operator {
    /// Operators of two characters come first.
    const ALL: [(&'static str, Self); 6] = [
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("=", Self::Equal),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// How it is written.
    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|it| it.1 == self).map_or("=", |it| it.0)
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The column that is compared.
    pub column: Column,
    /// The operator.
    pub operator: Operator,
    /// The value that it is compared with.
    pub value: String,
}

/// What sessions have to fulfil: all terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    terms: Vec<Term>,
}

impl Condition {
    /// Reads a condition; an empty text is fulfilled by all sessions.
    ///
    /// # Errors
    /// If it has another form, or names another column.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        Reader { text, rest: text.chars().peekable() }.condition()
    }

    /// Its terms, in the order in which they were written.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Both conditions.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self { terms: [self.terms.as_slice(), &other.terms].concat() }
    }

    /// Whether values fulfil it as far as they are known: `value` returns a column's value, or `None` if it has none. Columns that
    /// are not `known` are assumed to fulfil it.
    pub fn holds<'a>(
        &self,
        known: impl Fn(Column) -> bool,
        value: impl Fn(Column) -> Option<&'a str>,
    ) -> bool {
        self.terms.iter().filter(|term| known(term.column)).all(|term| match value(term.column) {
            Some(value) => term.operator.holds(value.as_bytes().cmp(term.value.as_bytes())),
            None => term.operator == Operator::NotEqual,
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Term { column, operator, value }) in self.terms.iter().enumerate() {
            let and = if number > 0 { " and " } else { "" };
            write!(f, "{and}{}{}", column.name(), operator.sign())?;
            let is_plain = !value.is_empty()
                && !value.contains(['\'', '"', '\\'])
                && !value.contains(char::is_whitespace);
            if is_plain {
                f.write_str(value)?;
            } else {
                write!(f, "'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))?;
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn condition(&mut self) -> Result<Condition, Problem> {
        let mut terms = Vec::new();
        self.space();
        while self.rest.peek().is_some() {
            if !terms.is_empty() {
                let word = self.word();
                if word != "and" {
                    return Err(self.unread(&format!("{word:?} is where \"and\" is expected")));
                }
            }
            terms.push(self.term()?);
            self.space();
        }
        Ok(Condition { terms })
    }

    fn term(&mut self) -> Result<Term, Problem> {
        self.space();
        let name = self.word();
        let Some(column) = Column::ALL.into_iter().find(|column| column.name() == name) else {
            let names = Column::ALL.map(Column::name).join(", ");
            return Err(self.unread(&format!("{name:?} is none of {names}")));
        };
        self.space();
        let Some(operator) = self.operator() else {
            return Err(self.unread(&format!("after {name} comes none of = != < <= > >=")));
        };
        self.space();
        let Some(value) = self.value() else {
            return Err(self.unread(&format!("{name} has no value, or one without its last quote")));
        };
        Ok(Term { column, operator, value })
    }

    fn space(&mut self) {
        while self.rest.next_if(|character| character.is_whitespace()).is_some() {}
    }

    fn word(&mut self) -> String {
        self.while_it_is(|character| character.is_alphanumeric() || matches!(character, '_' | '-'))
    }

    fn operator(&mut self) -> Option<Operator> {
        let at = self.text.len() - self.rest.clone().map(char::len_utf8).sum::<usize>();
        let (sign, operator) = Operator::ALL.into_iter().find(|it| self.text[at..].starts_with(it.0))?;
        sign.chars().for_each(|_| _ = self.rest.next());
        Some(operator)
    }

    fn value(&mut self) -> Option<String> {
        let Some(quote) = self.rest.next_if(|character| matches!(character, '\'' | '"')) else {
            let value = self.while_it_is(|character| !character.is_whitespace());
            return (!value.is_empty()).then_some(value);
        };
        let mut value = String::new();
        loop {
            match self.rest.next()? {
                '\\' => value.push(self.rest.next()?),
                end if end == quote => return Some(value),
                character => value.push(character),
            }
        }
    }

    /// The characters from here up to the first that does not match.
    fn while_it_is(&mut self, such: impl Fn(char) -> bool) -> String {
        std::iter::from_fn(|| self.rest.next_if(|character| such(*character))).collect()
    }

    fn unread(&self, what: &str) -> Problem {
        Problem::new(
            format!("The condition {:?} cannot be read: {what}", self.text),
            "write it like release=42 and page=/checkout and date>=2026-11-20",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_written() {
        let rows = [
            ("", ""),
            ("release=42", "release=42"),
            (" release = 1.10 and  page != /a b=c ", "an error"),
            ("page='/a b' and date >= 2026-11-20", "page='/a b' and date>=2026-11-20"),
            (r#"user="it's \"x\"" and device<tablet"#, r#"user='it\'s "x"' and device<tablet"#),
            ("page=/p?a=1&b<2", "page=/p?a=1&b<2"),
            ("country=''", "country=''"),
        ];
        for (text, expected) in rows {
            let read = Condition::parse(text).map_or("an error".to_owned(), |it| it.to_string());
            assert_eq!(read, expected, "{text}");
            if let Ok(it) = Condition::parse(&read) {
                assert_eq!(Ok(&it), Condition::parse(&it.to_string()).as_ref());
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let rows = [
            ("relase=42", "\"relase\" is none of date, release, page, device, country, user"),
            ("release", "after release comes none of = != < <= > >="),
            ("release=", "release has no value, or one without its last quote"),
            ("page='x", "page has no value, or one without its last quote"),
            ("page=x or page=y", "\"or\" is where \"and\" is expected"),
            ("page=x and", "\"\" is none of date, release, page, device, country, user"),
        ];
        for (text, what) in rows {
            let sentence = format!(
                "The condition {text:?} cannot be read: {what}. Write it like release=42 and page=/checkout and date>=2026-11-20."
            );
            assert_eq!(Condition::parse(text).map_err(|problem| problem.to_string()), Err(sentence));
        }
    }

    #[test]
    fn values_are_compared_by_their_bytes() {
        let value = |it: Column| match it {
            Column::Release => Some("9"),
            Column::Page => Some("/p"),
            _ => None,
        };
        let rows = [
            ("", true),
            ("release=9", true),
            ("release>42", true),
            ("release<=9 and page>=/p", true),
            ("release!=9", false),
            ("country=de", false),
            ("country!=de", true),
            ("country<de", false),
        ];
        for (text, expected) in rows {
            let condition = Condition::parse(text).unwrap();
            assert_eq!(condition.holds(|_| true, value), expected, "{text}");
        }
        let condition = Condition::parse("page=/other and release=9").unwrap();
        assert!(condition.holds(Column::is_partition, value), "the page is not asked");
    }
}
