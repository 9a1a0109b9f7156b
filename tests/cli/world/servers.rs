//! MQTT and PostgreSQL, against a broker and a server that the tests start. Where `HASSE_SERVERS` is not set, nothing is tested here and
//! the tests say so; where it is, a server that is missing is a failure.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{digest, one_node};

/// Returns true if the servers are there.
fn has_servers() -> bool {
    let is_set = std::env::var_os("HASSE_SERVERS").is_some();
    if !is_set {
        eprintln!("skipped: HASSE_SERVERS is not set; mosquitto and PostgreSQL have to be installed for it");
    }
    is_set
}

/// A server that is ended with the test.
struct Server {
    process: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a server on a port that was free a moment ago, and waits until it accepts connections. Another process may have taken the port
    /// meanwhile: then the server ends, and the next port is tried.
    fn start(command: impl Fn(u16) -> Command) -> Self {
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut process = command(port).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            while process.try_wait().unwrap().is_none() {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() && process.try_wait().unwrap().is_none() {
                    return Self { process, port };
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
        panic!("the server does not start");
    }
}

/// Messages of one program reach another one, and itself; a replay needs no broker.
#[test]
fn messages_go_over_a_broker() {
    if !has_servers() {
        return;
    }
    let broker = Server::start(|port| {
        let mut command = Command::new("mosquitto");
        command.args(["-p", &port.to_string()]);
        command.env("PATH", "/usr/sbin:/usr/bin:/bin:/usr/local/bin");
        command
    });
    let address = format!("mqtt://127.0.0.1:{}/test/words", broker.port);
    let body = format!(
        "let topic = connect(\"{address}\");\nlet all = connect(\"{}\");\n\
         for word in [\"one\", \"two\", \"drei äöü\"] {{ write_line(topic, word); }}\n\
         for _k in 0..3 {{ print(`${{read_line(topic)}} ${{read_line(all)}}`); }}\n\
         write_line(all, \"test/words four and more\");\nprint(read_line(topic));\n\
         for line in [\"word\", \"test/+ word\"] {{ try {{ write_line(all, line); }} catch (error) {{ print(error); }} }}",
        address.replace("words", "+")
    );
    let folder = one_node("", &body);
    let args = ["run", "p.hasse", "--workers", "1", "--allow-net", "127.0.0.1", "--trace", "t"];
    let ran = folder.hasse(&args).ends(0);
    let said = "one test/words one\ntwo test/words two\ndrei äöü test/words drei äöü\nfour and more\n";
    assert!(ran.stdout.starts_with(said) && ran.stdout.ends_with("\nend 0\n"), "{}", ran.shown());
    for line in ["word", "test/+ word"] {
        let refusal = format!("`{line}` is not a topic, a space and a message");
        assert!(ran.stdout.contains(&refusal), "{}", ran.shown());
    }
    drop(broker);
    assert_eq!(folder.hasse(&["replay", "t", "--trace", "again"]).ends(0).stdout, ran.stdout);
    assert_eq!(digest(&folder, "t"), digest(&folder, "again"));
    let refused = one_node("on_error = \"continue\"", &format!("connect(\"{address}\");"));
    let found = refused.hasse(&["run", "p.hasse", "--json", "--allow-net", "127.0.0.1"]).ends(0).json();
    let first = found["handled"][0]["first"]["message"].as_str().unwrap();
    assert!(first.contains(&format!("cannot connect to {address}")), "{first}");
}

/// The newest folder of PostgreSQL's programs, as Debian has them.
fn programs_of_postgres() -> PathBuf {
    let mut versions: Vec<PathBuf> =
        fs::read_dir("/usr/lib/postgresql").unwrap().map(|entry| entry.unwrap().path()).collect();
    versions.sort();
    versions.pop().unwrap().join("bin")
}

/// A command as a user who may run PostgreSQL: not as root.
fn as_user(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command
}

/// Values of types that bodies have no value for are texts, in both directions.
fn types_go_there_and_back(database: &str) {
    let mut body = format!("let db = \"{database}\";\n");
    let cases = [
        ("date", "\"2024-02-29\"", "2024-02-29"),
        ("date", "\"infinity\"", "infinity"),
        ("timestamp", "\"2024-02-29 12:34:56.5\"", "2024-02-29T12:34:56.500"),
        ("timestamptz", "\"2024-02-29T12:34:56+02:00\"", "2024-02-29T10:34:56Z"),
        ("time", "\"12:34:56\"", "12:34:56"),
        ("numeric", "\"12345678901234567890.0100\"", "12345678901234567890.0100"),
        ("numeric", "\"-0.00000012\"", "-0.00000012"),
        ("numeric", "7", "7"),
        ("numeric", "0.1", "0.1"),
        ("numeric", "\"NaN\"", "NaN"),
        ("uuid", "\"00112233-4455-6677-8899-AABBCCDDEEFF\"", "00112233-4455-6677-8899-aabbccddeeff"),
        ("json", "`{\"a\":  1}`", "{\"a\":  1}"),
        ("jsonb", "`{\"a\":  1}`", "{\"a\": 1}"),
        ("int2", "-7", "-7"),
        ("float4", "0.5", "0.5"),
        ("int[]", "[1, (), 3]", "[1, (), 3]"),
        ("bigint[]", "[[1], [2]]", "[[1], [2]]"),
        ("float8[]", "[0.5, 1e300]", "[0.5, 1e300]"),
        ("text[]", "[`a\"b`, `c,d`, `NULL`, ()]", "[\"a\\\"b\", \"c,d\", \"NULL\", ()]"),
        ("bool[]", "[true, false]", "[true, false]"),
    ];
    for (ty, given, _) in &cases {
        body += &format!("print(sql(db, \"select $1::{ty} as x\", [{given}])[0].x);\n");
    }
    let folder = one_node("", &body);
    let ran = folder.hasse(&["run", "p.hasse", "--workers", "1", "--allow-net", "127.0.0.1"]).ends(0);
    for (line, (ty, given, expected)) in ran.stdout.lines().zip(&cases) {
        assert_eq!(line, *expected, "{given} as {ty}: {}", ran.shown());
    }
    assert!(ran.stdout.lines().count() > cases.len(), "{}", ran.shown());
}

/// Values of all kinds go into a table and come back; what the server refuses is an error of the event; a replay needs no server.
#[test]
fn tables_of_a_server_hold_values_of_all_kinds() {
    if !has_servers() {
        return;
    }
    let programs = programs_of_postgres();
    // The server's user may not come to where root has its temporary files.
    let home = tempfile::tempdir_in("/tmp").unwrap();
    let data = home.path().join("data");
    fs::create_dir(&data).unwrap();
    // Where root runs the tests, the server's user has to come there.
    let _ = Command::new("chown").arg("postgres").arg(&data).status();
    Command::new("chmod").arg("o+x").arg(home.path()).status().unwrap();
    let initialized = as_user(&programs.join("initdb"))
        .args(["-A", "trust", "-U", "tester", "-N", "-D"])
        .arg(&data)
        .output()
        .unwrap();
    assert!(initialized.status.success(), "{}", String::from_utf8_lossy(&initialized.stderr));
    let server = Server::start(|port| {
        let mut command = as_user(&programs.join("postgres"));
        command.args(["-h", "127.0.0.1", "-k", "", "-p", &port.to_string(), "-D"]).arg(&data);
        command
    });
    let database = format!("postgres://tester@127.0.0.1:{}/postgres", server.port);
    let body = format!(
        "let db = \"{database}\";\nsql(db, \"create table t (a int, b float8, c text, d bytea, e bool); create table u (x int)\");\n\
         for k in 0..2 {{ sql(db, \"insert into t values ($1, $2, $3, $4, $5)\", [k, 2.5, \"x'y\", blob(2, 255), ()]); }}\n\
         let rows = sql(db, \"select *, count(*) over () as n from t where a = $1\", [1]);\nlet row = rows[0];\n\
         print(`${{rows.len}} ${{row.a}} ${{row.b}} ${{row.c}} ${{row.d.len}} ${{type_name(row.e)}} ${{row.n}}`);\n\
         for query in [\"select * from nowhere\", \"selec\", \"select point(1, 2) as t\"] {{\n\
         try {{ sql(db, query); }} catch (e) {{ print(e); }} }}\n\
         try {{ sql(db, \"select $1::int as x\", [\"text\"]); }} catch (e) {{ print(e); }}"
    );
    let folder = one_node("", &body);
    let args = ["run", "p.hasse", "--workers", "1", "--allow-net", "127.0.0.1", "--trace", "t"];
    let ran = folder.hasse(&args).ends(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "1 1 2.5 x'y 2 () 1", "{}", ran.shown());
    assert!(lines[1].contains("relation \"nowhere\" does not exist"), "{}", ran.shown());
    assert!(lines[2].contains("syntax error"), "{}", ran.shown());
    assert!(lines[3].contains("the column `t` is of type point: cast it, `t::text`"), "{}", ran.shown());
    assert!(lines[4].contains("cannot pass a value of type string as int4"), "{}", ran.shown());
    types_go_there_and_back(&database);
    drop(server);
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    let ran = folder.hasse(&["run", "p.hasse", "--json"]).ends(1);
    assert_eq!(ran.json()["errors"][0]["code"], "R0011");
    // All addresses of a URL must be granted, however they are written.
    for url in [
        "postgres://127.0.0.1/db?hostaddr=6.6.6.6",
        "postgres://127.0.0.1/db?host=evil",
        "postgres://evil@x:1/y",
    ] {
        let folder = one_node("", &format!("sql(\"{url}\", \"select 1\");"));
        let ran = folder.hasse(&["run", "p.hasse", "--json", "--allow-net", "127.0.0.1"]).ends(1);
        assert_eq!(ran.json()["errors"][0]["code"], "R0011", "{url}: {}", ran.shown());
    }
}
