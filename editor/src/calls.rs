//! Paths of instances, step by step through the calls that lead to them.

/// A call: the graph that holds it, its name, and the graph that it calls.
pub type Call = (String, String, String);

/// The instance of a call through which a path such as `/dobts[2]/Mult[3]` leads, `/dobts[2]`; `None` where it leads
/// through none. `graph` holds the call.
pub fn call_instance<'p>(
    path: &'p str,
    main: &str,
    calls: &[Call],
    graph: &str,
    call: &str,
) -> Option<&'p str> {
    let (mut here, mut end) = (main, 0);
    for step in path.strip_prefix('/')?.split('/') {
        end += 1 + step.len();
        let name = step.split('[').next().unwrap_or(step);
        let (.., called) = calls.iter().find(|known| known.0 == here && known.1 == name)?;
        if here == graph && name == call {
            return path.get(..end);
        }
        here = called;
    }
    None
}

/// One instance of a call, which is looked at without the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallScope {
    /// The graph that holds the call.
    pub graph: String,
    /// Its name.
    pub call: String,
    /// The path of the instance.
    pub path: String,
}

impl CallScope {
    /// Returns true if an action is not within another instance of the call.
    pub fn shows(&self, path: &str, main: &str, calls: &[Call]) -> bool {
        call_instance(path, main, calls, &self.graph, &self.call).is_none_or(|own| own == self.path)
    }

    /// Returns true if an action is within the instance.
    pub fn holds(&self, path: &str) -> bool {
        path.strip_prefix(self.path.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Vec<Call> {
        let call =
            |graph: &str, name: &str, called: &str| (graph.to_owned(), name.to_owned(), called.to_owned());
        vec![call("main", "outer", "mid"), call("mid", "inner", "leaf"), call("main", "inner", "leaf")]
    }

    #[test]
    fn path_leads_through_calls_of_each_graph() {
        let found = |path, graph, call| call_instance(path, "main", &calls(), graph, call).map(str::to_owned);
        let path = "/outer[2]/inner[1]/A[0]";
        assert_eq!(found(path, "main", "outer").as_deref(), Some("/outer[2]"));
        assert_eq!(found(path, "mid", "inner").as_deref(), Some("/outer[2]/inner[1]"));
        assert_eq!(found(path, "main", "inner"), None);
        assert_eq!(found("/A[0]", "main", "outer"), None);
    }

    #[test]
    fn scope_hides_other_instances_of_its_call_alone() {
        let scope =
            CallScope { graph: "main".to_owned(), call: "outer".to_owned(), path: "/outer[2]".to_owned() };
        let shows = |path| scope.shows(path, "main", &calls());
        assert!(shows("/outer[2]/inner/A") && shows("/B") && !shows("/outer[21]/inner/A"));
        assert!(scope.holds("/outer[2]/B") && !scope.holds("/outer[21]/B") && !scope.holds("/outer[2]"));
    }
}
