//! Which processes a process number refers to: on Linux each container counts its own (pid_namespaces(7)).

use std::fs;

/// The first namespace of a system (`PROC_PID_INIT_INO` of include/linux/proc_ns.h), from which all processes are seen.
const FIRST: &str = "pid:[4026531836]";

/// The namespace of this process, as `/proc` calls it; `None` on systems that have no such thing.
pub(crate) fn own() -> Option<String> {
    name("self")
}

/// Whether a process of another namespace lives; `None` if that cannot be seen from here.
pub(crate) fn lives(namespace: &str) -> Option<bool> {
    let mut files = fs::read_dir("/proc").ok()?.flatten();
    let is_seen = files.any(|file| {
        let name = file.file_name();
        let process = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        process.is_some_and(|process| self::name(process).as_deref() == Some(namespace))
    });
    (is_seen || own().as_deref() == Some(FIRST)).then_some(is_seen)
}

fn name(process: &str) -> Option<String> {
    fs::read_link(format!("/proc/{process}/ns/pid")).ok()?.into_os_string().into_string().ok()
}
