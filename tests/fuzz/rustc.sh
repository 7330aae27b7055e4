#!/bin/sh
# The compiler for `cargo xtask fuzz`, with what `cargo fuzz` gives it but for sanitizers, so that no nightly compiler is needed:
# it counts what code an input reaches, and sees what it is compared with. Cargo calls it for the crates of this project alone.
case " $* " in
    *" --crate-name build_script_build "*) exec "$@" ;;
esac
exec "$@" -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
