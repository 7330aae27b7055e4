//! Checks the completions for shells and the manual pages, which are generated from the flags of the program and packed into
//! its archive. `cargo xtask generate` writes them.

use std::collections::BTreeSet;
use std::fs;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use proflens::cli::flags::Cli;
use tests::root;

use crate::generated::check;

const FOLDER: &str = "server/proflens/share";
const SHELLS: [Shell; 5] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish];

#[test]
fn the_completions() {
    let mut names = BTreeSet::new();
    for (name, text) in SHELLS.map(completions) {
        check(&format!("{FOLDER}/completions/{name}"), &text);
        names.insert(name);
    }
    assert_eq!(listed("completions"), names);
}

#[test]
fn the_manual_pages() {
    let mut names = BTreeSet::new();
    for command in commands() {
        let name = format!("{}.1", command.get_display_name().unwrap_or(command.get_name()));
        let mut page = Vec::new();
        Man::new(command).render(&mut page).unwrap();
        check(&format!("{FOLDER}/man/{name}"), &String::from_utf8(page).unwrap());
        names.insert(name);
    }
    assert_eq!(listed("man"), names);
}

#[test]
fn completions_name_every_command_and_every_flag() {
    for (file, text) in SHELLS.map(completions) {
        for command in commands() {
            assert!(text.contains(command.get_name()), "{file}: {}", command.get_name());
            let flags = command.get_arguments().filter(|it| !it.is_hide_set());
            for flag in flags.filter_map(|it| it.get_long()) {
                assert!(text.contains(flag), "{file}: {} --{flag}", command.get_name());
            }
        }
    }
}

#[test]
fn help_fits_80_columns_and_names_every_command() {
    let mut wide = Vec::new();
    for mut command in commands() {
        let help = command.render_long_help().to_string() + &command.render_help().to_string();
        wide.extend(help.lines().filter(|it| it.chars().count() > 80).map(str::to_owned));
    }
    assert_eq!(wide, [""; 0]);
    let help = program().render_help().to_string();
    for command in &commands()[1..] {
        assert!(help.contains(&format!("\n  {} ", command.get_name())), "{}", command.get_name());
    }
}

#[cfg(unix)]
#[test]
fn bash_reads_its_completions() {
    // They are loaded as a user's shell loads them, then queried as that shell does: for `proflens re<Tab>`.
    let script = format!(
        "set -e\nsource {FOLDER}/completions/proflens.bash\n\
         COMP_WORDS=(proflens re) COMP_CWORD=1\n_proflens proflens re proflens\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    );
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(root()).output();
    let output = output.expect("bash is there");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "report\nrecord\n");
}

/// The program and its commands. The commit is left out: otherwise these files would change with each commit.
fn commands() -> Vec<Command> {
    let mut program = program().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().cloned().collect::<Vec<_>>();
    [vec![program], commands].concat()
}

fn program() -> Command {
    Cli::command().version(env!("CARGO_PKG_VERSION"))
}

fn completions(shell: Shell) -> (String, String) {
    use clap_complete::Generator as _;
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program(), "proflens", &mut text);
    (shell.file_name("proflens"), String::from_utf8(text).unwrap())
}

fn listed(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(FOLDER).join(folder)).unwrap();
    entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
}
