use hasse::{Error, Natives, Options, Program, RecordingMode};

use super::support::TELLERS;

fn tellers() -> Program {
    Program::from_text(TELLERS, &Natives::new()).unwrap()
}

#[test]
fn checks_are_judged_while_a_program_runs_and_afterwards() {
    let program = tellers();
    let checks = [
        "check pred Audit {Teller[2]}",
        "never a: Teller, b: Teller where a || b",
        "forall t: Teller : t.took.go == t.index + 1",
    ];
    for n_workers in [1, 2, 8] {
        let (run, verdicts) = program.run_checked(&Options::new().workers(n_workers), &checks).unwrap();
        assert_eq!(run.finished().unwrap().result::<i64>("total").unwrap(), 106);
        assert!(verdicts.iter().all(|verdict| verdict.holds), "{verdicts:?}");
        for mode in [RecordingMode::Full, RecordingMode::Minimal] {
            let (_, trace) = program.record(&Options::new().workers(n_workers).mode(mode)).unwrap();
            assert!(program.verify(&trace, &checks).unwrap().iter().all(|verdict| verdict.holds));
            let against = program.verify(&trace, &["check pred Teller {Audit}"]).unwrap();
            assert_eq!((against[0].holds, against[0].n_violations), (false, 3));
        }
    }
}

#[test]
fn races_are_found_in_a_record() {
    let program = tellers();
    let (_, trace) = program.record(&Options::new()).unwrap();
    let races = program.races(&trace).unwrap();
    assert_eq!((races.n_first(), races.n_behind()), (1, 1), "the second pair of tellers is behind the first");
    let restricted = program.restrict(&trace, &["Teller"]).unwrap();
    assert!(matches!(program.races(&restricted), Err(Error::Races(_))));
}

/// Law 3, through the library.
#[test]
fn restricting_a_record_is_recording_less() {
    let program = tellers();
    let options = Options::new().workers(1).seed(5);
    let (_, whole) = program.record(&options).unwrap();
    let (_, less) = program.record(&options.clone().select("Teller[1]").select("Audit")).unwrap();
    let restricted = program.restrict(&whole, &["Teller[1]", "Audit"]).unwrap();
    assert_eq!(restricted.digest().unwrap(), less.digest().unwrap());
    assert_ne!(restricted.digest().unwrap(), whole.digest().unwrap());
}

#[test]
fn what_does_not_fit_is_an_error() {
    let program = tellers();
    let (_, trace) = program.record(&Options::new()).unwrap();
    let (_, minimal) = program.record(&Options::new().mode(RecordingMode::Minimal)).unwrap();
    assert!(matches!(program.verify(&trace, &["check"]), Err(Error::BadCheck(_))));
    assert!(matches!(
        program.verify(&trace, &["check pred Nobody {Audit}"]),
        Err(Error::CheckNames(_) | Error::Check(_))
    ));
    assert!(matches!(
        program.run_checked(&Options::new(), &["check pred Nobody {Audit}"]),
        Err(Error::CheckNames(_))
    ));
    assert!(matches!(program.restrict(&trace, &["Nobody"]), Err(Error::Selector(_))));
    assert!(matches!(program.restrict(&minimal, &["Audit"]), Err(Error::OnlyChoices)));
    assert!(matches!(program.races(&minimal), Err(Error::Races(_))));
    let other = Program::from_text(&TELLERS.replace("amount;", "2 * amount;"), &Natives::new()).unwrap();
    assert!(matches!(other.verify(&trace, &["check pred Audit {Open}"]), Err(Error::ProgramChanged { .. })));
    let again = Program::from_text(&format!("{TELLERS}\n"), &Natives::new()).unwrap();
    assert!(matches!(again.races(&trace), Err(Error::ProgramChanged { .. })));
}
