//! Breaks of the programs in which values follow each other.

use super::Break;
use super::Where::{At, Here};

pub(super) const MERGE: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Producer[p].item -> Merge.item\"",
        "\"Producer[p].item -> Merge.itme\"",
        Here,
    ),
    (
        "typo in the node of an arc",
        "\"Producer[p].again -> Producer[p].turn\"",
        "\"Producr[p].again -> Producer[p].turn\"",
        Here,
    ),
    (
        "missing arc",
        "  \"Merge.order -> Report.order\",\n",
        "",
        At(&["order <- order if count", "out  = { order = \"int[][]\" }", "in   = { order = \"int[][]\" }"]),
    ),
    (
        "index missing at an instance",
        "\"Start.go[p] -> Producer[p].turn\"",
        "\"Start.go[p] -> Producer.turn\"",
        Here,
    ),
    (
        "a port with the wrong type",
        "out   = { item = \"int[]\", again = \"int\" }",
        "out   = { item = \"int\", again = \"int\" }",
        Here,
    ),
    ("typo in a name of a body", "order.push(item);", "order.push(itm);", Here),
    ("undeclared parameter", "if count < items\"", "if count < max_items\"", Here),
    (
        "missing firing rule",
        "fire = [\"item -> item\"]\n",
        "",
        At(&["[graph.merge.uc.Merge]", "in   = { item = \"int[]\" }"]),
    ),
    ("typo in `start`", "start = true", "strat = true", Here),
    ("a text where a truth value belongs", "stop = true", "stop = \"true\"", Here),
];

pub(super) const JOIN: &[Break] = &[
    ("typo in the port of an arc", "\"Join.sale -> Total.sale\"", "\"Join.sale -> Total.sales\"", Here),
    (
        "a map without the type of its keys",
        "country = \"map[string]string\"",
        "country = \"map[]string\"",
        Here,
    ),
    ("a map without the type of its values", "total = \"map[string]int\"", "total = \"map[string]\"", Here),
    (
        "a map in the words of another language",
        "total = \"map[string]int\"",
        "total = \"map<string, int>\"",
        Here,
    ),
    ("numbers as keys", "waiting = \"map[string]int[]\"", "waiting = \"map[int]int[]\"", Here),
    ("typo in a map's name", "} else if name in country {", "} else if name in countries {", Here),
    ("typo in a field", "let name = if rule == 0 { c.name }", "let name = if rule == 0 { c.nam }", Here),
    ("missing value of a field", "Sale(country[name], amounts[k])", "Sale(amounts[k])", Here),
    ("missing parenthesis", "(total[s.country] ?? 0) + s.amount", "(total[s.country] ?? 0 + s.amount", Here),
    (
        "missing arc",
        "  \"Customers.row -> Join.customer\",\n",
        "",
        At(&["route = [\"row <- Customer", "in   = { customer = \"Customer\"", "\"customer -> c\","]),
    ),
];

pub(super) const ETL: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Load.loaded -> Summary.loaded\"",
        "\"Load.loaded -> Summary.load\"",
        Here,
    ),
    ("typo in the node of an arc", "\"Join.batch -> Load.batch\"", "\"Join.batch -> Laod.batch\"", Here),
    ("typo in a type", "customers = \"map[string]Customer\"", "customers = \"map[string]Costumer\"", Here),
    ("typo in a function", "read_csv(\"orders.csv\")", "read_cvs(\"orders.csv\")", Here),
    ("missing argument", "sql(database, by_country)", "sql(by_country)", Here),
    ("typo in a parameter", "sales.len() >= size", "sales.len() >= sizes", Here),
    (
        "missing arc",
        "  \"Join.unmatched -> Reject.unmatched\",\n",
        "",
        At(&["\"unmatched <- left if is_last\"", "out  = { batch", "in   = { unmatched"]),
    ),
    (
        "missing value of a field",
        "Order(rows[k].number, rows[k].customer, rows[k].cents)",
        "Order(rows[k].number, rows[k].cents)",
        Here,
    ),
    ("missing bracket", "sale.country, sale.cents]);", "sale.country, sale.cents);", Here),
    ("another type than the port", "\"batch <- Batch(ready, is_last)", "\"batch <- ready", Here),
];

pub(super) const PHILOSOPHERS: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Waiter.lay_left[p] -> Philosopher[p].left\"",
        "\"Waiter.lay_left[p] -> Philosopher[p].lefft\"",
        Here,
    ),
    (
        "missing bracket in an index",
        "-> Philosopher[(p + n - 1) % n].right",
        "-> Philosopher[(p + n - 1 % n].right",
        Here,
    ),
    ("index missing at a port family", "-> Host.full[p]", "-> Host.full", Here),
    (
        "missing arc",
        "  \"Philosopher[p].pass_left -> Philosopher[(p + n - 1) % n].right\",\n",
        "",
        At(&["\"pass_left <- left, pass_right", "out   = { pass_left"]),
    ),
    (
        "binding missing in a firing rule",
        "fire  = [\"left -> left, right -> right\"]",
        "fire  = [\"left -> left\"]",
        Here,
    ),
    (
        "unknown name in a guard",
        "\"full <- count if count == meals\"",
        "\"full <- count if count == meal\"",
        Here,
    ),
    ("typo in a name of a body", "{ effort += bite; }", "{ efort += bite; }", Here),
    ("a bound without its end", "for p in 0..n\"]", "for p in 0..\"]", Here),
    ("arrow of the other kind of rule", "\"lay_left[0] <- 0\"", "\"lay_left[0] -> 0\"", Here),
    ("a node named twice", "[graph.philosophers.uc.Host]", "[graph.philosophers.uc.Waiter]", Here),
];

pub(super) const SIEVE: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Stage[i].prime -> Collect.prime[i]\"",
        "\"Stage[i].prim -> Collect.prime[i]\"",
        Here,
    ),
    (
        "number of the first instance missing",
        "\"Source.number -> Stage[0].number\"",
        "\"Source.number -> Stage.number\"",
        Here,
    ),
    ("unknown name in an index", "-> Stage[i + 1].number", "-> Stage[n + 1].number", Here),
    (
        "missing arc",
        "  \"Stage[i].n_stages -> Collect.n_stages\",\n",
        "",
        At(&[
            "\"n_stages <- i + 1 if is_end",
            "prime = \"int\", n_stages = \"int\" }",
            "\"prime[i]\" = \"int\", n_stages = \"int\" }",
        ]),
    ),
    ("`=` instead of `==`", "let is_end = number == 0;", "let is_end = number = 0;", Here),
    ("typo in a value that is sent", "\"prime <- own_prime if", "\"prime <- onw_prime if", Here),
    (
        "assignment to a parameter",
        "if passes { n_passed += 1; }",
        "if passes { n_passed += 1; limit -= 1; }",
        Here,
    ),
    ("var of an unknown type", "vars = { n = \"int\" }", "vars = { n = \"number\" }", Here),
    (
        "`and` as in other languages",
        "\"rest <- 0 if is_end && n_passed > 0\"",
        "\"rest <- 0 if is_end and n_passed > 0\"",
        Here,
    ),
    ("start node with an index", "index = [\"i\"]\n", "index = [\"i\"]\nstart = true\n", Here),
];
