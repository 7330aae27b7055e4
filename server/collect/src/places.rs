//! The places of connections: how many there are, who has them, and who gives way when all are taken.
//!
//! A slow sender costs nothing while there are free places. When there are none left, whoever has kept the collector
//! waiting longest makes room, beginning with the sender that has the most places: a sender with a thousand slow
//! connections loses its own.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// A connection that is behind by less than this is never closed: data may take this long on its way through a network and a
/// busy machine.
const FAIR: Duration = Duration::from_millis(250);
/// How long a sender may be silent, and how fast a body must arrive, in bytes a second: the slowest that is waited for is a
/// phone at the edge of its network.
const RELAXED: Pace = Pace { silence: Duration::from_secs(5), rate: 4 << 10 };
/// The same when more than three quarters of the places or of the memory are taken.
const SCARCE: Pace = Pace { silence: Duration::from_secs(1), rate: 64 << 10 };

/// How slow a sender may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) silence: Duration,
    rate: u32,
}

impl Pace {
    /// The limits for when little is left, or for all other times.
    pub(crate) fn of(is_scarce: bool) -> Self {
        if is_scarce { SCARCE } else { RELAXED }
    }

    fn time_for(self, bytes: usize) -> Duration {
        Duration::from_secs_f64(bytes as f64 / f64::from(self.rate))
    }
}

/// All places.
#[derive(Debug)]
pub(crate) struct Places {
    limit: usize,
    taken: Mutex<Taken>,
    /// Notified when a place becomes free.
    freed: Notify,
}

/// The places that are taken, in the order in which they were taken.
#[derive(Debug, Default)]
struct Taken {
    next: u64,
    all: BTreeMap<u64, Seat>,
}

/// One connection.
#[derive(Debug)]
struct Seat {
    sender: IpAddr,
    waits: Waits,
    /// Tells the connection to end.
    leave: Arc<Notify>,
}

/// What the collector waits for, and since when. For a body this moment moves forward with what arrives, so that it tells how
/// far the sender is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// A request with its whole head, or for its answer to be read.
    Head(Instant),
    Body(Instant),
    /// Nothing: it has the whole request, and works on it.
    Not,
}

/// A place that is taken, until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    number: u64,
    leave: Arc<Notify>,
}

