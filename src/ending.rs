//! Endings of commands, and their exit codes.

use std::process::ExitCode;

use crate::fault::Fault;
use crate::report;

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing is wrong.
    Fine,
    /// The program or a check failed, and was reported.
    Failed,
}

impl Ending {
    pub(crate) fn failed_if(has_failed: bool) -> Self {
        if has_failed { Ending::Failed } else { Ending::Fine }
    }
}

pub(crate) fn exit_code(ended: Result<Ending, Fault>) -> ExitCode {
    ExitCode::from(exit_number(ended))
}

/// Reports a fault; returns the number with which the process ends.
pub(crate) fn exit_number(ended: Result<Ending, Fault>) -> u8 {
    match ended {
        Ok(Ending::Fine) => 0,
        Ok(Ending::Failed) => 1,
        Err(fault) => {
            report::print_fault(&fault);
            fault.exit_code()
        }
    }
}
