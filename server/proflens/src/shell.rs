//! Commands that the user is told to copy to a shell: what is in them of others must stay one word.

use profile::plain::plain;

/// A text as one word of a shell, which finds nothing in it to do.
pub(crate) fn word(text: &str) -> String {
    // What no shell finds anything in is easier to read as it is.
    if text.chars().all(is_plain) && !text.is_empty() && !text.starts_with('-') {
        return text.to_owned();
    }
    if cfg!(windows) {
        // A name of a file has no quotes there; PowerShell and cmd would find variables in it.
        return format!("\"{}\"", plain(text).replace(['"', '$', '%', '`'], ""));
    }
    format!("'{}'", plain(text).replace('\'', r"'\''"))
}

fn is_plain(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '/' | '.' | '_' | '-' | '@' | ':' | '+' | ',')
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_finds_one_word() {
        for text in
            ["a", "../x@1.2/y.js", "a b", "'; echo x; '", "$(echo x)`echo x`\"", "\\", "-n", "a\u{202e}b"]
        {
            let printed = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", word(text))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(printed.stdout).unwrap(), plain(text), "{text:?}");
        }
    }
}