impl Places {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, taken: Mutex::default(), freed: Notify::new() })
    }

    /// A place for a connection from an address. If all are taken, another connection gives way, or this waits for one to.
    pub(crate) async fn take(self: &Arc<Self>, address: IpAddr) -> Place {
        let sender = sender_of(address);
        loop {
            let freed = self.freed.notified();
            if let Some(place) = self.try_take(sender, Instant::now()) {
                return place;
            }
            // Some connection may soon be behind for long enough.
            let _ = timeout(FAIR / 10, freed).await;
        }
    }

    fn try_take(self: &Arc<Self>, sender: IpAddr, now: Instant) -> Option<Place> {
        let mut taken = self.taken();
        if taken.all.len() >= self.limit {
            let number = taken.who_gives_way(sender, now)?;
            taken.all.remove(&number)?.leave.notify_one();
        }
        let (number, leave) = (taken.next, Arc::new(Notify::new()));
        taken.next += 1;
        taken.all.insert(number, Seat { sender, waits: Waits::Head(now), leave: Arc::clone(&leave) });
        Some(Place { places: Arc::clone(self), number, leave })
    }

    /// Whether more than these hundredths of the places are taken.
    pub(crate) fn is_taken(&self, hundredths: usize) -> bool {
        self.taken().all.len() * 100 > self.limit * hundredths
    }

    /// Tells the connections to end that send no request, or do not read the answer.
    pub(crate) fn send_silent_away(&self, now: Instant, pace: Pace) {
        for seat in self.taken().all.values() {
            if matches!(seat.waits, Waits::Head(since) if now.saturating_duration_since(since) >= pace.silence)
            {
                seat.leave.notify_one();
            }
        }
    }

    /// Returns when no places are taken any more.
    pub(crate) async fn all_free(&self) {
        while !self.taken().all.is_empty() {
            // Several may wait for this, and only one is notified.
            let _ = timeout(FAIR, self.freed.notified()).await;
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Of the sender with the most places, the connection that is behind for longest. A sender does not make room for one
    /// that has more places than itself.
    fn who_gives_way(&self, newcomer: IpAddr, now: Instant) -> Option<u64> {
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        self.all.values().for_each(|seat| *counts.entry(seat.sender).or_default() += 1);
        let own = counts.get(&newcomer).copied().unwrap_or_default();
        let behind = self.all.iter().filter_map(|(number, seat)| {
            let (Waits::Head(since) | Waits::Body(since)) = seat.waits else { return None };
            let count = counts.get(&seat.sender).copied().unwrap_or_default();
            let may_go = count >= own && now.saturating_duration_since(since) >= FAIR;
            may_go.then_some((std::cmp::Reverse(count), since, *number))
        });
        behind.min().map(|(.., number)| number)
    }
}

impl Place {
    /// Returns when this connection has to end.
    pub(crate) async fn is_to_leave(&self) {
        self.leave.notified().await;
    }

    /// The head of a request has arrived, and its body begins. Returns the moment since when the body has been awaited.
    pub(crate) fn begins_body(&self) -> Instant {
        let now = Instant::now();
        self.set(Waits::Body(now));
        now
    }

    /// More of a body has arrived: it was awaited since `since`. Returns how far the sender is behind now.
    pub(crate) fn has_more(&self, since: Instant, bytes: usize, pace: Pace) -> Instant {
        let since = (since + pace.time_for(bytes)).min(Instant::now());
        self.set(Waits::Body(since));
        since
    }

    /// The whole request has arrived.
    pub(crate) fn is_served(&self) {
        self.set(Waits::Not);
    }

    /// A request has its answer; the next one may come.
    pub(crate) fn waits_for_next(&self) {
        self.set(Waits::Head(Instant::now()));
    }

    fn set(&self, waits: Waits) {
        if let Some(seat) = self.places.taken().all.get_mut(&self.number) {
            seat.waits = waits;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It is already gone if it gave way.
        let was_taken = self.places.taken().all.remove(&self.number).is_some();
        if was_taken {
            self.places.freed.notify_one();
        }
    }
}

/// Who is behind an address. With IPv6 everybody has a whole network of 64 bits (RFC 6177).
fn sender_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: [u8; 4] = [192, 0, 2, 1];
    const FEW: [u8; 4] = [192, 0, 2, 2];

    /// Places that are taken by these senders, each waiting since this many milliseconds.
    fn taken(seats: &[([u8; 4], Option<u64>)]) -> (Taken, Instant) {
        let now = Instant::now() + Duration::from_secs(60);
        let waits =
            |since: Option<u64>| since.map_or(Waits::Not, |it| Waits::Head(now - Duration::from_millis(it)));
        let seat = |(sender, since): ([u8; 4], _)| Seat {
            sender: sender.into(),
            waits: waits(since),
            leave: Arc::default(),
        };
        (Taken { next: 0, all: (0..).zip(seats.iter().copied().map(seat)).collect() }, now)
    }

    #[test]
    fn who_has_most_and_is_slowest_gives_way() {
        let who = |seats: &[([u8; 4], Option<u64>)], newcomer: [u8; 4]| {
            let (taken, now) = taken(seats);
            taken.who_gives_way(newcomer.into(), now)
        };
        let crowd = [(FEW, Some(4000)), (MANY, Some(500)), (MANY, Some(900)), (MANY, Some(700)), (FEW, None)];
        // Whoever comes, one of the sender with the most places goes.
        assert_eq!([MANY, FEW, [192, 0, 2, 3]].map(|it| who(&crowd, it)), [Some(2); 3]);
        // One that is being served, or was heard from just now, stays.
        let served = [(MANY, None), (MANY, Some(249)), (MANY, None), (FEW, Some(4000))];
        assert_eq!([MANY, FEW, [192, 0, 2, 3]].map(|it| who(&served, it)), [None, Some(3), Some(3)]);
        // All come from one address, as behind a web server on the same machine.
        assert_eq!(who(&[(MANY, Some(300)), (MANY, None), (MANY, Some(2000))], MANY), Some(2));
    }

    #[test]
    fn a_network_is_one_sender() {
        let sender = |text: &str| sender_of(text.parse().unwrap()).to_string();
        assert_eq!(
            ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "2001:db8:1:3::9"]
                .map(sender),
            ["192.0.2.7", "192.0.2.7", "2001:db8:1:2::", "2001:db8:1:2::", "2001:db8:1:3::"]
        );
    }

    #[test]
    fn a_body_that_comes_is_not_behind() {
        let places = Places::new(1);
        let place = places.try_take(FEW.into(), Instant::now()).unwrap();
        let start = place.begins_body();
        // Many bytes in no time do not earn time for later.
        assert!(place.has_more(start, 4 << 10, RELAXED) < start + Duration::from_millis(900));
        let late = Instant::now().checked_sub(Duration::from_secs(4)).unwrap_or(start);
        assert_eq!(place.has_more(late, 4 << 10, RELAXED), late + Duration::from_secs(1));
        let instead = places.try_take(FEW.into(), Instant::now());
        assert!(instead.is_some(), "who is behind gives way");
        assert!(places.is_taken(99) && !places.is_taken(100));
    }
}
