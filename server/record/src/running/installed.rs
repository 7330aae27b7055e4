//! Finds an installed browser that speaks the DevTools protocol, by the places where each system keeps them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::programs;

/// The names on the `PATH`. On Windows and macOS no installer puts a browser there, but a user may.
const NAMES: [&str; 8] = [
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
];

/// Below `/Applications`, or the same folder of a user.
const OF_MACOS: [&str; 3] = [
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// Below the folders of programs. Chrome and Chromium may be installed for one user alone; Edge is part of Windows, and among the
/// 32-bit programs on most machines.
const OF_WINDOWS: [&str; 3] = [
    "Google\\Chrome\\Application\\chrome.exe",
    "Chromium\\Application\\chrome.exe",
    "Microsoft\\Edge\\Application\\msedge.exe",
];
/// The variables with these folders; the second is missing on 32-bit Windows.
const FOLDERS_OF_WINDOWS: [&str; 3] = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"];

/// A system with places of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Windows,
    MacOs,
    /// Where browsers are on the `PATH`.
    Other,
}

/// The first browser that is found: one on the `PATH` is the user's choice.
pub(crate) fn browser() -> Option<PathBuf> {
    let system = match env::consts::OS {
        "windows" => System::Windows,
        "macos" => System::MacOs,
        _ => System::Other,
    };
    let named = NAMES.iter().find_map(|name| programs::file_of(OsStr::new(name)));
    named.or_else(|| places(system, |name| env::var_os(name)).into_iter().find(|file| file.is_file()))
}

/// Where a system keeps browsers, the likeliest first.
fn places(system: System, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let below = |folders: Vec<OsString>, separator: &str, programs: &[&str]| {
        let places = programs.iter().flat_map(|program| {
            folders.iter().map(move |folder| {
                let mut place = folder.clone();
                place.push(separator);
                place.push(program);
                PathBuf::from(place)
            })
        });
        places.collect()
    };
    match system {
        System::Windows => {
            below(FOLDERS_OF_WINDOWS.iter().filter_map(|name| variable(name)).collect(), "\\", &OF_WINDOWS)
        }
        System::MacOs => {
            let own = variable("HOME").map(|mut home| {
                home.push("/Applications");
                home
            });
            below([Some("/Applications".into()), own].into_iter().flatten().collect(), "/", &OF_MACOS)
        }
        System::Other => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn shown(system: System, variables: &[(&str, &str)]) -> String {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(found.1))
        };
        places(system, variable).iter().map(|place| format!("{}\n", place.display())).collect()
    }

    #[test]
    fn each_system_has_places_of_its_own() {
        let of_windows = [
            ("ProgramFiles", "C:\\Program Files"),
            ("ProgramFiles(x86)", "C:\\Program Files (x86)"),
            ("LOCALAPPDATA", "C:\\Users\\me\\AppData\\Local"),
        ];
        expect![[r#"
            C:\Program Files\Google\Chrome\Application\chrome.exe
            C:\Program Files (x86)\Google\Chrome\Application\chrome.exe
            C:\Users\me\AppData\Local\Google\Chrome\Application\chrome.exe
            C:\Program Files\Chromium\Application\chrome.exe
            C:\Program Files (x86)\Chromium\Application\chrome.exe
            C:\Users\me\AppData\Local\Chromium\Application\chrome.exe
            C:\Program Files\Microsoft\Edge\Application\msedge.exe
            C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe
            C:\Users\me\AppData\Local\Microsoft\Edge\Application\msedge.exe
        "#]]
        .assert_eq(&shown(System::Windows, &of_windows));
        expect![[r#"
            /Applications/Google Chrome.app/Contents/MacOS/Google Chrome
            /Users/me/Applications/Google Chrome.app/Contents/MacOS/Google Chrome
            /Applications/Chromium.app/Contents/MacOS/Chromium
            /Users/me/Applications/Chromium.app/Contents/MacOS/Chromium
            /Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge
            /Users/me/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge
        "#]]
        .assert_eq(&shown(System::MacOs, &[("HOME", "/Users/me")]));
        expect![[r#""#]].assert_eq(&shown(System::Other, &[("HOME", "/home/me")]));
    }
}
