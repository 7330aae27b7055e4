//! Which processes a number means: on Linux each container counts its own (pid_namespaces(7)).

use std::fs;

/// The first namespace of a system (`PROC_PID_INIT_INO` of include/linux/proc_ns.h), from which all processes are seen.
const FIRST: &str = "pid:[4026531836]";

/// The namespace of this process, as `/proc` calls it; `None` on systems that have no such thing.
pub(crate) fn own() -> Option<String> {
    name("self")
}

/// Whether a process of another namespace lives; `None` if that cannot be seen from here.
pub(crate) fn lives(namespace: &str) -> Option<bool> {
    let processes = fs::read_dir("/proc").ok()?;
    let is_process = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let is_in_it = |name: &str| is_process(name) && self::name(name).as_deref() == Some(namespace);
    let is_seen = processes.flatten().any(|entry| entry.file_name().to_str().is_some_and(is_in_it));
    (is_seen || own().as_deref() == Some(FIRST)).then_some(is_seen)
}

fn name(process: &str) -> Option<String> {
    fs::read_link(format!("/proc/{process}/ns/pid")).ok()?.into_os_string().into_string().ok()
}
