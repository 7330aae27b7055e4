//! How often the comparison is wrong, and what it finds, in sessions for which the truth is known.
//!
//! The sessions are like real ones: the times of a function are log-normal with a coefficient of variation of 1, it does not run in a fifth
//! of the sessions, all functions of a session share its machine, and what is seen of a user in one session is seen in the others.

use compare::change::FunctionChange;
use fleet::comparison::{Per, SideSums, compare};
use fleet::ids::Id;
use fleet::moments::Moments;
use fleet::names::SymbolRow;

/// Numbers that look random and are the same each time (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.next()).ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos()
    }

    /// Log-normal with a mean of 1.
    fn spread(&mut self, sigma: f64) -> f64 {
        (sigma * self.normal() - sigma * sigma / 2.0).exp()
    }
}

/// How sessions are made.
#[derive(Clone, Copy)]
struct World {
    functions: usize,
    sessions: [u32; 2],
    /// The part of the sessions in which a function runs.
    runs: f64,
    /// The factor by which function 0 is slower in b.
    slower: f64,
    per: Per,
}

const LIFE: World = World { functions: 60, sessions: [300; 2], runs: 0.8, slower: 1.0, per: Per::Session };
/// Together they have a coefficient of variation of 1: what a session shares with its user, and what is its own.
const OF_USER: f64 = 0.4;
const OWN: f64 = 0.73;

fn side(random: &mut Random, world: World, side: usize) -> Moments {
    let mut moments = Moments::default();
    let mut left = world.sessions[side];
    while left > 0 {
        // One in three has one session, the others have two or three.
        let sessions = (1 + (random.next() * 3.0) as u32).min(left);
        left -= sessions;
        let machine = random.spread(0.4);
        let mut costs = vec![0_u64; world.functions];
        let habits: Vec<f64> = costs.iter().map(|_| random.spread(OF_USER)).collect();
        let mut active = 0;
        for _ in 0..sessions {
            let speed = machine * random.spread(0.3);
            for (function, (sum, habit)) in costs.iter_mut().zip(&habits).enumerate() {
                if random.next() >= world.runs {
                    continue;
                }
                let slower = if function == 0 && side == 1 { world.slower } else { 1.0 };
                let ns = (3e6 * speed * habit * random.spread(OWN) * slower) as u64;
                moments.add_cost(1000 + function as Id, [1, 1], [ns, ns]);
                *sum += ns;
                active += ns;
            }
        }
        let work = match world.per {
            Per::Session => u64::from(sessions),
            Per::Active => active / 1000,
        };
        moments.add_cluster(work, u64::from(sessions), active);
        for (function, &ns) in costs.iter().enumerate().filter(|it| *it.1 > 0) {
            moments.add_product(1000 + function as Id, work, [ns, ns]);
        }
    }
    moments
}

/// The functions that are reported as changed, in the order of the comparison.
fn changed(random: &mut Random, world: World) -> Vec<String> {
    let symbols: Vec<SymbolRow> = (0..world.functions)
        .map(|it| SymbolRow { path: Some(format!("f{it}")), ..SymbolRow::default() })
        .collect();
    let sides = [0, 1].map(|it| side(random, world, it));
    let rows = [0, 1].map(|it: usize| sides[it].rows(it as i64).expect("sums that fit"));
    let sums = [0, 1].map(|it: usize| SideSums { rows: &rows[it], active: sides[it].active_time() });
    let comparison = compare(sums, world.per, |it| symbols.get(it as usize - 1000)).expect("two sides");
    let is_said = |it: &&FunctionChange| it.verdict.is_change() || it.is_certain_news(comparison.settings);
    comparison.functions.iter().filter(is_said).map(|it| it.key.path.to_string()).collect()
}

/// In how many of this many comparisons of equal sides any change is reported.
fn alarms(random: &mut Random, world: World, comparisons: usize) -> usize {
    (0..comparisons).filter(|_| !changed(random, world).is_empty()).count()
}

/// In how many comparisons the slow function is the first.
fn found(random: &mut Random, world: World, comparisons: usize) -> usize {
    (0..comparisons).filter(|_| changed(random, world).first().is_some_and(|it| it == "f0")).count()
}

#[test]
fn at_most_five_of_a_hundred_comparisons_of_the_same_raise_an_alarm() {
    let mut random = Random(1);
    let worlds = [
        ("per session", LIFE),
        ("per active time", World { per: Per::Active, ..LIFE }),
        ("sides of unequal size", World { sessions: [60, 900], ..LIFE }),
        ("functions that run seldom", World { runs: 0.05, sessions: [600; 2], ..LIFE }),
    ];
    for (name, world) in worlds {
        let alarms = alarms(&mut random, world, 200);
        assert!(alarms <= 16, "{alarms} of 200, {name}"); // 10 expected at the most, and two standard errors
    }
}

#[test]
fn a_slow_function_is_found_first() {
    let mut random = Random(2);
    let found = found(&mut random, World { slower: 1.3, sessions: [4000; 2], ..LIFE }, 20);
    assert!(found >= 19, "{found} of 20");
}

/// The figures of docs/fleet-compare.md.
#[test]
#[ignore = "takes minutes and prints figures: cargo test --release -p fleet --test simulated -- --ignored --nocapture"]
fn figures() {
    let mut random = Random(3);
    for per in [Per::Session, Per::Active] {
        for (sessions, comparisons) in [(1000, 200), (10_000, 20), (100_000, 3)] {
            let world = World { functions: 600, sessions: [sessions; 2], per, ..LIFE };
            let alarms = alarms(&mut random, world, comparisons);
            let found = found(&mut random, World { slower: 1.15, ..world }, comparisons);
            println!("{per:?} {sessions}: {alarms} alarms, {found} found, of {comparisons} each");
        }
    }
    for sessions in [[100, 10_000], [500, 10_000]] {
        for runs in [0.8, 0.05, 0.005] {
            let world = World { functions: 600, sessions, runs, ..LIFE };
            println!("{sessions:?}, runs in {runs}: {} alarms of 100", alarms(&mut random, world, 100));
        }
    }
}
