//! Reads the types of our own requests from `proto/ext.rs`, `causes.rs` and `compare.rs`, and those of the rooms below that are in them, so
//! that they can be written in other languages. An unknown kind of type is an error: it must be added here and for each of those languages.

pub(crate) mod lua;
pub(crate) mod typescript;

use syn::{Attribute, Expr, Item, Lit, LitStr, Meta, Type as RustType};

use crate::tree::read;

/// The protocol between the server and its clients beyond the standard one.
pub(crate) struct Protocol {
    /// What holds for all values: the last paragraph of the file's own documentation.
    pub(crate) doc: String,
    pub(crate) constants: Vec<Constant>,
    pub(crate) types: Vec<Type>,
}

/// The name of a request or a notification.
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) doc: String,
}

pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    /// An object.
    Fields(Vec<Field>),
    /// One of these strings.
    Words(Vec<String>),
    /// One of these.
    OneOf(Vec<Variant>),
}

pub(crate) enum Variant {
    Kind(Kind),
    Fields(Vec<Field>),
}

pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) presence: Presence,
    /// Whether its own fields take its place.
    pub(crate) is_flat: bool,
    pub(crate) doc: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Always,
    /// It is present, and may be `null`.
    Nullable,
    /// It may be left out.
    Optional,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Number,
    Bool,
    List(Box<Kind>),
    /// A type of the standard protocol.
    Standard(String),
    /// A type of this protocol.
    Own(String),
}

/// Types of other crates: their names in messages and in their files, and the files.
const SHARED: [(&str, &str, &str); 8] = [
    ("Unit", "Unit", "server/analysis/src/views/settings.rs"),
    ("Base", "Base", "server/analysis/src/summary/model.rs"),
    ("Quantity", "Unit", "server/profile/src/model/units.rs"),
    ("Confidence", "Confidence", "server/analysis/src/symbolicate/placement.rs"),
    ("Freshness", "Freshness", "server/analysis/src/anchor/freshness.rs"),
    ("Method", "Method", "server/compare/src/verdict.rs"),
    ("Verdict", "Verdict", "server/compare/src/verdict.rs"),
    ("Problem", "Problem", PROBLEM),
];
/// The file that declares problems.
pub(crate) const PROBLEM: &str = "server/profile/src/problem.rs";
const STANDARD: [&str; 3] = ["Position", "Range", "TextDocumentIdentifier"];

/// The protocol as it is declared.
pub(crate) fn protocol() -> Protocol {
    let mut protocol = parsed(&read("server/proflens/src/proto/ext.rs"), |_| true);
    for more in ["causes", "compare"] {
        let more = parsed(&read(&format!("server/proflens/src/proto/{more}.rs")), |_| true);
        protocol.types.extend(more.types);
        protocol.constants.extend(more.constants);
    }
    for (name, declared, file) in SHARED {
        let types = parsed(&read(file), |it| it == declared).types;
        protocol.types.extend(types.into_iter().map(|it| Type { name: name.to_owned(), ..it }));
    }
    for kind in protocol.types.iter().flat_map(Type::kinds) {
        let named = kind.named();
        let is_known = kind.is_standard() || protocol.types.iter().any(|it| it.name == named);
        assert!(named.is_empty() || is_known, "what is {named}?");
    }
    protocol
}

impl Type {
    /// The kinds of everything in it.
    pub(crate) fn kinds(&self) -> Vec<&Kind> {
        match &self.shape {
            Shape::Fields(fields) => fields.iter().map(|it| &it.kind).collect(),
            Shape::Words(_) => Vec::new(),
            Shape::OneOf(variants) => variants
                .iter()
                .flat_map(|it| match it {
                    Variant::Kind(kind) => vec![kind],
                    Variant::Fields(fields) => fields.iter().map(|it| &it.kind).collect(),
                })
                .collect(),
        }
    }
}

impl Kind {
    /// Whether the standard protocol has it, or what it is a list of.
    pub(crate) fn is_standard(&self) -> bool {
        STANDARD.contains(&self.named())
    }

    /// The name of the type that it is, or is a list of; empty for types without a name.
    pub(crate) fn named(&self) -> &str {
        match self {
            Self::List(item) => item.named(),
            Self::Standard(name) | Self::Own(name) => name,
            Self::Text | Self::Integer | Self::Number | Self::Bool => "",
        }
    }
}

