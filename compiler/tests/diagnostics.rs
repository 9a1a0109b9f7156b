//! Every diagnostic code has a program that must report it and a near miss that must not.
#![allow(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use std::collections::BTreeSet;

use hasse_compiler::{CODES, compile};
use hasse_model::diagnostic::Severity;

/// Names that messages offer and list.
#[path = "diagnostics/names.rs"]
mod names;
#[path = "common/program.rs"]
mod program;
/// Texts made at random.
#[path = "diagnostics/random.rs"]
mod random;
use program::{GOOD, GOOD_CALLS, functions, good_with, with};

/// A code, replacements in the good program that must report it, and replacements that must not.
struct Case {
    code: &'static str,
    reported: &'static [(&'static str, &'static str)],
    near_miss: &'static [(&'static str, &'static str)],
}

macro_rules! cases {
    ($($code:literal: [$($old:literal => $new:literal),*] but not [$($near_old:literal => $near_new:literal),*];)*) => {
        &[$(Case {
            code: $code,
            reported: &[$(($old, $new)),*],
            near_miss: &[$(($near_old, $near_new)),*],
        }),*]
    };
}

const CASES: &[Case] = cases! {
    "E0001": ["main = \"g\"" => "main = \"g"] but not ["main = \"g\"" => "main = 'g'"];
    "E0001": ["stop = true" => "stop = true\nstop = true"] but not [];
    "E0002": ["hasse = 1" => "hasse = 2"] but not ["hasse = 1" => "# first\nhasse = 1"];
    "E0002": ["hasse = 1\nmain = \"g\"" => "main = \"g\"\nhasse = 1"] but not [];
    "E0002": ["hasse = 1" => ""] but not [];
    "E0002": ["hasse = 1" => "hasse = '1'"] but not [];
    "E0003": ["route = [\"done" => "routes = [\"done"] but not ["stop = true" => "stop = true\ndoc = 'x'"];
    "E0003": ["hasse = 1" => "hasse = 1\nversion = 2"] but not ["Src = [10, 20]" => "version = 2"];
    "E0004": ["stop = true" => "stop = 'true'"] but not ["stop = true" => "stop = false"];
    "E0004": ["stop = true" => "stop = true\ndoc = ['part']"] but not ["in = { part = \"real[]\" }" => "in.part = 'real[]'"];
    "E0004": ["fire = [\"part" => "fire = [3, \"part"] but not [];
    "E0005": ["main = \"g\"" => ""] but not [];
    "E0005": ["type = \"int\"" => ""] but not ["init = \"0\"" => ""];
    "E0006": ["main = \"g\"" => "main = \"h\""] but not ["main = \"g\"" => "main = \"h\"\n[graph.h.uc.A]\nstart = true"];
    "E0007": ["main = \"g\"" => "main = \"h\"\n[graph.h]"] but not ["main = \"g\"" => "main = \"h\"\n[graph.h.uc.A]\nstart = true\n[graph.k]"];
    "E0008": ["index = [\"i\"]" => "index = [\"i\"]\nstart = true"] but not ["stop = true" => "stop = true\nstart = true"];
    "E0009": ["start = true" => "start = true\nstop = true"] but not ["start = true" => "start = true\nstop = false"];
    "E0010": ["stop = true" => "", "index = [\"i\"]" => "index = [\"i\"]\nstop = true"] but not ["stop = true" => "stop = false"];
    "E0011": ["fire = [\"part -> p if k < 3\"]" => "fire = []", "sum += p.len();" => ""] but not ["fire = [\"part -> p if k < 3\"]" => "fire = []\nstart = true"];
    "E0101": ["vars = { k" => "vars = { i = 'int', k"] but not ["vars = { k" => "vars = { i2 = 'int', k"];
    "E0101": ["[layout.g]" => "[graph.g.shared.Src]\ntype = 'int'\n[layout.g]"] but not ["part -> p " => "part -> part ", "p.len" => "part.len"];
    "E0101": ["seg[j] <- parts for j in" => "seg[n] <- parts for n in"] but not ["seg[j] <- parts for j in" => "seg[k] <- parts for k in"];
    "E0101": ["out = { done = \"int\" }" => "out = { done = 'int', \"done[i]\" = 'int' }"] but not [];
    "E0102": ["vars = { k" => "vars = { 1 = 'int', k"] but not ["vars = { k" => "vars = { _i1 = 'int', k"];
    "E0102": ["\"seg[j]\" =" => "\"x[j\" = 'int', \"seg[j]\" ="] but not ["\"seg[j]\" =" => "\"seg[ j ]\" ="];
    "E0102": ["vars = { k" => "vars = { 'e\u{301}t\u{e9}' = 'int', k"] but not ["vars = { k" => "vars = { '_\u{e9}t\u{e9}' = 'int', k"];
    "W0105": ["vars = { k" => "vars = { '_\u{430}' = 'int', '_a' = 'int', k"] but not ["vars = { k" => "vars = { '_\u{431}' = 'int', '_a' = 'int', k"];
    "E0103": ["vars = { k" => "vars = { rule = 'int', k"] but not ["vars = { k" => "vars = { rules = 'int', k"];
    "E0103": ["part -> p " => "part -> count ", "p.len()" => "1"] but not ["part -> p " => "part -> counts ", "p.len()" => "counts.len()"];
    "E0103": ["vars = { k" => "vars = { while = 'int', go = 'int', k"] but not [];
    "E0103": ["vars = { k" => "vars = { go = 'int', k"] but not [];
    "E0103": ["out = { done =" => "out = { if = 'int', done ="] but not ["out = { done =" => "out = { sync = 'int', done ="];
    "E0104": ["Work[i].done -> Sink" => "Work[i].done -> Snik"] but not ["Src.go -> Sink.go" => "Src.go->Sink.go"];
    "E0104": ["Src.go -> Sink.go" => "Src.go -> total.go"] but not [];
    "E0105": ["Src.go -> Sink.go" => "Src.go -> Sink.og"] but not ["Src.go -> Sink.go" => "Src . go -> Sink . go"];
    "E0105": ["go -> m" => "og -> m"] but not ["go -> m" => "go -> mm"];
    "E0106": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = 0 } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = 1 } }"];
    "E0106": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = \"2 * m\" } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = \"2 * n\" } }"];
    "E0106": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = \"n > 2\" } }"] but not [];
    "E0106": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = \"i\" } }"] but not [];
    "E0004": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = true } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", left = \"ok\", bound = 12 } }"];
    "E0106": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", full = \"drop-oldest\" } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = 1, full = \"drop-oldest\" } }"];
    "E0004": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = 1, full = \"drop-oldst\" } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = 1, full = \"wait\" } }"];
    "E0106": ["stop = true" => "stop = true\nat_once = 0"] but not ["stop = true" => "stop = true\nat_once = 1"];
    "E0106": ["stop = true" => "stop = true\nat_once = \"m\""] but not ["stop = true" => "stop = true\nat_once = \"2 * n\""];
    "E0004": ["stop = true" => "stop = true\nat_once = true"] but not [];
    "E0106": ["stop = true" => "stop = true\nretry = -1"] but not ["stop = true" => "stop = true\nretry = 0"];
    "E0106": ["stop = true" => "stop = true\nretry = \"m\""] but not ["stop = true" => "stop = true\nretry = \"2 * n\""];
    "E0004": ["stop = true" => "stop = true\nretry = 1.5"] but not [];
    "E0004": ["stop = true" => "stop = true\npriority = 101"] but not ["stop = true" => "stop = true\npriority = -100"];
    "E0004": ["stop = true" => "stop = true\npriority = \"n\""] but not [];
    "E0004": ["stop = true" => "stop = true\nlabel = 1"] but not ["stop = true" => "stop = true\nlabel = \"the end\""];
    "E0004": ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = 0 }"] but not ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = [0] }"];
    "E0004": ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = [[0]] }"] but not ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = [\"n + 1\", -2] }"];
    "E0202": ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = [true] }"] but not [];
    "E0502": ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = [\"m\"] }"] but not [];
    "E0110": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", initial = [\"[1.0]\"] } }"] but not ["in = { done = \"int\"" => "in = { done = { type = \"int\", initial = [] }"];
    "E0105": ["stop = true" => "stop = true\ncancel = \"dine\""] but not ["stop = true" => "stop = true\ncancel = \"done\""];
    "E0004": ["stop = true" => "stop = true\ncancel = true"] but not [];
    "E0109": ["part -> p if" => "part -> p after -1 s if"] but not ["part -> p if" => "part -> p after n ms if"];
    "E0405": ["part -> p if" => "part -> p after label ms if"] but not ["part -> p if" => "part -> p after 0.5 s if"];
    "E0401": ["part -> p if" => "part -> p after if"] but not ["part -> p if" => "part -> p after k + 1 us if"];
    "E0406": ["part -> p if" => "part -> p[0] for kk in ..4 if", "p.len()" => "1"] but not ["part -> p if" => "part -> p[j] for j in ..4 if", "p.len()" => "1"];
    "E0406": ["part -> p if" => "part -> p[0] for kk in 0..4 if", "p.len()" => "1"] but not ["part -> p if" => "part -> p[j] for j in 0..4 if", "p.len()" => "1"];
    "E0405": ["go <- n" => "go <- k for k in ..n"] but not ["go <- n" => "go <- k for k in 0..n"];
    "E0109": ["stop = true" => "stop = true\ndeadline = \"2\""] but not ["stop = true" => "stop = true\ndeadline = \"2s\""];
    "E0109": ["stop = true" => "stop = true\ndeadline = \"0 s\""] but not ["stop = true" => "stop = true\ndeadline = \"0.5 s\""];
    "E0109": ["stop = true" => "stop = true\ndeadline = \"m s\""] but not ["stop = true" => "stop = true\ndeadline = \"n * 2 s\""];
    "E0109": ["stop = true" => "stop = true\nbackoff = \"1s\""] but not ["stop = true" => "stop = true\nretry = 1\nbackoff = \"1s\""];
    "E0109": ["stop = true" => "stop = true\nretry = 1\nbackoff = \"-1 s\""] but not ["stop = true" => "stop = true\nretry = 1\nbackoff = \"0 s\""];
    "E0109": ["start = true" => "every = \"1 s\"\nafter = \"1 s\""] but not ["start = true" => "after = \"1 s\""];
    "E0109": ["start = true" => "every = \"1 sec\""] but not ["start = true" => "every = \"1 s\""];
    "E0101": ["start = true" => "every = \"1 s\"\nin = { every = \"int\" }"] but not ["start = true" => "every = \"1 s\"\nfire = [\"every -> _k if count < 3\"]"];
    "E0004": ["stop = true" => "stop = true\non_error = \"contnue\""] but not ["stop = true" => "stop = true\non_error = \"continue\""];
    "E0004": ["stop = true" => "stop = true\non_error = true"] but not ["stop = true" => "stop = true\non_error = [\"stop\"]"];
    "E0004": ["route = [\"done <- k" => "on_error = [\"done\"]\nroute = [\"done <- k"] but not ["route = [\"done <- k" => "on_error = [\"done <- error.line\"]\nroute = [\"done <- k"];
    "E0402": ["route = [\"done <- k" => "on_error = [\"done <-\"]\nroute = [\"done <- k"] but not ["route = [\"done <- k" => "on_error = []\nroute = [\"done <- k"];
    "E0202": ["route = [\"done <- k" => "on_error = [\"done <- error\"]\nroute = [\"done <- k"] but not ["route = [\"done <- k" => "on_error = \"done <- p.len()\"\nroute = [\"done <- k"];
    "E0502": ["route = [\"done <- k" => "on_error = [\"done <- eror.line\"]\nroute = [\"done <- k"] but not [];
    "E0502": ["k += 1;" => "let own = 1; k += own;", "route = [\"done <- k" => "on_error = [\"done <- own\"]\nroute = [\"done <- k"] but not ["k += 1;" => "let own = 1; k += own;", "route = [\"done <- k" => "on_error = [\"done <- k\"]\nroute = [\"done <- k"];
    "E0502": ["k += 1;" => "k += error.line;", "route = [\"done <- k" => "on_error = [\"done <- k\"]\nroute = [\"done <- k"] but not ["k += 1;" => "let error = 1; k += error;", "route = [\"done <- k" => "on_error = [\"done <- k\"]\nroute = [\"done <- k"];
    "E0103": ["vars = { k" => "vars = { error = 'int', k", "route = [\"done <- k" => "on_error = [\"done <- k\"]\nroute = [\"done <- k"] but not ["vars = { k" => "vars = { error = 'int', k"];
    "E0201": ["\"real[]\" }\nout" => "\"errors\" }\nout"] but not ["\"real[]\" }\nout" => "\"error\" }\nout", "p.len()" => "p.message.len()"];
    "E0108": ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { bd = \"error\" }"] but not ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { bad = \"error\" }"];
    "E0108": ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { bad = \"int\" }"] but not ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { bad = \"any\" }"];
    "E0108": ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { \"bad[i]\" = \"error\" }"] but not [];
    "E0103": ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { bad = \"error\" }", "vars = { k" => "vars = { error = 'int', k"] but not ["[graph.g]" => "[graph.g]\non_error = \"bad\"\nout = { bad = \"error\" }", "vars = { k" => "on_error = \"stop\"\nvars = { error = 'int', k"];
    "E0004": ["[graph.g]" => "[graph.g]\non_error = [\"bad\"]\nout = { bad = \"error\" }"] but not [];
    "E0402": ["done <- k" => "done <- k after 20"] but not ["done <- k" => "done <- k after 20ms"];
    "E0402": ["done <- k" => "done <- k after ms"] but not ["done <- k" => "done <- k after 1.5 * k s"];
    "E0402": ["done <- k" => "done <- k after 3 weeks"] but not ["done <- k" => "done <- k after 3 d"];
    "E0405": ["done <- k" => "done <- k after label ms"] but not ["done <- k" => "done <- k after label.len() ms"];
    "E0502": ["done <- k" => "done <- k after kk ms"] but not ["k += 1;" => "let after = 1; k += after;", "done <- k" => "done <- if after > 0 { after } else { after + 1 } if after > 0"];
    "W0404": ["done <- k" => "done <- k after 1 ms, done <- k after 1 ms"] but not ["done <- k" => "done <- k after 1 ms, done <- k after 1 s"];
    "E0107": ["in = { done = \"int\"" => "in = { done = { type = \"int\", bound = 2, full = \"drop-oldest\" }", "done <- k" => "done <- k after 1 ms"] but not ["in = { done = \"int\"" => "in = { done = { type = \"int\", bound = 2 }", "done <- k" => "done <- k after 1 ms"];
    "E0501": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", bound = \"n +\" } }"] but not [];
    "E0201": ["done = \"int\", go" => "done = \"integer\", go"] but not ["done = \"int\", go" => "done = \"real\", go"];
    "E0201": ["\"real[]\" }\nout" => "\"real[\" }\nout"] but not ["\"real[]\" }\nout" => "\"any\" }\nout"];
    "E0202": ["n = \"int = 4\"" => "n = \"int = 4.5\""] but not ["n = \"int = 4\"" => "n = \"int = 4\", x = \"real = 4\""];
    "E0202": ["go <- n" => "go <- label"] but not ["go <- n" => "go <- label.len()"];
    "E0202": ["init = \"0\"" => "init = \"true\""] but not ["init = \"0\"" => "init = \"n\""];
    "E0203": ["done = \"int\", go" => "done = \"string\", go"] but not ["done = \"int\", go" => "done = \"any\", go"];
    "E0203": ["out = { done = \"int\" }" => "out = { done = \"any\" }"] but not [];
    "E0204": ["if k < 3" => "if k + 3"] but not ["if k < 3" => "if k < 3 && i != 2"];
    "E0204": ["if count == 1" => "if label"] but not ["if count == 1" => "if len(label) == 1"];
    "E0205": ["part -> p " => "part -> k ", "p.len()" => "1"] but not ["vars = { k" => "vars = { p = 'real[]', k"];
    "E0206": ["[layout.g]" => "[type.A]\nb = 'B'\n[type.B]\na = 'A'\n[layout.g]"] but not ["[layout.g]" => "[type.A]\nb = 'B[]'\n[type.B]\na = 'A'\nmore = 'B[]'\n[layout.g]"];
    "E0206": ["[layout.g]" => "[type.A]\nx = 'int'\na = 'A'\n[layout.g]"] but not ["[layout.g]" => "[type.A]\na = 'B'\nb = 'B'\n[type.B]\nx = 'int'\n[layout.g]"];
    "E0207": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "k += 1;" => "k += b.rwo;"]
        but not ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "k += 1;" => "k += b.row;"];
    "E0207": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block[]', k", "k += 1;" => "b[0].rwo = 1;"]
        but not ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block[]', k", "k += 1;" => "let b = #{rwo: 1}; k += b.rwo;"];
    "E0207": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "if k < 3" => "if b.rwo < 3"]
        but not ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "k += 1;" => "b = #{rwo: 1}; k += b.rwo; b = Block(1);"];
    "E0207": ["[layout.g]" => "[type.Block]\nat = 'At'\n[type.At]\nx = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "done <- k" => "done <- b.at.y"]
        but not ["[layout.g]" => "[type.Block]\nat = 'At'\n[type.At]\nx = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "done <- k" => "done <- b.at.x"];
    "E0208": ["[layout.g]" => "[type.sqrt]\nrow = 'int'\n[layout.g]"] but not ["[layout.g]" => "[type.Sqrt]\nrow = 'int'\n[layout.g]"];
    "E0208": ["[layout.g]" => "[type.as_int]\nrow = 'int'\n[layout.g]"] but not [];
    "E0209": ["[layout.g]" => "[type.B]\na = 'int'\nb = 'int'\nc = 'int'\nd = 'int'\ne = 'int'\nf = 'int'\ng = 'int'\nh = 'int'\ni = 'int'\nj = 'int'\nk = 'int'\nl = 'int'\nm = 'int'\nn = 'int'\no = 'int'\np = 'int'\nq = 'int'\n[layout.g]"]
        but not ["[layout.g]" => "[type.B]\na = 'int'\nb = 'int'\nc = 'int'\nd = 'int'\ne = 'int'\nf = 'int'\ng = 'int'\nh = 'int'\ni = 'int'\nj = 'int'\nk = 'int'\nl = 'int'\nm = 'int'\nn = 'int'\no = 'int'\np = 'int'\n[layout.g]"];
    "E0001": ["[layout.g]" => "[type.B]\na = 'int'\na = 'int'\n[layout.g]"] but not ["[layout.g]" => "[type.B]\na = 'int'\nb = 'int'\n[layout.g]"];
    "E0004": ["[layout.g]" => "[type.B]\na = 3\n[layout.g]"] but not [];
    "E0102": ["[layout.g]" => "[type.B]\n1a = 'int'\n[layout.g]"] but not ["[layout.g]" => "[type.B]\n_a1 = 'int'\n[layout.g]"];
    "E0103": ["[layout.g]" => "[type.vector]\na = 'int'\n[layout.g]"] but not ["[layout.g]" => "[type.Vector]\na = 'int'\n[layout.g]"];
    "E0103": ["[layout.g]" => "[type.B]\nwhile = 'int'\n[layout.g]"] but not ["[layout.g]" => "[type.B]\ncount = 'int'\n[layout.g]"];
    "E0201": ["[layout.g]" => "[type.B]\na = 'Blok'\n[layout.g]"] but not ["[layout.g]" => "[type.B]\na = 'C[][]'\n[type.C]\n[layout.g]"];
    "E0202": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "done <- k" => "done <- b"]
        but not ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "vars = { k" => "vars = { b = 'Block', k", "done <- k" => "done <- b.row"];
    "E0202": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "done <- k" => "done <- Block(k)"]
        but not ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "done <- k" => "done <- Block(k).row"];
    "E0202": ["done <- k" => "done <- k * 1.5"] but not ["done <- k" => "done <- k * 2"];
    "E0202": ["done <- k" => "done <- label + k"] but not ["done <- k" => "done <- as_int(label)"];
    "E0202": ["done <- k" => "done <- p"] but not ["done <- k" => "done <- p", "k += 1;" => "p = 1;"];
    "E0202": ["done <- k" => "done <- 1 < 2.5"] but not ["done <- k" => "done <- p[0]"];
    "E0202": ["done <- k" => "done <- p"] but not ["done <- k" => "done <- p", "k += 1;" => "fn one() { this = 1; } p.one();"];
    "E0203": ["\"Src.go ->" => "\"Src.one -> Sink.one\", \"Src.go ->", "go = \"int\" }" => "go = \"int\", one = 'A' }", "in = { done = \"int\"," => "in = { one = 'B', done = \"int\",", "[layout.g]" => "[type.A]\nx = 'int'\n[type.B]\nx = 'int'\n[layout.g]"]
        but not ["\"Src.go ->" => "\"Src.one -> Sink.one\", \"Src.go ->", "go = \"int\" }" => "go = \"int\", one = 'A[][]' }", "in = { done = \"int\"," => "in = { one = 'A[][]', done = \"int\",", "[layout.g]" => "[type.A]\nx = 'int'\n[layout.g]"];
    "E0503": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "k += 1;" => "Blok(1);"] but not ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "k += 1;" => "as_Block(Block(1));"];
    "E0504": ["[layout.g]" => "[type.Block]\nrow = 'int'\n[layout.g]", "k += 1;" => "Block(1, 2);"] but not ["[layout.g]" => "[type.Block]\n[layout.g]", "k += 1;" => "Block();"];
    "E0301": ["Src.go -> Sink.go" => "Src.go = Sink.go"] but not ["Src.go -> Sink.go" => "Src.go->Sink . go"];
    "E0301": ["Src.seg[j] ->" => "Src.seg[j + 1] ->"] but not ["Src.seg[j] -> Work[j]" => "Src.seg[-1] -> Work[3]"];
    "E0302": ["-> Work[j].part" => "-> Work.part"] but not ["\"Work[i].done ->" => "\"Work[3].done ->"];
    "E0302": ["Work[i].done" => "Work[i, j].done"] but not [];
    "E0302": ["-- Work[i].sum" => "-- Work.sum"] but not [];
    "E0303": ["-> Work[j].part" => "-> Work[k].part"] but not ["-> Work[j].part" => "-> Work[n - j].part"];
    "E0304": ["-> Work[j].part" => "-> Work[j > 0].part"] but not ["-> Work[j].part" => "-> Work[j % 2].part"];
    "E0304": ["-> Work[j].part" => "-> Work[label].part"] but not [];
    "E0305": ["Src.go -> Sink.go" => "Sink.go -> Src.go"] but not ["Src.go -> Sink.go" => "Src.go -> Sink.done"];
    "E0306": ["  \"Src.go -> Sink.go\",\n" => ""] but not ["  \"Src.go -> Sink.go\",\n" => "", ", \"go <- n if count == 1\"" => ""];
    "E0401": ["go -> m, done" => "go -> m done"] but not ["go -> m, done" => "go -> m,done"];
    "E0401": ["part -> p if k < 3" => "if k < 3", "p.len()" => "1"] but not ["part -> p if k < 3" => "part -> p"];
    "E0401": ["part -> p if k < 3" => "part -> p if"] but not [];
    "E0402": ["done <- k" => "done -> k"] but not ["done <- k" => "done <- if k > 0 { 1 } else { 2 }"];
    "E0402": ["done <- k" => "done <- k if k > 0, done <- 2"] but not ["done <- k" => "done <- k, done <- 2 if k > 0"];
    "E0402": ["for j in 0..n" => "if n > 0 for j in 0..n"] but not ["for j in 0..n" => "for j in 0..n if n > 0"];
    "E0403": ["part -> p " => "done -> p "] but not ["out = { done = \"int\" }" => "out = { done = 'int', part = 'int' }", "done <- k" => "part <- k"];
    "E0403": ["done <- k" => "part <- k"] but not [];
    "E0404": ["seg[j] <- parts" => "seg <- parts"] but not ["seg[j] <- parts" => "seg[j * 2] <- parts"];
    "E0404": ["part -> p " => "part[0] -> p "] but not [];
    "E0405": ["for j in 0..n" => "for j in 0.0..n"] but not ["for j in 0..n" => "for j in 0..=n"];
    "E0405": ["in = { part = \"real[]\" }" => "in = { part = \"real[]\", \"q[j]\" = 'int' }", "part -> p if" => "part -> p, q[len(label)] -> z if"]
        but not ["in = { part = \"real[]\" }" => "in = { part = \"real[]\", \"q[j]\" = 'int' }", "part -> p if" => "part -> p, q[k + i] -> z if"];
    "E0405": ["in = { part = \"real[]\" }" => "in = { part = \"real[]\", \"q[j]\" = 'int' }", "part -> p if" => "part -> p, q[j] -> z[j] for j in 0..k.len if"]
        but not ["in = { part = \"real[]\" }" => "in = { part = \"real[]\", \"q[j]\" = 'int' }", "vars = {" => "vars = { ids = 'int[]',", "part -> p if" => "part -> p, q[j] -> z[j] for j in 0..len(ids) + ids.len() - ids.len if"];
    "E0406": ["Work[j].part" => "Work[j].part[0]", "in = { part = \"real[]\" }" => "in = { \"part[j]\" = \"real[]\" }", "part -> p if" => "part[j] -> p for j in 0..2 if"]
        but not ["Work[j].part" => "Work[j].part[0]", "in = { part = \"real[]\" }" => "in = { \"part[j]\" = \"real[]\" }", "part -> p if" => "part[j] -> p[j] for j in 0..2 if"];
    "E0406": ["part -> p " => "part -> p[0] "] but not [];
    "E0407": ["part -> p " => "part -> n ", "p.len()" => "1"] but not ["part -> p " => "part -> nn ", "p.len()" => "nn.len()"];
    "E0407": ["part -> p " => "part -> sum ", "p.len()" => "1"] but not [];
    "E0408": ["if k < 3" => "if p.len() < 3"] but not ["if k < 3" => "if label.len() < 3"];
    "E0408": ["if k < 3" => "if sum < 3"] but not [];
    "E0408": ["k += 1;" => "let z = k; k += z;", "if k < 3" => "if z < 3"] but not ["k += 1;" => "let z = k; k += z;", "done <- k" => "done <- k if z < 3"];
    "E0409": ["go -> m, done -> d" => "go -> m, done -> m", "sum + d + m" => "sum + m"] but not ["go -> m, done -> d" => "go -> m, done -> d if count < 2\", \"done -> d, go -> m"];
    "E0409": ["go -> m, done -> d" => "go -> m, go -> d"] but not [];
    "E0410": ["seg[j] <- parts for j in 0..n" => "seg[j] <- parts for j in 0..n, go <- 1 if j > 0"]
        but not ["seg[j] <- parts for j in 0..n" => "seg[j] <- parts for j in 0..n, go <- j for j in 0..n if j > 0"];
    "E0501": ["k += 1;" => "k += ;"] but not ["p.len();" => "p.len()"];
    "E0501": ["go <- n" => "go <- n +"] but not ["go <- n" => "go <- -n"];
    "E0502": ["sum += p.len();" => "sum += q.len();"] but not ["sum += p.len();" => "let q = p; sum += q.len();"];
    "E0502": ["k += 1;" => "{ let z = 1; } k += z;"] but not ["k += 1;" => "let z = 1; k += z;"];
    "E0502": ["k += 1;" => "fn f(a) { a + k }"] but not ["k += 1;" => "fn f(a) { a + 1 } k += f(1);"];
    "E0502": ["k += 1;" => "fn f(a) { a + 1 } fn g(b) { a } k += f(1);"] but not ["k += 1;" => "fn f(a) { a + 1 } fn g(b, c) { let d = b; d + c } let h = |e| e + k; k += f(g(1, 2)) + h.call(1);"];
    "E0502": ["k += 1;" => "fn f(a) { a } fn g(b) { a }"] but not ["k += 1;" => "fn f(a) { a } fn g(b) { b } k += f(g(1));"];
    "E0502": ["init = 'k = i;'" => "init = 'k = sum;'"] but not [];
    "E0502": ["k = \"int = 0\"" => "k = \"int = k\""] but not ["k = \"int = 0\"" => "k = \"int = n\""];
    "E0503": ["p.len()" => "p.size()"] but not ["k += 1;" => "let f = |a| a + k; k += f.call(1);"];
    "E0503": ["k += 1;" => "k += sqr(4);"] but not ["k += 1;" => "fn sqr(a) { a * a } k += sqr(4);"];
    "E0504": ["p.len()" => "p.len(1)"] but not ["p.len()" => "len(p)"];
    "E0504": ["k += 1;" => "range(1);"] but not ["k += 1;" => "range(1, 2); range(1, 2, 3);"];
    "E0505": ["go <- n" => "go <- time()"] but not ["let parts" => "let now = time(); let parts"];
    "E0505": ["init = 'k = i;'" => "init = 'print(i);'"] but not [];
    "E0506": ["k += 1;" => "i += 1;"] but not ["k += 1;" => "let i2 = i; i2 += 1;"];
    "E0506": ["k += 1;" => "let f = || { rule = 2; };"] but not ["k += 1;" => "p[0] = 1.0;"];
    "E0507": ["k += 1;" => "eval(\"k\");"] but not ["k += 1;" => "let evaluated = k;"];
    "E0507": ["k += 1;" => "import \"m\" as m;"] but not [];
    "E0507": ["k += 1;" => "debug(k);"] but not [];
    "E0507": ["k += 1;" => "k = m::f(1);"] but not [];
    "E0508": ["k += 1;" => "k = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));"] but not ["k += 1;" => "k = ((((((((((1))))))))));"];
    "E0509": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"slove\" }"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"solve\" }"];
    "E0509": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"slove\" }", "done <- k" => "done <- found + k"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"set_y\" }", "done <- k" => "done <- y + k"];
    "E0510": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"pick\" }"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"pick\" }", "vars = { k" => "vars = { q = 'int', k"];
    "E0510": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"set_k\" }"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { native = \"set_y\" }"];
    "E0511": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'k += (1;' }"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'k += 1;' }"];
    "E0511": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'let found = \\\"k;' }", "done <- k" => "done <- found"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'let found = k;' }", "done <- k" => "done <- found"];
    "W0501": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'let k = 1;' }"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'if true { let k = 1; }' }"];
    "E0005": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { }"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = '' }"];
    "E0005": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'k += 1;', native = \"solve\" }"] but not [];
    "E0502": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'if true { let found = k; }' }", "done <- k" => "done <- found"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'let (_, found) = (1, k);' }", "done <- k" => "done <- found"];
    "E0202": ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'let found: f64 = 1.0;' }", "done <- k" => "done <- found"] but not ["do = '''\nk += 1;\nsum += p.len();\n'''" => "do = { rust = 'let found: i64 = k;' }", "done <- k" => "done <- found"];
    "E0601": ["total -- Sink.sum" => "total - Sink.sum"] but not ["total -- Sink.sum" => "total--Sink.sum"];
    "E0602": ["total -- Sink.sum" => "totl -- Sink.sum"] but not ["total -- Sink.sum" => "more -- Sink.sum", "[layout.g]" => "[graph.g.shared.more]\ntype = 'int'\n[layout.g]"];
    "E0603": ["\"total -- Work[i].sum\", " => ""] but not ["total -- Work[i].sum" => "total -- Work[0].sum"];
    "E0604": ["result(" => "sum = 1; result("] but not ["result(" => "let s = sum; s = 1; result("];
    "E0605": ["sum = \"read\"" => "sum = \"reed\""] but not ["sum = \"read\"" => "sum = \"write\""];
    "E0606": ["total -- Sink.sum" => "total -- Sink.some"] but not ["total -- Sink.sum" => "total -- Sink.some", "shared = { sum = \"read\"" => "shared = { some = \"read\"", "sum + d" => "some + d"];
    "W0301": ["in = { part =" => "in = { extra = 'int', part ="] but not ["in = { part =" => "doc = 'extra'\nin = { part ="];
    "W0302": ["fire = [\"go -> m, done" => "fire = [\"done"] but not ["go -> m, done -> d if" => "go -> m\", \"done -> d if"];
    "W0303": ["out = { done =" => "out = { extra = 'int', done ="] but not ["out = { done =" => "out = { extra = 'int', done =", "\"Src.go ->" => "\"Work[i].extra -> Sink.go\", \"Src.go ->"];
    "W0304": ["out = { done =" => "out = { extra = 'int', done ="] but not ["out = { done =" => "out = { extra = 'int', done =", "done <- k" => "done <- k, extra <- k"];
    "W0501": ["k += 1;" => "let k = 1;"] but not ["k += 1;" => "{ let k = 1; }"];
    "W0601": ["[layout.g]" => "[graph.g.shared.more]\ntype = 'int'\n[layout.g]"] but not ["[layout.g]" => "[graph.g.shared.more]\ntype = 'int'\n[layout.g]", "\"total -- Sink.sum\"" => "\"more -- Sink.sum\""];
    "E0307": ["Src.seg[j] -> Work[j]" => "Src.seg[-1] -> Work[0]"] but not ["Src.seg[j] -> Work[j]" => "Src.seg[j] -> Work[j + 1]"];
    "E0801": ["[layout.g]" => "[record]\noptions = { 'Work[' = 'full' }\n[layout.g]"] but not ["[layout.g]" => "[record]\noptions = { 'Work[*]' = 'full' }\n[layout.g]"];
    "E0801": ["[layout.g]" => "[record]\noptions = { 'g/Work' = 'full' }\n[layout.g]"] but not ["[layout.g]" => "[record]\noptions = { '/Work' = 'full' }\n[layout.g]"];
    "E0802": ["[layout.g]" => "[record.options]\nWrok = 'full'\n[layout.g]"] but not ["[layout.g]" => "[record.options]\nWork = 'full'\n[layout.g]"];
    "E0802": ["[layout.g]" => "[record.options]\n'Src[0]' = 'full'\n[layout.g]"] but not ["[layout.g]" => "[record.options]\n'Work[0]' = 'full'\n[layout.g]"];
    "E0802": ["[layout.g]" => "[record.options]\n'h.Work' = 'off'\n[layout.g]"] but not ["[layout.g]" => "[record.options]\n'g.Work' = 'off'\n[layout.g]"];
    "E0803": ["[layout.g]" => "[record.options]\nWork = 'on'\n[layout.g]"] but not ["[layout.g]" => "[record.options]\nWork = 'off'\n[layout.g]"];
    "E0803": ["[layout.g]" => "[record]\nmode = 'perf'\n[layout.g]"] but not ["[layout.g]" => "[record]\nmode = 'restrict'\n[layout.g]"];
    "E0003": ["[layout.g]" => "[record]\noption = {}\n[layout.g]"] but not ["[layout.g]" => "[record]\noptions = {}\n[layout.g]"];
    "E0004": ["[layout.g]" => "[record]\noptions = 1\n[layout.g]"] but not [];
    "E0004": ["hasse = 1" => "hasse = 1\nrecord = 1"] but not [];
    "W0001": ["if k < 3" => "if k < 3 && count > 1"] but not ["if k < 3" => "if k < 3 && count > 0"];
    "W0001": ["go <- n if count == 1" => "go <- n if count == 0"] but not ["go <- n if count == 1" => "go <- n if count != 1"];
    "W0002": ["in = { part = \"real[]\" }" => "in = { part = \"real[]\", back = 'int' }", "part -> p if" => "part -> p, back -> b if", "k += 1;" => "k += b;", "\"Src.go ->" => "\"Work[i].done -> Work[i].back\", \"Src.go ->"]
        but not ["in = { part = \"real[]\" }" => "in = { part = \"real[]\", back = 'int' }", "part -> p if" => "back -> b\", \"part -> p if", "k += 1;" => "k += b;", "\"Src.go ->" => "\"Work[i].done -> Work[i].back\", \"Src.go ->"];
    "W0003": ["if count < n" => "if count > 1"] but not ["if count < n" => "if count > 0"];
    "W0006": ["stop = true" => "", "\"Src.go ->" => "\"Open.t -> Hold.t\", \"Open.job -> Hold.job\", \"Hold.t -> Hold.t\", \"Src.go ->", "[layout.g]" => "[graph.g.uc.Open]\nstart = true\nout = { t = 'int', job = 'int' }\nroute = ['t <- 1', 'job <- k for k in 0..3']\n[graph.g.uc.Hold]\nin = { t = 'int', job = 'int' }\nout = { t = 'int' }\nfire = ['t -> _a, job -> _b']\nroute = ['t <- 1']\n[layout.g]"]
        but not ["stop = true" => "", "\"Src.go ->" => "\"Open.t -> Hold.t\", \"Open.job -> Hold.job\", \"Hold.t -> Hold.t\", \"Src.go ->", "[layout.g]" => "[graph.g.uc.Open]\nstart = true\nout = { t = 'int', job = 'int' }\nroute = ['t <- 1', 'job <- k for k in 0..3']\n[graph.g.uc.Hold]\nin = { t = { type = 'int', left = 'ok' }, job = 'int' }\nout = { t = 'int' }\nfire = ['t -> _a, job -> _b']\nroute = ['t <- 1']\n[layout.g]"];
    "W0006": ["stop = true" => "", "\"Src.go ->" => "\"Open.t -> Hold.t\", \"Hold.t -> Hold.t\", \"Open.job -> Hold.job\", \"Src.go ->", "[layout.g]" => "[graph.g.uc.Open]\nstart = true\nout = { t = 'int', job = 'int' }\nroute = ['t <- 1', 'job <- 1']\n[graph.g.uc.Hold]\nin = { t = 'int', job = 'int' }\nout = { t = 'int' }\nfire = ['t -> _a, job -> _b']\nroute = ['t <- 1']\n[layout.g]"]
        but not ["stop = true" => "", "\"Src.go ->" => "\"Open.t -> Hold.t\", \"Hold.t -> Hold.t\", \"Open.job -> Hold.job\", \"Src.go ->", "[layout.g]" => "[graph.g.uc.Open]\nstart = true\nout = { t = 'int', job = 'int' }\nroute = ['t <- 1', 'job <- 1']\n[graph.g.uc.Hold]\nin = { t = 'int', job = 'int' }\nout = { t = 'int' }\nfire = ['t -> _a, job -> _b']\nroute = ['t <- 1 if count < 1']\n[layout.g]"];
    "E0004": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", left = \"no\" } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", left = \"ok\" } }"];
    "E0004": ["out = { done = \"int\" }" => "out = { done = { type = \"int\" } }", "\"Work[i].done -> Sink.done\"," => "", "route = [\"done <- k\"]" => ""] but not [];
    "E0005": ["in = { part = \"real[]\" }" => "in = { part = { left = \"ok\" } }"] but not ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\" } }"];
    "E0003": ["in = { part = \"real[]\" }" => "in = { part = { type = \"real[]\", lost = \"ok\" } }"] but not [];
    "W0101": ["print(label)" => "print(1)"] but not [];
    "W0102": ["vars = { k" => "vars = { z = 'int', k"] but not ["vars = { k" => "vars = { z = 'int', k", "k += 1;" => "k += z;"];
    "W0102": ["vars = { k" => "vars = { z = 'int', k", "k += 1;" => "k += 1; z += k;"] but not ["vars = { k" => "vars = { z = 'int[]', k", "k += 1;" => "k += 1; z.push(k); k += z.len();"];
    "W0103": ["vars = { k" => "vars = { z = 'int', k", "k += 1;" => "k += z;"] but not ["vars = { k" => "vars = { z = 'int = 3', k", "k += 1;" => "k += z;"];
    "W0104": ["sum + d + m" => "sum + m"] but not ["sum + d + m" => "sum + d"];
    "W0104": ["sum + d + m" => "sum + m"] but not ["sum + d + m" => "sum + m", "done -> d" => "done -> _d"];
    "W0309": ["Src.seg[j] -> Work[j]" => "Src.seg[0] -> Work[0]"] but not ["Src.seg[j] -> Work[j]" => "Src.seg[0] -> Work[0]", "for j in 0..n" => "for j in 0..1"];
    "W0310": ["\"Src.go ->" => "\"Src.seg[0] -> Work[0].part\", \"Src.go ->"] but not ["\"Src.go ->" => "\"Src.seg[0] -> Work[1].part\", \"Src.go ->"];
    "W0311": ["\"Src.go ->" => "\"Src.seg[-1] -> Work[1].part\", \"Src.go ->"] but not ["\"Src.go ->" => "\"Src.seg[9] -> Work[1].part\", \"Src.go ->"];
    "W0312": ["Work[j].part" => "Work[j].part[5]", "in = { part =" => "in = { \"part[j]\" =", "part -> p if" => "part[k] -> p if"] but not ["Work[j].part" => "Work[j].part[2]", "in = { part =" => "in = { \"part[j]\" =", "part -> p if" => "part[k] -> p if"];
    "W0313": ["Work[j].part" => "Work[j].part[j]", "in = { part =" => "in = { \"part[j]\" =", "part -> p if" => "part[i + 1] -> p if"] but not ["Work[j].part" => "Work[j].part[j]", "in = { part =" => "in = { \"part[j]\" =", "part -> p if" => "part[i] -> p if"];
    "W0401": ["if k < 3" => "if k < 3 && k > 2"] but not ["if k < 3" => "if k < 3 && k > 1"];
    "W0402": ["go <- n if count == 1" => "go <- n if count == 0"] but not ["go <- n if count == 1" => "go <- n if count == 2"];
    "W0402": ["for j in 0..n" => "for j in n..n"] but not ["for j in 0..n" => "for j in n..=n"];
    "W0403": ["fire = [\"go" => "fire = [\"done -> x, go -> m if count < n\", \"go"] but not ["fire = [\"go" => "fire = [\"done -> x, go -> m if count > n\", \"go"];
    "W0404": ["go <- n if" => "go <- n, go <- n if"] but not ["go <- n if" => "go <- n, go <- n + 1 if"];
    "W0602": ["shared = { sum = \"read\"" => "shared = { sum = \"write\""] but not ["shared = { sum = \"read\"" => "shared = { sum = \"write\"", "sum + d + m" => "sum.push(d + m)"];
    "W0602": ["shared = { sum = \"read\"" => "shared = { sum = \"write\""] but not ["total -- Sink.sum" => "total -- Sink._sum", "shared = { sum = \"read\"" => "shared = { _sum = \"write\"", "sum + d + m" => "_sum + d + m"];
    "W0603": ["sum + d + m" => "d + m"] but not ["total -- Sink.sum" => "total -- Sink._sum", "shared = { sum = \"read\"" => "shared = { _sum = \"write\"", "sum + d + m" => "d + m"];
    "W0603": ["sum + d + m" => "d + m"] but not ["sum + d + m" => "m + d + sum"];
    "W0606": ["type = \"int\"\ninit = \"0\"" => "type = \"int[]\"", "sum += p.len();" => "sum.push(p.len());", "sum + d + m" => "sum.push(d + m)"] but not ["type = \"int\"\ninit = \"0\"" => "type = \"int[]\"", "sum += p.len();" => "sum.push(p.len());", "do = 'result(\"sum\", sum + d + m);'" => "do = 'let copy = sum; copy.push(d + m); result(\"sum\", copy);'"];
    "W0604": ["init = \"0\"\n" => "", "sum = \"write\"" => "sum = \"read\"", "sum += p.len();" => "k += sum + p.len();"] but not ["sum = \"write\"" => "sum = \"read\"", "sum += p.len();" => "k += sum + p.len();"];
};

