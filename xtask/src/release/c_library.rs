//! Which C library a program for Linux needs: the oldest one with all symbol versions that the program names.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::FileHeader as _;

use crate::target::{GLIBC, Target};

/// Makes sure that a program for Linux runs on systems as old as promised.
///
/// # Errors
/// If it needs more, or cannot be read.
pub(crate) fn check(program: &Path, target: Target) -> Result<()> {
    let bytes = fs::read(program).with_context(|| format!("{} cannot be read", program.display()))?;
    let needed = needed(&bytes).with_context(|| format!("{} is no program for Linux", program.display()))?;
    let newest = needed.iter().filter_map(|it| version(it)).max();
    if target.has_glibc() {
        let newest = newest.with_context(|| format!("{} names no GNU C library", program.display()))?;
        ensure!(
            newest <= GLIBC,
            "{} needs glibc {}.{}, and {}.{} is promised: {}",
            program.display(),
            newest.0,
            newest.1,
            GLIBC.0,
            GLIBC.1,
            needed.join(", ")
        );
    } else {
        ensure!(newest.is_none(), "{} needs glibc and must not: {}", program.display(), needed.join(", "));
    }
    Ok(())
}

/// The symbol versions that it needs of all libraries, such as `GLIBC_2.17`.
fn needed(bytes: &[u8]) -> Result<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut names = Vec::new();
    if let Some((mut libraries, strings)) = sections.gnu_verneed(endian, bytes)? {
        let strings = sections.strings(endian, bytes, strings)?;
        while let Some((_, mut versions)) = libraries.next()? {
            while let Some(version) = versions.next()? {
                names.push(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
            }
        }
    }
    names.sort();
    Ok(names)
}

fn version(name: &str) -> Option<(u32, u32)> {
    let (major, rest) = name.strip_prefix("GLIBC_")?.split_once('.')?;
    let minor = rest.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_c_library() {
        assert_eq!(version("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(version("GLIBC_2.34"), Some((2, 34)));
        assert_eq!(version("GCC_3.3"), None);
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn this_test_needs_the_c_library_and_not_musl() {
        let program = std::env::current_exe().unwrap();
        let needed = needed(&fs::read(&program).unwrap()).unwrap();
        assert!(needed.iter().any(|it| it.starts_with("GLIBC_2.")), "{needed:?}");
        assert!(check(&program, Target::named("x86_64-unknown-linux-musl").unwrap()).is_err());
    }
}
