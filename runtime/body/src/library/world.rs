//! Streams, commands, HTTP, SQL.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const STREAMS: Family = Family {
    title: "Connections, subprocesses and files that grow",
    about: "A stream has a number, by which any node can use it, and is closed when the run ends. `read_line` returns its next line, and `()` at its end. Network addresses are granted by `--allow-net HOST:PORT`, programs by `--allow-run PROGRAM`. While a body waits for a stream, [no worker waits](language/world.md).",
    functions: STREAM_FUNCTIONS,
};

const STREAM_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "accept(server: int) -> int",
        "The next connection to a server.",
        "it is no server; the system refuses",
        r#"let s = listen("127.0.0.1:0"); let c = connect(address(s)); accept(s) != c"#,
    ),
    function(
        "address(stream: int) -> string",
        "The address of a server, or of the peer of a connection.",
        "it is neither",
        r#"address(listen("127.0.0.1:0")).starts_with("127.0.0.1:")"#,
    ),
    function(
        "close(stream: int) -> bool",
        "Closes a stream; `false` if it is closed already. A subprocess is killed.",
        "",
        r#"let s = listen("127.0.0.1:0"); close(s) && !close(s)"#,
    ),
    function(
        "connect(address: string) -> int",
        "A TCP connection to `HOST:PORT`. Gives up after 30 s. In a build with `--features http` also a WebSocket, `ws://HOST:PORT/PATH`, in one with `--features mqtt` a topic of a broker, `mqtt://HOST:PORT/TOPIC`; their lines are messages. With `--features tls` in addition, `wss://` and `mqtts://` are encrypted.",
        "the address is not granted (R0011); nobody accepts; the certificate is not trusted",
        r#"connect(address(listen("127.0.0.1:0"))) > 0"#,
    ),
    function(
        "end_writing(stream: int)",
        "Ends what is written to a connection or subprocess. Its lines can still be read.",
        "it takes no lines",
        r#"let p = start_process("cat", []); write_line(p, "a"); end_writing(p); read_line(p) == "a" && read_line(p) == ()"#,
    ),
    function(
        "follow(path: string) -> int; follow(path: string, skips: bool) -> int",
        "A file that grows: its lines, and those that are appended later. With `true` the lines that are there already are left out. A file that is cut or replaced is read from its beginning.",
        "it may not be read (R0011); it cannot be read",
        r#"read_line(follow("data.txt")) == "one""#,
    ),
    function(
        "listen(address: string) -> int",
        "A TCP server on `HOST:PORT`; port 0 takes one that is free. In a build with `--features http` also one of WebSockets, `ws://HOST:PORT`.",
        "the address is not granted (R0011); it is in use",
        r#"listen("127.0.0.1:0") > 0"#,
    ),
    function(
        "process_status(process: int) -> int",
        "The exit status of a subprocess, when it has ended; -1 where a signal has ended it.",
        "it is no subprocess",
        r#"process_status(start_process("true", [])) == 0"#,
    ),
    function(
        "run_command(program: string, args: string[]) -> map; run_command(program: string, args: string[], input: string) -> map",
        "Runs a program to its end, without a shell: `status`, `output` and `errors`.",
        "the program is not granted (R0011); it cannot be run; its output is not UTF-8",
        r#"run_command("tr", ["a-z", "A-Z"], "hi").output == "HI""#,
    ),
    function(
        "start_process(program: string, args: string[]) -> int",
        "Starts a program, without a shell: a stream of lines to and from it.",
        "the program is not granted (R0011); it cannot be started",
        r#"let p = start_process("cat", []); write_line(p, "a"); read_line(p) == "a""#,
    ),
    function(
        "watch_dir(path: string) -> int",
        "A folder: the names of its files, and later those of files that are new or have changed.",
        "it may not be read (R0011); it cannot be read",
        r#"read_line(watch_dir(".")) == "data.json""#,
    ),
    function(
        "watch_params() -> int",
        "The creation parameters of the main graph, a line of JSON: now, and whenever a service has read them again. Graph \
         instances keep those that they were created with.",
        "",
        r#"parse_json(read_line(watch_params())) == #{}"#,
    ),
    function(
        "write_line(stream: int, line: string)",
        "Writes a line to a connection or subprocess.",
        "it takes no lines; an earlier line could not be written",
        r#"let p = start_process("cat", []); write_line(p, "a"); read_line(p) == "a""#,
    ),
];