/// Cases over the program with a call.
const CALL_CASES: &[Case] = cases! {
    "E0104": ["half.sum -> Sink.sum" => "hal.sum -> Sink.sum"] but not ["# spare" => "# hal"];
    "E0105": ["Start.n -> half.list" => "Start.n -> half.lst"] but not [];
    "E0105": ["Add.sum -> out.sum" => "Add.sum -> out.sun"] but not [];
    "E0203": ["out = { n = 'int' }" => "out = { n = 'string' }", "n <- 9" => "n <- `nine`"] but not ["in = { sum = 'int' }" => "in = { sum = 'real' }"];
    "E0302": ["inner[i].sum -> Add.sum" => "inner.sum -> Add.sum"] but not ["inner[i].sum -> Add.sum" => "inner[j].sum -> Add.sum"];
    "E0305": ["in.list -> Split.list" => "out.list -> Split.list"] but not [];
    "E0305": ["half.sum -> Sink.sum" => "half.list -> Sink.sum"] but not [];
    "E0602": ["inout.seen -- Split.seen" => "inout.sen -- Split.seen"] but not [];
    "E0602": ["inout.seen -- Split.seen" => "seen -- Split.seen"] but not [];
    "E0701": ["graph = 'Half'\nargs = { depth = '0' }" => "graph = 'Haf'\nargs = { depth = '0' }"] but not ["graph = 'Half'\nargs = { depth = '0' }" => "doc = 'Haf'\ngraph = 'Half'\nargs = { depth = '0' }"];
    "E0702": ["args = { depth = '0' }" => "args = { depth = '0', dept = '1' }"] but not ["args = { depth = '0' }" => "args = { depth = '0', limit = '1' }"];
    "E0703": ["args = { depth = '0' }" => "args = {}"] but not ["args = { depth = '0' }" => "args = { depth = '1' }"];
    "E0704": ["\"seen -- half.seen\", " => ""] but not ["seen -- Sink.seen" => "seen -- Sink.seen\", \"seen -- half.seen"];
    "E0705": ["inout = { seen = 'int' }" => "inout = { seen = 'string' }", "seen += 1;" => ""] but not ["inout = { seen = 'int' }" => "inout.seen = 'int'"];
    "E0706": ["Split.part[i] -> inner[i].list" => "Split.part[i] -> inner[i].list\", \"in.list -> inner[0].list"] but not ["Add.sum -> out.sum" => "Add.sum -> out.sum\", \"inner[0].sum -> out.sum\", \"in.list -> Add.sum"];
    "E0706": ["inner[i].sum -> Add.sum" => "inner[i].sum -> inner[0].list", "in.list -> Split.list" => "in.list -> out.sum"] but not ["inner[i].sum -> Add.sum" => "inner[i].sum -> out.sum", "in.list -> Split.list" => "in.list -> out.sum"];
    "E0706": ["half.sum -> Sink.sum" => "half.sum -> Sink.sum\", \"half.sum -> half.list", "in.list -> Split.list" => "in.list -> Split.list\", \"in.list -> out.sum"] but not [];
    "W0001": ["Start.n -> half.list" => "Start.n -> Sink.sum"] but not ["if n < limit" => "if n < limit && n > 4"];
    "W0001": ["in.list -> Split.list" => "in.list -> Add.sum"] but not ["Split.small -> Add.sum" => "Split.small -> out.sum"];
    "W0002": ["Start.n -> half.list" => "Start.n -> Sink.sum\", \"half.sum -> half.list"] but not ["Start.n -> half.list" => "Start.n -> half.list\", \"half.sum -> half.list"];
    "W0002": ["Split.small -> Add.sum\", \"" => "", "\"Add.sum -> out.sum\"" => "\"Add.sum -> out.sum\", \"Split.small -> Add.no\", \"Add.no -> Add.sum\"", "in = { sum = 'int' }\nout = { sum = 'int' }" => "in = { sum = 'int', no = 'int' }\nout = { sum = 'int', no = 'int' }", "fire = [\"sum -> s\"]\ndo = 'total" => "fire = [\"sum -> s, no -> x\"]\ndo = 'total += x; total", "sum <- total if" => "no <- s\", \"sum <- total if"] but not [];
    "W0003": ["[graph.g.uc.Sink]" => "[graph.g.uc.Sink]\nstop = true", "Add.sum -> out.sum" => "Add.sum -> out.sum\", \"Add.no -> out.no", "out = { sum = 'int' }\ninout" => "out = { sum = 'int', no = 'int' }\ninout", "out = { sum = 'int' }\nvars" => "out = { sum = 'int', no = 'int' }\nvars", "half.sum -> Sink.sum" => "half.no -> Sink.sum\", \"half.sum -> Other.sum", "[graph.Half]\n" => "[graph.g.uc.Other]\nin = { sum = 'int' }\nfire = [\"sum -> s\"]\ndo = 'result(\"other\", s);'\n[graph.Half]\n", "inner[i].sum -> Add.sum" => "inner[i].sum -> Add.sum\", \"inner[i].no -> Add.sum"]
        but not ["[graph.g.uc.Sink]" => "[graph.g.uc.Sink]\nstop = true"];
    "W0004": ["[graph.Half]\n" => "[graph.Other.uc.A]\nstart = true\n[graph.Half]\n"] but not ["depth + 1" => "depth + 2"];
    "W0005": ["for i in 0..2 if n >= limit" => "for i in 0..2"] but not ["for i in 0..2 if n >= limit" => "for i in 0..n"];
    "W0005": ["Split.part[i] -> inner[i].list\"" => "Split.part[i] -> inner[i].list\", \"Split.more -> inner[0].list\"", "\"part[i]\" = 'int'" => "\"part[i]\" = 'int', more = 'int'", "for i in 0..2 if n >= limit" => "for i in 0..2 if n >= limit\", \"more <- n"]
        but not ["fire = [\"list -> n\"]" => "fire = [\"list -> n if count < limit\"]", "for i in 0..2 if n >= limit" => "for i in 0..2"];
    "W0101": ["args = { depth = 'depth + 1 + i - i' }" => "args = { depth = '0' }"] but not ["depth + 1 + i - i" => "limit + depth"];
    "W0305": ["\"in.list -> Split.list\", " => ""] but not [];
    "W0305": ["in = { list = 'int' }\nout = { sum" => "in = { list = 'int', more = 'int' }\nout = { sum"] but not ["in.list -> Split.list" => "in.list -> Add.sum"];
    "W0306": ["\"Add.sum -> out.sum\"" => ""] but not ["Add.sum -> out.sum" => "Split.small -> out.sum"];
    "W0307": ["\"Start.n -> half.list\", " => ""] but not ["Start.n -> half.list" => "Start.n -> half.list\", \"Start.n -> Sink.sum"];
    "W0308": ["\"half.sum -> Sink.sum\"" => ""] but not ["half.sum -> Sink.sum" => "half.sum -> Sink.sum\", \"half.sum -> Sink.sum"];
    "W0315": ["[graph.g.uc.Start]" => "[graph.g.uc.Once]\nstart = true\nout = { x = 'int', y = 'int' }\nroute = ['x <- k for k in 0..4', 'y <- k for k in 0..4']\n[graph.g.uc.Half]\nin = { x = 'int' }\nout = { x = 'int' }\nfire = ['x -> v[k] for k in 0..2']\nroute = ['x <- v[0] + v[1]']\n[graph.g.uc.Join]\nin = { x = 'int', y = 'int' }\nfire = ['x -> a, y -> b']\ndo = 'print(a + b);'\n[graph.g.uc.Start]", "arcs = [" => "arcs = ['Once.x -> Half.x', 'Once.y -> Join.y', 'Half.x -> Join.x', "] but not ["[graph.g.uc.Start]" => "[graph.g.uc.Once]\nstart = true\nout = { x = 'int', y = 'int' }\nroute = ['x <- k for k in 0..8', 'y <- k for k in 0..4']\n[graph.g.uc.Half]\nin = { x = 'int' }\nout = { x = 'int' }\nfire = ['x -> v[k] for k in 0..2']\nroute = ['x <- v[0] + v[1]']\n[graph.g.uc.Join]\nin = { x = 'int', y = 'int' }\nfire = ['x -> a, y -> b']\ndo = 'print(a + b);'\n[graph.g.uc.Start]", "arcs = [" => "arcs = ['Once.x -> Half.x', 'Once.y -> Join.y', 'Half.x -> Join.x', "];
    "W0314": ["[graph.g]\n" => "[graph.g]\nout = { more = 'int' }\n"] but not ["[graph.g.uc.Start]" => "[graph.g.call.again]\ngraph = 'g'\n[graph.g.uc.Start]", "[graph.g]\n" => "[graph.g]\nout = { more = 'int' }\n"];
    "W0314": ["[graph.g]\n" => "[graph.g]\nin = { more = 'int' }\n"] but not [];
    "W0311": ["inner[i].sum -> Add.sum" => "inner[2].sum -> Add.sum"] but not ["inner[i].sum -> Add.sum" => "inner[1].sum -> Add.sum"];
    "W0605": ["inout = { seen = 'int' }" => "inout = { seen = 'int', more = 'int' }", "seen -- half.seen" => "seen -- half.seen\", \"seen -- half.more", "inout.seen -- inner[i].seen" => "inout.seen -- inner[i].seen\", \"inout.seen -- inner[i].more"]
        but not ["inout = { seen = 'int' }" => "inout = { seen = 'int', more = 'int' }", "seen -- half.seen" => "seen -- half.seen\", \"seen -- half.more", "inout.seen -- inner[i].seen" => "inout.seen -- inner[i].seen\", \"inout.more -- inner[i].more"];
    "W0701": ["[graph.Half.uc.Add]" => "[graph.Half.uc.Add]\nstart = true"] but not ["[graph.Half.uc.Add]" => "[graph.Half.uc.Add]\nstart = false"];
    "W0701": ["[graph.Half.uc.Add]" => "[graph.Half.uc.Add]\nstop = true"] but not ["[graph.g.uc.Sink]" => "[graph.g.uc.Sink]\nstop = true"];
};

