//! Oracles: programs next to the one that an example is named after.

use crate::bar::{assert_near, list};
use crate::support::{Folder, repository};

/// Results of a program below `examples/`, run with some parameters.
fn results(program: &str, n_workers: &str, sets: &[&str]) -> serde_json::Value {
    let path = repository().join("examples").join(program).display().to_string();
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<_> = ["run", &path, "--json", "--workers", n_workers].into_iter().chain(sets).collect();
    Folder::new().hasse(&args).ends(0).json()["results"].clone()
}

/// Between two walls the temperature of a rod is a straight line.
#[test]
fn the_rod_has_the_temperatures_of_a_straight_line() {
    for n_workers in ["1", "2", "8"] {
        for (sets, west) in [
            (&["n=3"][..], 0.0),
            (&["n=1", "m=1", "west=20"], 20.0),
            (&["n=5", "m=4", "west=20", "tolerance=0.0001"], 20.0),
        ] {
            let found = results("jacobi/rod.hasse", n_workers, sets);
            let temperatures = list(&found["temperatures"]);
            let part = (100.0 - west) / (temperatures.len() + 1) as f64;
            for (point, temperature) in temperatures.iter().enumerate() {
                let expected = west + part * (point + 1) as f64;
                assert_near(temperature.as_f64().unwrap(), expected, 0.1);
            }
        }
    }
}

/// Whatever the order in which they ask, those who wait for each other's forks eat in turn.
#[test]
fn the_waiter_lets_nobody_starve() {
    for n_workers in ["1", "2", "8"] {
        for (sets, n, meals) in [(&["n=3"][..], 3, 12), (&["n=7", "meals=70"], 7, 70)] {
            let found = results("philosophers/waiter.hasse", n_workers, sets);
            let eaten: Vec<i64> = list(&found["eaten"]).iter().map(|meals| meals.as_i64().unwrap()).collect();
            assert_eq!((eaten.len(), eaten.iter().sum::<i64>()), (n, meals));
            assert!(eaten.iter().all(|meals| *meals > 0), "{eaten:?}");
        }
    }
}
