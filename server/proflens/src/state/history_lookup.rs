//! Questions to the git history, answered by a thread of their own and waited for only for a limited time: costs are
//! shown without late answers first, and again when a late answer changes something.

use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use analysis::files::{FilePath, Files};

/// All questions that placing one trace asks, with their answers. The thread ends when this is dropped and everything
/// is answered.
pub(crate) struct HistoryLookup {
    to_worker: Sender<WorkerTask>,
    answers: Arc<SharedAnswers>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Question {
    /// The committed text of a file.
    Text(FilePath, SystemTime),
    /// Which files were committed.
    Files(SystemTime),
}

#[derive(Clone)]
enum Answer {
    Text(Option<Arc<[u8]>>),
    Files(Option<Arc<[FilePath]>>),
}

enum WorkerTask {
    Answer(Question),
    /// Called with whether an answer differs from the file as it is now, or tells which files there were.
    Notify(Box<dyn FnOnce(bool) + Send>),
}

struct SharedAnswers {
    state: Mutex<LookupState>,
    answered: Condvar,
}

struct LookupState {
    /// By question; `None` until it is answered.
    answers: HashMap<Question, Option<Answer>>,
    /// How much longer the questions may be waited for, all together.
    time_left: Duration,
    /// Whether `committed` returned before the answer was there.
    late: bool,
}

impl HistoryLookup {
    /// Nothing is asked yet. All questions together wait at most `time_left`.
    pub(crate) fn new(files: Arc<dyn Files>, time_left: Duration) -> Self {
        let state = LookupState { answers: HashMap::new(), time_left, late: false };
        let answers = Arc::new(SharedAnswers { state: Mutex::new(state), answered: Condvar::new() });
        let (to_worker, tasks) = channel();
        let shared = Arc::clone(&answers);
        std::thread::spawn(move || {
            let mut is_news = false;
            for task in tasks {
                match task {
                    WorkerTask::Answer(question) => {
                        let answer = match &question {
                            Question::Text(file, when) => {
                                let answer = files.committed(file, *when);
                                is_news |= answer.is_some() && answer != files.read(file);
                                Answer::Text(answer)
                            }
                            Question::Files(when) => {
                                is_news = true;
                                Answer::Files(files.committed_files(*when))
                            }
                        };
                        shared.lock().answers.insert(question, Some(answer));
                        shared.answered.notify_all();
                    }
                    WorkerTask::Notify(then) => then(std::mem::take(&mut is_news)),
                }
            }
        });
        Self { to_worker, answers }
    }

    /// What was committed of a file; also `None` if the answer is not there and there is no time left to wait for it.
    pub(crate) fn committed(&self, file: &FilePath, when: SystemTime) -> Option<Arc<[u8]>> {
        match self.ask(Question::Text(file.clone(), when)) {
            Some(Answer::Text(text)) => text,
            _ => None,
        }
    }

    /// Which files were committed, as for [`Files::committed_files`]; `None` if the answer is not there and there is no time
    /// left to wait for it.
    pub(crate) fn committed_files(&self, when: SystemTime) -> Option<Option<Arc<[FilePath]>>> {
        match self.ask(Question::Files(when)) {
            Some(Answer::Files(files)) => Some(files),
            _ => None,
        }
    }

    /// The answer to a question, if it is there in time.
    fn ask(&self, question: Question) -> Option<Answer> {
        let mut state = self.answers.lock();
        if !state.answers.contains_key(&question) {
            state.answers.insert(question.clone(), None);
            let _ = self.to_worker.send(WorkerTask::Answer(question.clone())); // the thread runs as long as `self` lives
        }
        if !state.time_left.is_zero() {
            let (began, time_left) = (Instant::now(), state.time_left);
            let waited = self.answers.answered.wait_timeout_while(state, time_left, |state| {
                state.answers.get(&question).is_some_and(Option::is_none)
            });
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.time_left = time_left.saturating_sub(began.elapsed());
        }
        let answer = state.answers.get(&question).cloned().flatten();
        state.late |= answer.is_none();
        answer
    }

    /// Whether a question was not answered in time. Its answer will be there the next time it is asked.
    pub(crate) fn is_late(&self) -> bool {
        self.answers.lock().late
    }

    /// Starts over with a new waiting time: lateness is counted from now on. Calls `then` when all questions so far are
    /// answered.
    pub(crate) fn when_answered(&self, time_left: Duration, then: impl FnOnce(bool) + Send + 'static) {
        let mut state = self.answers.lock();
        (state.late, state.time_left) = (false, time_left);
        let _ = self.to_worker.send(WorkerTask::Notify(Box::new(then))); // the thread runs as long as `self` lives
    }
}

impl SharedAnswers {
    fn lock(&self) -> MutexGuard<'_, LookupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, RecvTimeoutError};

    use super::*;

    /// Files that were all committed as `then` and are `now`, except for `same.js`; each answer waits for a signal.
    struct Slow(Mutex<Receiver<()>>);

    impl Files for Slow {
        fn folders(&self) -> &[FilePath] {
            &[]
        }

        fn list(&self) -> Arc<[FilePath]> {
            Arc::default()
        }

        fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
            Some(if file.name() == "same.js" { b"then".as_slice() } else { b"now" }.into())
        }

        fn committed(&self, _: &FilePath, _: SystemTime) -> Option<Arc<[u8]>> {
            self.0.lock().unwrap().recv().unwrap();
            Some(b"then".as_slice().into())
        }

        fn resolve(&self, file: &FilePath) -> Option<FilePath> {
            Some(file.clone())
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    fn ask(asked: &HistoryLookup, file: &str) -> Option<Arc<[u8]>> {
        asked.committed(&FilePath::new(file), SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn what_is_answered_in_time_is_not_late() {
        let (sign, signs) = channel();
        let asked = HistoryLookup::new(Arc::new(Slow(signs.into())), LONG);
        sign.send(()).unwrap();
        assert_eq!(ask(&asked, "/a.js").as_deref(), Some(b"then".as_slice()));
        assert_eq!(ask(&asked, "/a.js").as_deref(), Some(b"then".as_slice()), "and is not asked again");
        assert!(!asked.is_late());
    }

    #[test]
    fn what_is_late_is_known_later() {
        for (file, is_news) in [("/a.js", true), ("/same.js", false)] {
            let (sign, signs) = channel();
            let asked = HistoryLookup::new(Arc::new(Slow(signs.into())), Duration::from_millis(1));
            assert_eq!((ask(&asked, file), ask(&asked, "/same.js")), (None, None));
            assert!(asked.is_late());
            let (tell, told) = channel();
            asked.when_answered(LONG, move |news| tell.send(news).unwrap());
            assert_eq!(told.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
            let questions = if is_news { 2 } else { 1 };
            (0..questions).for_each(|_| sign.send(()).unwrap());
            assert_eq!(told.recv(), Ok(is_news), "{file}");
            assert_eq!(ask(&asked, file).as_deref(), Some(b"then".as_slice()));
            assert!(!asked.is_late());
        }
    }
}