/// All cases, each with its program.
fn cases() -> impl Iterator<Item = (&'static Case, &'static str)> {
    CASES.iter().map(|case| (case, GOOD)).chain(CALL_CASES.iter().map(|case| (case, GOOD_CALLS)))
}

fn codes_of(text: &str) -> BTreeSet<&'static str> {
    compile(text, &functions()).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn rendered(text: &str) -> String {
    let compiled = compile(text, &functions());
    compiled.diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

#[test]
fn the_good_program_has_no_findings() {
    let compiled = compile(GOOD, &functions());
    assert_eq!(rendered(GOOD), "");
    assert!(compiled.plan.is_some());
    assert_eq!(rendered(GOOD_CALLS), "");
}

#[test]
fn every_code_has_a_case() {
    let listed: Vec<_> = CODES.iter().map(|(code, _)| *code).collect();
    assert!(listed.is_sorted_by(|left, right| left < right), "codes are sorted and stand once");
    let covered: BTreeSet<_> = cases().map(|(case, _)| case.code).collect();
    // What `rustc` says, it says where a program is run or checked by the command.
    assert_eq!(covered, listed.into_iter().filter(|code| *code != "E0512").collect());
}

#[test]
fn every_case_reports_its_code() {
    let mut wrong = String::new();
    for (case, base) in cases() {
        let text = with(base, case.reported);
        let codes = codes_of(&text);
        if !codes.contains(case.code) {
            wrong.push_str(&format!("{} missing for {:?}:\n{}", case.code, case.reported, rendered(&text)));
        }
        let errors: Vec<_> = codes.iter().filter(|code| code.starts_with('E')).collect();
        if case.code.starts_with('E') && errors.len() > 1 {
            wrong.push_str(&format!(
                "{} with followers {:?}:\n{}",
                case.code,
                case.reported,
                rendered(&text)
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn no_near_miss_reports_its_code() {
    let mut wrong = String::new();
    for (case, base) in cases() {
        let text = with(base, case.near_miss);
        if codes_of(&text).contains(case.code) {
            wrong.push_str(&format!("{} for {:?}:\n{}", case.code, case.near_miss, rendered(&text)));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn severity_follows_the_letter_and_a_plan_follows_severity() {
    for (case, base) in cases() {
        let compiled = compile(&with(base, case.reported), &functions());
        for diagnostic in &compiled.diagnostics {
            assert_eq!(
                diagnostic.code.starts_with('E'),
                diagnostic.severity == Severity::Error,
                "{diagnostic}"
            );
            assert!(CODES.iter().any(|(code, _)| *code == diagnostic.code), "{diagnostic}");
        }
        let is_right = compiled.diagnostics.iter().all(|found| found.severity == Severity::Warning);
        assert_eq!(compiled.plan.is_some(), is_right, "{:?}", case.reported);
    }
}

/// A finding in a body is placed at its line and column of the file, and the hint is the near name.
#[test]
fn places_and_hints() {
    let text = good_with(&[("sum += p.len();", "  smu += p.len();"), ("go <- n if", "go <- nn if")]);
    let found = compile(&text, &functions()).diagnostics;
    let shown: Vec<_> =
        found.iter().map(|diagnostic| (diagnostic.to_string(), diagnostic.help.clone().unwrap())).collect();
    assert_eq!(
        shown,
        [
            ("E0502 at 23:50: undefined name `nn`".to_owned(), "did you mean `n`?".to_owned()),
            ("E0502 at 35:3: undefined name `smu`".to_owned(), "did you mean `sum`?".to_owned()),
        ]
    );
}

/// Names that the body binds are among those that are meant.
#[test]
fn hints_know_the_names_that_bodies_bind() {
    let help_of = |replacements: &[(&str, &str)]| {
        let found = compile(&good_with(replacements), &functions()).diagnostics;
        found.into_iter().map(|found| (found.code, found.help)).collect::<Vec<_>>()
    };
    let body = ("k += 1;", "let total = k; if k > 0 { let deep = k; } k += totl;");
    assert_eq!(help_of(&[body]), [("E0502", Some("did you mean `total`?".to_owned()))]);
    let body = ("k += 1;", "if k > 0 { let deep = k; } k += deep;");
    let help = help_of(&[body]).pop().unwrap().1.unwrap();
    assert!(help.contains("in another block"), "{help}");
    let body = ("k += 1;", "if k > 0 { let deep = k; }");
    let help = help_of(&[body, ("done <- k", "done <- k if deep > 0")]).pop().unwrap();
    assert_eq!(help.0, "E0502");
    assert!(help.1.unwrap().contains("outermost level"));
}

/// What is said of types: where, what, and what to do.
#[test]
fn findings_about_types_in_words() {
    let text = r#"hasse = 1
main = "g"
[type.Block]
row = "int"
rhs = "vectr"
[type.A]
b = "B"
[type.B]
inner = "C"
[type.C]
more = "Blok[]"
a = "A"
[graph.g]
arcs = ["Src.x -> Sink.n", "Src.x -> Sink.b", "Src.x -> Sink.l"]
[graph.g.uc.Src]
start = true
out = { x = "any" }
vars = { b = "Block" }
do = "b.row = 1; b.rwo = 2;"
route = ["x <- b.colum"]
[graph.g.uc.Sink]
in = { n = "int", b = "Block", l = "int[]" }
fire = ["n -> n", "b -> b", "l -> l"]
"#;
    let found = compile(text, &functions()).diagnostics;
    let shown: String = found
        .iter()
        .map(|found| format!("{found}\n  {}\n", found.help.as_deref().unwrap_or("no help")))
        .collect();
    insta::assert_snapshot!(shown);
}

/// Two nodes: keys of the second one, its input port, its firing rule and a routing rule of the first one are what is written wrongly.
fn two_nodes(keys: &str, port: &str, fire: &str, route: &str) -> String {
    format!(
        "hasse = 1\nmain = \"g\"\n[graph.g]\narcs = [\"A.x -> B.x\"]\n[graph.g.uc.A]\nstart = true\n\
         out = {{ x = \"int\" }}\nroute = [\"{route}\"]\n[graph.g.uc.B]\nin = {{ x = {port} }}\nfire = [\"{fire}\"]\n{keys}\n"
    )
}

const PORT: &str = "\"int\"";
const FIRE: &str = "x -> _x";
const ROUTE: &str = "x <- 1";

/// Words of other systems for what a node, a port or a rule can say.
#[test]
fn words_of_other_systems_are_understood() {
    let of_key = |key: &str| two_nodes(key, PORT, FIRE, ROUTE);
    let of_port = |options: &str| two_nodes("", &format!("{{ type = \"int\", {options} }}"), FIRE, ROUTE);
    let of_fire = |rule: &str| two_nodes("", PORT, rule, ROUTE);
    let of_route = |rule: &str| two_nodes("", PORT, FIRE, rule);
    assert_eq!(rendered(&two_nodes("", PORT, FIRE, ROUTE)), "");
    let cases = [
        (of_key("retries = 3"), "did you mean `retry`?"),
        (of_key("max_attempts = 3"), "did you mean `retry`?"),
        (of_key("timeout = \"1s\""), "did you mean `deadline`?"),
        (of_key("interval = \"1s\""), "did you mean `every`?"),
        (of_key("prio = 3"), "did you mean `priority`?"),
        (of_key("max_concurrent = 3"), "did you mean `at_once`?"),
        (of_key("limit = 3"), "did you mean `at_once`?"),
        (of_key("catch = \"continue\""), "did you mean `on_error`?"),
        (of_key("on_error = \"skip\""), "did you mean `continue`?"),
        (of_key("on_error = \"abort\""), "did you mean `stop`?"),
        (of_key("on_error = \"retry\""), "retries are a key of their own, such as `retry = 3`"),
        (of_port("capacity = 8"), "did you mean `bound`?"),
        (of_port("max = 8"), "did you mean `bound`?"),
        (of_port("bound = 8, policy = \"wait\""), "did you mean `full`?"),
        (of_port("default = [0]"), "did you mean `initial`?"),
        (of_port("bound = 8, full = \"block\""), "did you mean `wait`?"),
        (of_port("bound = 8, full = \"latest\""), "did you mean `drop-oldest`?"),
        (of_port("bound = 8, full = \"drop-tail\""), "did you mean `drop-newest`?"),
        (of_port("bound = 8, full = \"reject\""), "did you mean `fail`?"),
        (
            of_port("left = true"),
            "write `left = \"ok\"` where values may be left when the program ends, or leave it out",
        ),
        (
            of_key("out = { y = { type = \"int\", bound = 8 } }"),
            "a bound and the like belong to the input port of the node that takes the values",
        ),
        (
            of_route("x <- 1 if true after 20ms"),
            "the time stands before the guard: `x <- v after 20ms if n > 0`",
        ),
        (of_route("x <- 1 delay 20ms"), "a value that is sent later is written `x <- v after 20ms`"),
        (
            of_fire("x -> x if true after 20ms"),
            "the time stands before the guard: `x <- v after 20ms if n > 0`",
        ),
    ];
    for (text, help) in cases {
        let found = compile(&text, &functions()).diagnostics;
        let helps: Vec<_> = found.iter().filter_map(|found| found.help.as_deref()).collect();
        assert!(helps.contains(&help), "{help}: {found:?}\n{text}");
    }
    let cases = [
        (of_fire("x -> x timeout 20ms"), "a rule for values that have waited is written `x -> x after 20ms`"),
        (
            two_nodes("", "\"Map[string]int\"", FIRE, ROUTE),
            "a map is written `map[string]T`, such as `map[string]int`",
        ),
        (of_route("x <- 1 after -20ms"), "a delay is too short: -20 ms"),
        (of_port("bound = 8, initial = 0"), "`initial` is not an array of values"),
    ];
    for (text, said) in cases {
        let found = rendered(&text);
        assert!(found.contains(said), "{said}: {found}");
    }
    assert_eq!(rendered(&of_port("initial = []")), "");
}

/// Rates are checked around cycles, too: what is on a port at the start changes none.
#[test]
fn rates_of_a_cycle_are_checked() {
    let found = |sent: &str, back: &str, own: &str| {
        let text = format!(
            "hasse = 1\nmain = \"g\"\n[graph.g]\narcs = [\"A.x -> B.x\", \"B.y -> A.y\", \"A.s -> A.s\"]\n\
             [graph.g.uc.A]\nin = {{ y = {{ type = \"int\", initial = [0, 0] }}, s = {{ type = \"int\", initial = [1] }} }}\n\
             out = {{ x = \"int\", s = \"int\" }}\nfire = [\"y -> _y[k] for k in 0..2, s -> s\"]\n\
             route = [\"x <- s{sent}\", \"s <- s + 1{own}\"]\n\
             [graph.g.uc.B]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}\nfire = [\"x -> x\"]\nroute = [\"y <- x{back}\"]\n"
        );
        let found = compile(&text, &functions()).diagnostics;
        let rates = found.iter().filter(|found| found.code == "W0315");
        rates.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(found("", " for k in 0..2", "").is_empty());
    assert!(found(" for k in 0..2", "", "").is_empty());
    assert_eq!(found(" for k in 0..2", " for k in 0..2", "").len(), 1);
    assert_eq!(found("", "", "").len(), 1);
    assert_eq!(found("", " for k in 0..2", " for k in 0..3").len(), 1);
}

/// A rule that takes more than may wait can never be enabled.
#[test]
fn rule_beyond_the_bound_of_its_port_is_reported() {
    let taken = |n: &str, bound: &str| {
        let port = format!("{{ type = \"int\", bound = {bound} }}");
        let text = two_nodes("", &port, &format!("x -> _x[k] for k in {n}"), "x <- k for k in 0..40");
        compile(&text, &functions()).diagnostics.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(taken("0..10", "8"), ["W0401"]);
    assert_eq!(taken("0..10", "\"2 * 4\""), ["W0401"]);
    assert!(taken("0..8", "8").is_empty());
    assert!(taken("..10", "8").is_empty());
}

#[test]
fn all_errors_are_found_in_one_pass() {
    let text = good_with(&[
        ("Src.go -> Sink.go", "Src.go -> Snik.go"),
        ("k += 1;", "k += z;"),
        ("done <- k", "done <- label"),
        ("stop = true", "stop = 1"),
    ]);
    assert_eq!(codes_of(&text), BTreeSet::from(["E0004", "E0104", "E0202", "E0502"]));
}

/// Texts that would make a recursive reader run out of stack.
#[test]
fn deep_nesting_is_an_error() {
    const DEEP: usize = 20_000;
    let bodies = [
        "(".repeat(DEEP),
        "[".repeat(DEEP),
        "{".repeat(DEEP),
        "!".repeat(DEEP) + "k",
        "- ".repeat(DEEP) + "k",
        format!("k = 1{};", " + 1".repeat(DEEP)),
        format!("k = p{};", ".x".repeat(DEEP)),
        format!("k = p{};", "[0]".repeat(DEEP)),
        format!("k = p{};", ".len()".repeat(DEEP)),
        format!("if true {{}} {}", "else if true {} ".repeat(DEEP)),
        format!("let f = {}k;", "|a| ".repeat(DEEP)),
        "if true {".repeat(DEEP),
        "while true {".repeat(DEEP),
        "switch 1 { 1 => ".repeat(DEEP),
        "`${".repeat(DEEP),
        "#{a:".repeat(DEEP),
        format!("k = true{};", " && true".repeat(DEEP)),
        format!("k = true{};", " ?? true".repeat(DEEP)),
        format!("k = 1{};", " ** 1".repeat(DEEP)),
    ];
    for body in bodies {
        let text = good_with(&[("k += 1;", &body)]);
        let codes = codes_of(&text);
        assert!(codes.contains("E0508") || codes.contains("E0501"), "{}: {codes:?}", &body[..12]);
    }
    let arrays = format!("hasse = 1\nmain = {}", "[".repeat(DEEP));
    assert!(codes_of(&arrays).contains("E0001"));
    let ty = format!("int{}", "[]".repeat(DEEP));
    assert!(codes_of(&good_with(&[("k = \"int = 0\"", &format!("k = \"{ty}\""))])).contains("E0201"));
}
