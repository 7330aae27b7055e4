//! proflens
