//! Which language a file is written in, by its name.

/// A language of the JavaScript family, or one that such code is embedded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// `.js`, `.cjs`, `.mjs`, `.jsx`: JavaScript, with JSX wherever it appears.
    JavaScript,
    /// `.ts`, `.cts`, `.mts`.
    TypeScript,
    /// `.tsx`.
    TypeScriptJsx,
    /// `.vue`: the code is in `<script>` elements at the root.
    Vue,
    /// `.svelte`.
    Svelte,
    /// `.astro`: the code is between the fences at its start, and in scripts.
    Astro,
    /// `.html`, `.htm`: inline scripts.
    Html,
    /// `.mdx`: Markdown with `import`, `export`, and code between braces.
    Mdx,
}

impl Language {
    /// The language of a path or file name; `None` for anything else (`.d.ts` files hold no code either).
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| name.ends_with(ending)) {
            return None;
        }
        match name.rsplit_once('.')?.1 {
            "js" | "mjs" | "cjs" | "jsx" => Some(Self::JavaScript),
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "tsx" => Some(Self::TypeScriptJsx),
            "vue" => Some(Self::Vue),
            "svelte" => Some(Self::Svelte),
            "astro" => Some(Self::Astro),
            "html" | "htm" => Some(Self::Html),
            "mdx" => Some(Self::Mdx),
            _ => None,
        }
    }

    /// Whether engines run its texts as they are written.
    pub fn runs_as_it_is(self) -> bool {
        matches!(self, Self::JavaScript | Self::Html)
    }

    /// Whether only part of a text is code.
    pub fn is_markup(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro | Self::Html | Self::Mdx)
    }
}
