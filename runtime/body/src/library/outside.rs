//! The run and its surroundings, and random numbers.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const RUN: Family = Family {
    title: "The run and its surroundings",
    about: "What the program says, and what it asks of clock, environment and standard input.",
    functions: RUN_FUNCTIONS,
};

const RUN_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "elapsed() -> real",
        "Seconds since the run began; never goes back.",
        "",
        "let start = elapsed(); elapsed() >= start",
    ),
    function(
        "env(name: string) -> string or ()",
        "A variable of the environment; `()` where it is not set.",
        "it is not granted by `--allow-env`; its value is not UTF-8",
        r#"env("HASSE_NOT_SET") == ()"#,
    ),
    function(
        "exit(); exit(x: any)",
        "Ends the body at once, as if it had come to its end; `x` is not looked at.",
        "",
        "exit(true); false",
    ),
    function(
        "print(x: any); print()",
        "Writes `x` to the program's output, as whole lines. Vectors, matrices, arrays, maps and structs show their numbers; of large ones the shape, figures and both ends.",
        "",
        "print(`${1 + 1} lines`); true",
    ),
    function(
        "read_line() -> string or (); read_line(stream: int) -> string or ()",
        "The next line of standard input or of a stream without its end; `()` at the end.",
        "it cannot be read; it is not UTF-8; it is longer than 64 MiB",
        r#"read_line() == "typed""#,
    ),
    function(
        "result(name: string, x: any)",
        "Sets a named result of the run. The last one in causal order wins; two concurrent ones are R0002.",
        "`x` is a function or a range",
        r#"result("total", 42); true"#,
    ),
    function(
        "sleep(seconds: real); sleep(seconds: int)",
        "Waits, by the clock of the run; [no worker waits](language/world.md).",
        "the number is negative or not finite",
        "let start = elapsed(); sleep(0.01); elapsed() - start >= 0.01",
    ),
    function(
        "time() -> real",
        "Seconds since 1970-01-01 00:00 UTC, negative before. The system's clock: it can be set back.",
        "",
        "time() > 1.6e9",
    ),
];

/// The family.
pub(super) const RANDOM: Family = Family {
    title: "Random numbers",
    about: "Every event draws from its own stream, made from the run's seed, the action's path and the event's count. With `--seed N` an action therefore draws the same numbers in every run, in whatever order events are executed. Without `--seed`, the seed is drawn; each call is recorded either way.",
    functions: RANDOM_FUNCTIONS,
};

const RANDOM_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "random() -> real",
        "Uniform in [0, 1), a multiple of 2^-53.",
        "",
        "let x = random(); x >= 0.0 && x < 1.0",
    ),
    function(
        "random_choice(items: T[]) -> T",
        "One of the items, all alike.",
        "there is none",
        "random_choice([7, 7]) == 7",
    ),
    function(
        "random_int(low: int, high: int) -> int",
        "Uniform in `low..=high`.",
        "`low` is greater than `high`",
        "let k = random_int(1, 6); k >= 1 && k <= 6",
    ),
    function(
        "random_normal() -> real; random_normal(mean: real, deviation: real) -> real",
        "Normally distributed, with mean 0 and deviation 1 or those given.",
        "the deviation is negative or NaN",
        "random_normal(5.0, 0.0) == 5.0",
    ),
    function(
        "random_vector(n: int) -> vector",
        "`n` numbers, uniform in [0, 1). Recorded as one number.",
        "`n` is negative or too large",
        "random_vector(3).len == 3",
    ),
    function(
        "shuffle(items: T[])",
        "Puts the items of an array into a random order, in place; all orders alike. Recorded as one number.",
        "",
        "let a = [1, 2, 3]; a.shuffle(); a.sort(); a == [1, 2, 3]",
    ),
];
