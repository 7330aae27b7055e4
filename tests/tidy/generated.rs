//! What follows from code is generated: a failing run says how to mend it.
