//! Commands for the user to copy to a shell: text in them that others chose must stay one word.

use profile::plain::plain;

/// Quotes a text as one word of a shell, without special meaning to the shell.
pub(crate) fn word(text: &str) -> String {
    // A text without special characters is easier to read as it is.
    if text.chars().all(is_plain) && !text.is_empty() && !text.starts_with('-') {
        return text.to_owned();
    }
    if cfg!(windows) {
        // File names have no quotes there; PowerShell and cmd would expand variables in it.
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
