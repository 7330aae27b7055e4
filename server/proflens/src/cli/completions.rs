//! `proflens completions`: what a shell reads to complete the commands and flags of the program.

use super::{Outcome, print};

/// The flags of `completions`.
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Runs it. The texts are packed with the program; `cargo xtask generate` writes them from its flags.
pub fn run(args: &CompletionsArgs) -> Outcome {
    let text = match args.shell {
        Shell::Bash => include_str!("../../share/completions/proflens.bash"),
        Shell::Elvish => include_str!("../../share/completions/proflens.elv"),
        Shell::Fish => include_str!("../../share/completions/proflens.fish"),
        Shell::Powershell => include_str!("../../share/completions/_proflens.ps1"),
        Shell::Zsh => include_str!("../../share/completions/_proflens"),
    };
    Outcome::of_result(print(text))
}