pub(crate) fn parsed(text: &str, is_wanted: impl Fn(&str) -> bool) -> Protocol {
    let file = syn::parse_file(text).expect("it compiles");
    let mut protocol = Protocol {
        doc: doc(&file.attrs).lines().last().unwrap_or_default().to_owned(),
        constants: Vec::new(),
        types: Vec::new(),
    };
    for item in &file.items {
        match item {
            Item::Const(it) => {
                let Expr::Lit(value) = &*it.expr else { continue };
                let Lit::Str(value) = &value.lit else { continue };
                let (name, doc) = (it.ident.to_string(), doc(&it.attrs));
                protocol.constants.push(Constant { name, value: value.value(), doc });
            }
            Item::Struct(it) if is_wanted(&it.ident.to_string()) => {
                // Clients only hand back what is not an object.
                let syn::Fields::Named(fields) = &it.fields else { continue };
                let shape = Shape::Fields(fields_of(fields, &Serde::of(&it.attrs)));
                protocol.types.push(Type { name: it.ident.to_string(), doc: doc(&it.attrs), shape });
            }
            Item::Enum(it) if is_wanted(&it.ident.to_string()) => {
                protocol.types.push(Type {
                    name: it.ident.to_string(),
                    doc: doc(&it.attrs),
                    shape: one_of(it),
                });
            }
            _ => {}
        }
    }
    protocol
}

fn one_of(declared: &syn::ItemEnum) -> Shape {
    let serde = Serde::of(&declared.attrs);
    if declared.variants.iter().all(|it| it.fields.is_empty()) {
        let word = |it: &syn::Variant| {
            Serde::of(&it.attrs).rename.unwrap_or_else(|| serde.renamed(&it.ident.to_string()))
        };
        let mut words: Vec<String> = declared.variants.iter().map(word).collect();
        words.dedup();
        return Shape::Words(words);
    }
    let variant = |it: &syn::Variant| match &it.fields {
        syn::Fields::Named(fields) if serde.is_untagged => {
            Variant::Fields(fields_of(fields, &Serde::of(&it.attrs)))
        }
        syn::Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let (kind, presence) = kind(&fields.unnamed[0].ty);
            if serde.is_untagged {
                return Variant::Kind(kind);
            }
            let name = serde.renamed(&it.ident.to_string());
            Variant::Fields(vec![Field { name, kind, presence, is_flat: false, doc: doc(&it.attrs) }])
        }
        _ => panic!("{}::{} is of a form that is not known here", declared.ident, it.ident),
    };
    Shape::OneOf(declared.variants.iter().map(variant).collect())
}

fn fields_of(fields: &syn::FieldsNamed, of_type: &Serde) -> Vec<Field> {
    let field = |it: &syn::Field| {
        let serde = Serde::of(&it.attrs);
        let name = it.ident.as_ref().expect("it has a name").to_string();
        let name = name.trim_start_matches("r#").to_owned();
        let (kind, presence) = kind(&it.ty);
        Field {
            name: serde.rename.unwrap_or_else(|| of_type.renamed(&name)),
            kind,
            presence: if serde.is_skipped { Presence::Optional } else { presence },
            is_flat: serde.is_flat,
            doc: doc(&it.attrs),
        }
    };
    fields.named.iter().map(field).collect()
}

fn kind(declared: &RustType) -> (Kind, Presence) {
    let path = match declared {
        RustType::Path(it) => &it.path,
        RustType::Reference(it) => return kind(&it.elem),
        RustType::Slice(it) => return (Kind::List(Box::new(kind(&it.elem).0)), Presence::Always),
        RustType::Array(it) => return (Kind::List(Box::new(kind(&it.elem).0)), Presence::Always),
        _ => panic!("a type that is not known here"),
    };
    let last = path.segments.last().expect("a path has segments");
    let argument = || match &last.arguments {
        syn::PathArguments::AngleBracketed(it) => {
            let argument = it.args.iter().find_map(|it| match it {
                syn::GenericArgument::Type(it) => Some(kind(it)),
                _ => None,
            });
            argument.unwrap_or_else(|| panic!("{} of what?", last.ident))
        }
        _ => panic!("{} of what?", last.ident),
    };
    let kind = match last.ident.to_string().as_str() {
        "Option" => return (argument().0, Presence::Nullable),
        "Cow" | "InUnit" => return argument(),
        "Vec" => Kind::List(Box::new(argument().0)),
        "String" | "str" | "Uri" => Kind::Text,
        "u32" | "u64" | "i32" | "i64" | "usize" => Kind::Integer,
        "f64" => Kind::Number,
        "bool" => Kind::Bool,
        name if STANDARD.contains(&name) => Kind::Standard(name.to_owned()),
        name => Kind::Own(name.to_owned()),
    };
    (kind, Presence::Always)
}