/// The family.
pub(super) const HTTP: Family = Family {
    title: "HTTP",
    about: "Needs a build with `--features http`, and `--allow-net HOST:PORT`. Replies and requests are maps: `headers` by names in lower case, `body` a string, or bytes where it is not UTF-8. With `--features http,tls` requests can be sent to `https://`. Redirections are not followed.",
    functions: HTTP_FUNCTIONS,
};

const HTTP_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "http_address(server: int) -> string",
        "The address of a server.",
        "there is no such server",
        r#"http_address(1) == "127.0.0.1:8080""#,
    ),
    function(
        "http_get(url: string) -> map; http_get(url: string, seconds: real) -> map",
        "Sends a request: `status`, `headers` and `body` of the reply. Gives up after 60 s, or as many `seconds`.",
        "the address is not granted (R0011); there is no reply; the certificate is not trusted",
        r#"http_get("http://127.0.0.1:8080/jobs").status == 200"#,
    ),
    function(
        "http_listen(address: string) -> int",
        "A server on `HOST:PORT`; port 0 takes one that is free.",
        "the address is not granted (R0011); it is in use",
        r#"http_listen("127.0.0.1:8080") == 1"#,
    ),
    function(
        "http_next(server: int) -> map",
        "The next request to a server: `request` (its number), `method`, `path`, `query`, `headers`, `body`.",
        "there is no such server",
        r#"http_next(1).path == "/jobs""#,
    ),
    function(
        "http_post(url: string, body: string) -> map; http_post(url: string, body: string, seconds: real) -> map",
        "The same as `http_get` with a body.",
        "as `http_get`",
        r#"http_post("http://127.0.0.1:8080/jobs", "{}").status == 201"#,
    ),
    function(
        "http_reply(request: int, status: int, body: string); http_reply(request: int, status: int, headers: map, body: string)",
        "Replies to a request. Any node can reply.",
        "the request has been replied to, or there was none; the client has gone",
        r#"http_reply(1, 200, "ok") == ()"#,
    ),
    function(
        "http_request(method: string, url: string, headers: map, body: string) -> map; http_request(method: string, url: string, headers: map, body: string, seconds: real) -> map",
        "The same as `http_get` with another method, headers and a body.",
        "as `http_get`; a header is no string",
        r#"http_request("DELETE", "http://127.0.0.1:8080/jobs/7", #{accept: "text/plain"}, "").body == "gone""#,
    ),
];

/// The family.
pub(super) const SQL: Family = Family {
    title: "SQL",
    about: "With `--features sqlite` a database is a file, which SQLite reads and writes; one that may not be written is opened for reading. With `--features postgres` it can also be on a server, `postgres://USER@HOST:PORT/DATABASE`, whose address is granted; with `--features tls` and `?sslmode=require` the connection is encrypted. Columns of dates, times, exact numbers, UUIDs and JSON are strings, those of arrays arrays ([types](language/world.md#sql)).",
    functions: SQL_FUNCTIONS,
};

const SQL_FUNCTIONS: &[FunctionDoc] = &[function(
    "sql(database: string, query: string) -> map[]; sql(database: string, query: string, values: any[]) -> map[]",
    "Carries out the statements of a query, with `values` in place of `?1`, `?2` and so on, for PostgreSQL `$1`, `$2`; the rows of the last statement, a map by the names of columns for each. A transaction that a query begins must end in it.",
    "the file may not be read, or the address is not granted (R0011); the query is refused",
    r#"sql("shop.db", "select name from item where price < ?1", [5])[0].name == "tea""#,
)];
