//! Breaks of the programs with rates, delays and errors that are handled.

use super::Break;
use super::Where::{At, Here};

pub(super) const H263: &[Break] = &[
    ("typo in the port of an arc", "\"IQ.block -> IDCT.block\"", "\"IQ.block -> IDCT.blok\"", Here),
    ("typo in the node of an arc", "\"IDCT.block -> MC.block\"", "\"IDTC.block -> MC.block\"", Here),
    (
        "missing arc",
        "  \"MC.frame -> VLD.frame\",   # 1 : 1, with one value at the start\n",
        "",
        At(&["route = [\"frame <- count\"]", "out  = { frame = \"int\" }"]),
    ),
    (
        "name that no `for` binds",
        "\"block -> b[k] for k in 0..blocks\"",
        "\"block -> b[i] for k in 0..blocks\"",
        Here,
    ),
    ("missing bound of a `for`", "for k in 0..blocks if count", "for k in 0.. if count", Here),
    ("typo in a parameter", "if count <= frames\"", "if count <= frame\"", Here),
    ("missing operator", "\"block <- 2 * b + 1\"", "\"block <- 2 b + 1\"", Here),
    ("another type than the port", "\"block <- b * b % 251\"", "\"block <- b * b / 251.0\"", Here),
    ("missing `else`", "{ picture[k] } else { 0 };", "{ picture[k] } { 0 };", Here),
    (
        "a number in place of the array",
        "vars = { picture = \"int[]\", sums = \"int[]\" }",
        "vars = { picture = \"int[]\", sums = \"int\" }",
        At(&["vars = { picture", "sums.push(sum);", "result(\"sums\", sums);"]),
    ),
];

pub(super) const SENSOR: &[Break] = &[
    ("unit that does not exist", "count after 1 ms if", "count after 1 msec if", Here),
    ("delay without a number", "true after 5 ms if rule == 0", "true after ms if rule == 0", Here),
    (
        "delay written behind the guard",
        "\"next <- count after 1 ms if count < samples\"",
        "\"next <- count if count < samples after 1 ms\"",
        Here,
    ),
    ("typo in a policy", "full = \"drop-oldest\"", "full = \"drop-oldst\"", Here),
    (
        "a bound that no queue can have",
        "{ type = \"int\", bound = 4 }",
        "{ type = \"int\", bound = 0 }",
        Here,
    ),
    ("typo in `on_error`", "on_error = [", "on_eror = [", Here),
    ("`error` in a rule for events without errors", "\"sample <- sample\"", "\"sample <- error\"", Here),
    (
        "an error at a port of another type",
        "out      = { sample = \"int\", unreadable = \"error\" }",
        "out      = { sample = \"int\", unreadable = \"string\" }",
        At(&["out      = { sample", "\"unreadable <- error\"", "\"Read.unreadable -> Count.unreadable\""]),
    ),
    (
        "missing arc",
        "  \"Read.unreadable -> Count.unreadable\",\n",
        "",
        At(&["on_error = [", "out      = { sample", "in   = { unreadable"]),
    ),
    ("typo in a word for what is left", "left = \"ok\"", "left = \"okay\"", Here),
];

pub(super) const WATCHDOG: &[Break] = &[
    ("index missing at an instance", "\"Open.job[k] -> Watch[k].job\"", "\"Open.job[k] -> Watch.job\"", Here),
    (
        "one index number too few",
        "\"Watch[k].work[a] -> Worker[k, a].work\"",
        "\"Watch[k].work[a] -> Worker[k].work\"",
        Here,
    ),
    (
        "delay and guard without `after`",
        "\"late <- attempt after limit ms if asks\"",
        "\"late <- attempt limit ms if asks\"",
        Here,
    ),
    (
        "a delay that is no number",
        "\"answer <- job * job after time ms\"",
        "\"answer <- job * job after `time` ms\"",
        Here,
    ),
    ("typo in a delay", "after time ms", "after tim ms", Here),
    ("typo in a var", "let is_first = rule == 0 && !is_done;", "let is_first = rule == 0 && !done;", Here),
    (
        "a truth value counted up",
        "is_done = \"bool\" }",
        "is_done = \"int\" }",
        At(&["is_done = \"int\" }", "let is_first", "if is_first { is_done = true; }"]),
    ),
    ("missing brace", "if asks { attempt += 1; }", "if asks { attempt += 1;", Here),
    ("assignment in place of a comparison", "which == attempt;", "which = attempt;", Here),
    (
        "missing comma between ports",
        "late = \"int\", done = \"int[]\" }",
        "late = \"int\" done = \"int[]\" }",
        Here,
    ),
];

pub(super) const CHAT: &[Break] = &[
    ("typo in the port of an arc", "\"Door.enters -> Room.enters\"", "\"Door.enter -> Room.enters\"", Here),
    ("typo in the node of an arc", "\"Guest[k].said -> Room.said\"", "\"Gest[k].said -> Room.said\"", Here),
    (
        "index that no `for` binds",
        "address[i] <- there for i in 0..people",
        "address[j] <- there for i in 0..people",
        Here,
    ),
    ("typo in a function", "let guest = accept(server);", "let guest = acept(server);", Here),
    ("missing argument", "let line = read_line(guest);", "let line = read_line(guest, 1, 2);", Here),
    ("another type than the port", "\"enters <- guest\"", "\"enters <- `${guest}`\"", Here),
    ("typo in a parameter", "if guests.len() == people\"", "if guests.len() == persons\"", Here),
    (
        "missing brace",
        "for to in guests { write_line(to, line); }",
        "for to in guests { write_line(to, line);",
        Here,
    ),
    ("name of another rule", "\"said <- line if line != ()\"", "\"said <- word if line != ()\"", Here),
    ("missing comma", "people = \"int = 4\", lines", "people = \"int = 4\" lines", Here),
];

pub(super) const CRAWLER: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Fetch[k].lost -> Crawl.lost\"",
        "\"Fetch[k].lost -> Crawl.lots\"",
        Here,
    ),
    ("typo in the node of an arc", "\"Crawl.done -> End.done\"", "\"Crawl.done -> Ende.done\"", Here),
    ("typo in a key", "at_once = 4", "at_one  = 4", Here),
    ("a text for a number", "retry    = 3", "retry    = \"three\"", Here),
    ("typo in a function", "http_get(url, limit)", "http_gt(url, limit)", Here),
    ("function outside of a body", "\"links <- links\"", "\"links <- http_get(links).body\"", Here),
    ("typo in a var", "visited += 1;", "visitd += 1;", Here),
    ("typo in a type", "seen = \"map[string]bool\", open", "seen = \"map[strng]bool\", open", Here),
    ("missing quote", "\"lost <- url\"", "\"lost <- url", Here),
    ("rule that takes from no port", "  \"links -> links\",", "  \"link -> links\",", Here),
];