/// The serde attributes of a type, a variant or a field.
#[derive(Default)]
struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    is_untagged: bool,
    /// Whether it may be left out.
    is_skipped: bool,
    is_flat: bool,
}

impl Serde {
    fn of(attributes: &[Attribute]) -> Self {
        let mut serde = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            let read = attribute.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let value = || -> syn::Result<String> { Ok(meta.value()?.parse::<LitStr>()?.value()) };
                match name.as_str() {
                    "rename" => serde.rename = Some(value()?),
                    "rename_all" => serde.rename_all = Some(value()?),
                    "skip_serializing_if" => serde.is_skipped = !value()?.is_empty(),
                    // The same value, written in another form.
                    "serialize_with" => drop(value()?),
                    "default" => serde.is_skipped = true,
                    "flatten" => serde.is_flat = true,
                    "untagged" => serde.is_untagged = true,
                    _ => return Err(meta.error("not known here")),
                }
                Ok(())
            });
            read.unwrap_or_else(|error| panic!("an attribute of serde: {error}"));
        }
        serde
    }

    /// The name of a field or a variant.
    fn renamed(&self, name: &str) -> String {
        match self.rename_all.as_deref() {
            None => name.to_owned(),
            Some("lowercase") => name.to_lowercase(),
            Some("camelCase") => {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default();
                let first = first[..1].to_lowercase() + &first[1..];
                words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
            }
            Some("kebab-case") => {
                let dash = |(at, letter): (usize, char)| match letter.is_uppercase() && at > 0 {
                    true => format!("-{}", letter.to_lowercase()),
                    false => letter.to_lowercase().to_string(),
                };
                name.char_indices().map(dash).collect()
            }
            Some(other) => panic!("names in {other}"),
        }
    }
}

/// The documentation with one line for each of its paragraphs, without Rust's links.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|it| match &it.meta {
        Meta::NameValue(it) if it.path.is_ident("doc") => match &it.value {
            Expr::Lit(it) => match &it.lit {
                Lit::Str(it) => Some(it.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> = lines.collect();
    let paragraphs: Vec<String> = lines.split(|it| it.is_empty()).map(|it| it.join(" ")).collect();
    paragraphs.join("\n").replace("[`", "`").replace("`]", "`")
}

#[test]
fn how_declarations_are_read() {
    let protocol = parsed(
        "
        /// A [`Thing`]
        /// of ours.
        #[derive(Serialize)]
        #[serde(rename_all = \"camelCase\")]
        pub(crate) struct Costs {
            #[serde(rename = \"self\")]
            self_amount: Amount,
            /// It.
            no_stack: Option<Vec<&'static str>>,
            #[serde(skip_serializing_if = \"Option::is_none\")]
            total_ns: Option<u64>,
        }
        #[serde(rename_all = \"camelCase\")]
        enum Amount { Ns(u64), Bytes(u64) }
        #[serde(rename_all = \"lowercase\")]
        enum Word { One, Two }
        struct Handed(u32);
        const ACT: &str = \"act\";
        const LIMIT: u32 = 1;
        ",
        |it| it != "Left",
    );
    let [costs, amount, word] = &protocol.types[..] else { panic!("{}", protocol.types.len()) };
    assert_eq!((costs.name.as_str(), costs.doc.as_str()), ("Costs", "A `Thing` of ours."));
    let Shape::Fields(fields) = &costs.shape else { panic!() };
    let field = |it: &Field| (it.name.clone(), it.kind.clone(), it.presence, it.doc.clone());
    let expected = [
        ("self", Kind::Own("Amount".into()), Presence::Always, ""),
        ("noStack", Kind::List(Box::new(Kind::Text)), Presence::Nullable, "It."),
        ("totalNs", Kind::Integer, Presence::Optional, ""),
    ];
    let expected =
        expected.map(|(name, kind, presence, doc)| (name.to_owned(), kind, presence, doc.to_owned()));
    assert_eq!(fields.iter().map(field).collect::<Vec<_>>(), expected);
    let Shape::OneOf(variants) = &amount.shape else { panic!() };
    assert!(
        matches!(&variants[1], Variant::Fields(it) if it[0].name == "bytes" && it[0].kind == Kind::Integer)
    );
    assert!(matches!(&word.shape, Shape::Words(words) if *words == ["one", "two"]));
    assert_eq!(protocol.constants.iter().map(|it| it.value.as_str()).collect::<Vec<_>>(), ["act"]);
}
