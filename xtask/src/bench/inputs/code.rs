//! A workspace of sources, and a seeded recording of the code in it that every input is written from.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

pub(super) const FILES: u32 = 100;
pub(super) const FUNCTIONS_PER_FILE: u32 = 16;
/// Half of them belong to the workspace.
pub(super) const FUNCTIONS: u32 = 2 * FILES * FUNCTIONS_PER_FILE;
const INTERVAL_MICROS: f64 = 125.0;

/// A function with the name that engines give it; places are 0-based.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) url: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Functions of the workspace, of packages and of the runtime.
pub(super) struct Code {
    pub(super) functions: Vec<Function>,
}

impl Code {
    pub(super) fn write(workspace: &Path) -> Result<Self> {
        fs::create_dir_all(workspace.join("packages/compiler/src/passes"))?;
        let mut functions = Vec::new();
        for file in 0..FILES {
            let path = format!("packages/compiler/src/passes/module-{file}.ts");
            let mut text = String::new();
            for number in 0..FUNCTIONS_PER_FILE {
                let name = format!("resolve{file}Step{number}");
                let line = text.lines().count() as u32;
                let column = format!("export function {name}").len() as u32;
                let body = "  const next: number[] = [];\n  for (const it of input) next.push(it * 2 + 1);\n  return next;";
                writeln!(text, "export function {name}(input: number[]): number[] {{\n{body}\n}}\n")?;
                functions.push(Function { name, url: format!("file:///srv/app/{path}"), line, column });
            }
            fs::write(workspace.join(path), text)?;
        }
        for number in 0..FUNCTIONS / 2 {
            let url = match number % 8 {
                0 => format!("node:internal/step{}", number % 40),
                _ => format!(
                    "file:///srv/app/node_modules/@scope/package-{}/lib/internal/index.js",
                    number % 60
                ),
            };
            let name = if number % 5 == 0 { String::new() } else { format!("visitNode{number}") };
            functions.push(Function { name, url, line: 10 + number % 4000, column: 7 + number % 80 });
        }
        Ok(Self { functions })
    }
}

impl Code {
    /// What a function calls: few functions, some of them far more often than others.
    fn callee(&self, caller: u32, which: u32) -> u32 {
        let mut random = Random::default();
        random.0 ^= u64::from(caller) << 32 | u64::from(which) << 8;
        random.below(2); // spreads what was just put in
        random.skewed(self.functions.len() as u32)
    }
}

/// Call paths and what was sampled.
pub(super) struct Recording {
    /// The caller of each call path, as an index; of lower index than itself.
    pub(super) callers: Vec<Option<u32>>,
    /// Its function, as an index into [`Code::functions`].
    pub(super) functions: Vec<u32>,
    /// The sampled call path, or `None` if no code ran, and the microseconds since the previous sample.
    pub(super) samples: Vec<(Option<u32>, i64)>,
}

impl Recording {
    /// At most `run` neighbouring samples are of the same call path.
    pub(super) fn new(code: &Code, nodes: u32, samples: u32, run: u32) -> Self {
        let mut random = Random::default();
        let mut recording = Self { callers: Vec::new(), functions: Vec::new(), samples: Vec::new() };
        // A random walk over stacks: it goes up a little, then down again, and turns back near 290.
        let mut stack: Vec<u32> = Vec::new();
        for node in 0..nodes {
            let back = if stack.len() > 280 { 200 } else { random.below(3) * random.below(3) };
            stack.truncate(stack.len().saturating_sub(back as usize));
            let caller = stack.last().copied();
            recording.callers.push(caller);
            let calls = caller.map_or(0, |it| recording.functions[it as usize]);
            recording.functions.push(code.callee(calls, random.below(5) * random.below(4)));
            stack.push(node);
        }
        while recording.samples.len() < samples as usize {
            let path = (random.below(100) >= 6).then(|| random.below(nodes));
            for _ in 0..=random.below(run) {
                let spread = (f64::from(random.below(2000)) - 1000.0) / 1000.0;
                let micros = INTERVAL_MICROS * (1.0 + spread * spread * spread);
                let late = random.below(2000) == 0;
                recording.samples.push((path, if late { -(micros as i64) } else { micros as i64 }));
            }
        }
        recording.samples.truncate(samples as usize);
        recording
    }
}

/// xorshift64*: small, and the same on every machine.
pub(super) struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl Random {
    /// A number below `end`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((high * u64::from(end)) >> 32) as u32
    }

    /// A number below `end`, low ranks far more often than others: a few functions are on most stacks.
    fn skewed(&mut self, end: u32) -> u32 {
        let share = f64::from(self.below(1 << 24)) / f64::from(1 << 24);
        // Spread over all files, so that the hot ones are not all in the first.
        let rank = (share * share * f64::from(end)) as u64;
        ((rank * 7919) % u64::from(end)) as u32
    }
}
