//! HTTP and SQL, against servers and files that the tests make.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use super::{Folder, Ran, digest, one_node, program_of_page, started};

/// Client and server in one program, on one worker.
#[test]
fn requests_are_served_without_a_worker_for_each() {
    let folder = Folder::with("square.hasse", &program_of_page("square"));
    let args = ["run", "square.hasse", "--workers", "1", "--allow-net", "127.0.0.1", "--trace", "t"];
    let ran = folder.hasse(&args).ends(0);
    assert_eq!(ran.stdout, "200: 49\n400: not a number: x\n");
    assert_eq!(folder.hasse(&["replay", "t", "--trace", "again"]).ends(0).stdout, ran.stdout);
    assert_eq!(digest(&folder, "t"), digest(&folder, "again"));
}

/// A server and a client of another program exchange requests and replies.
#[test]
fn server_talks_to_any_client() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main.uc.Serve]\nstart = true\ndo = '''\n\
                let server = http_listen(\"127.0.0.1:0\");\nprint(http_address(server));\n\
                let asked = http_next(server);\n\
                print(`${asked.method} ${asked.path} ${asked.query} ${asked.headers[\"x-kind\"]} ${asked.body}`);\n\
                http_reply(asked.request, 201, #{\"X-Answer\": \"yes\"}, \"done\");\n'''\n";
    let folder = Folder::with("p.hasse", text);
    let mut child = started(&folder, &["run", "p.hasse", "--allow-net", "127.0.0.1"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut client = TcpStream::connect(lines.next().unwrap().unwrap()).unwrap();
    let request = "PUT /a/b?c=d HTTP/1.1\r\nHost: h\r\nX-Kind: test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody";
    client.write_all(request.as_bytes()).unwrap();
    let replied: Vec<String> = BufReader::new(client).lines().map_while(Result::ok).collect();
    assert_eq!(lines.next().unwrap().unwrap(), "PUT /a/b c=d test body");
    assert!(replied[0].starts_with("HTTP/1.1 201"), "{replied:?}");
    assert!(replied.iter().any(|line| line == "X-Answer: yes"), "{replied:?}");
    assert_eq!(replied.last().unwrap(), "done");
    Ran::of(child.wait_with_output().unwrap()).ends(0);
}

/// A reply that is no HTTP, one that breaks off, and none at all are errors of the event; other statuses are not.
#[test]
fn failing_requests_are_errors_of_the_event() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        for reply in ["nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", ""] {
            let (mut client, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(client.try_clone().unwrap()).read_line(&mut line).unwrap();
            client.write_all(reply.as_bytes()).unwrap();
        }
        let (mut client, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(client.try_clone().unwrap()).read_line(&mut line).unwrap();
        client
            .write_all(
                b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\nContent-Length: 2\r\n\r\n\xff\xfe",
            )
            .unwrap();
    });
    let body = format!(
        "for _k in 0..3 {{ try {{ http_get(\"http://{address}/\"); }} catch (e) {{ print(`failed: ${{e.contains(\"GET http\")}}`); }} }}\n\
         let reply = http_request(\"GET\", \"http://{address}/\", #{{}}, \"\");\n\
         print(`${{reply.status}} ${{reply.headers.location}} ${{reply.body.len}}`);\n\
         for url in [\"ftp://127.0.0.1/\", \"nothing\", \"http:///x\"] {{\n\
         try {{ http_get(url); }} catch (e) {{ print(e); }}\n}}"
    );
    let folder = one_node("", &body);
    let ran = folder.hasse(&["run", "p.hasse", "--allow-net", "127.0.0.1", "--trace", "t"]).ends(0);
    let expected = "failed: true\nfailed: true\nfailed: true\n302 http://elsewhere/ 2\n\
                    the URL `ftp://127.0.0.1/` does not begin with `http://` or `https://`\n";
    assert!(ran.stdout.starts_with(expected), "{}", ran.shown());
    server.join().unwrap();
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}

/// Values of all kinds go into a table and come back; a database that may be read only is not written.
#[test]
fn tables_hold_values_of_all_kinds() {
    let body = "sql(\"d.db\", \"create table if not exists t (a, b, c, d, e)\");\n\
                sql(\"d.db\", \"insert into t values (?1, ?2, ?3, ?4, ?5)\", [1, 2.5, \"x'y\", blob(2, 255), ()]);\n\
                let rows = sql(\"d.db\", \"select * from t\");\n\
                let row = rows[0];\nprint(`${rows.len} ${row.a} ${row.b} ${row.c} ${row.d.len} ${type_name(row.e)}`);\n\
                sql(\"d.db\", \"begin; insert into t values (7, 7, 7, 7, 7); rollback\");\n\
                print(`${sql(\"d.db\", \"select count(*) as n from t\")[0].n}`);";
    let folder = one_node("", body);
    let args = ["run", "p.hasse", "--allow-write", ".", "--trace", "t"];
    let ran = folder.hasse(&args).ends(0);
    assert_eq!(ran.stdout, "1 1 2.5 x'y 2 ()\n1\nend 0\n");
    let there = std::fs::metadata(folder.path("d.db")).unwrap().modified().unwrap();
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
    assert_eq!(std::fs::metadata(folder.path("d.db")).unwrap().modified().unwrap(), there);
    for (query, message) in [
        ("select count(*) as n from t", "1"),
        ("insert into t values (1, 1, 1, 1, 1)", "readonly"),
        ("select * from nowhere", "`d.db`: no such table: nowhere"),
        ("attach database 'other.db' as other", "too many attached databases"),
    ] {
        let body =
            format!("try {{ print(`${{sql(\"d.db\", \"{query}\")[0].n}}`); }} catch (e) {{ print(e); }}");
        let other = one_node("", &body);
        std::fs::copy(folder.path("d.db"), other.path("d.db")).unwrap();
        let ran = other.hasse(&["run", "p.hasse"]).ends(0);
        assert!(ran.stdout.contains(message), "{query}: {}", ran.shown());
        assert!(!other.path("other.db").exists());
    }
}

/// The clients and the server of the page, by WebSockets.
#[test]
fn lines_go_over_web_sockets() {
    let folder =
        Folder::with("echo.hasse", &program_of_page("echo").replace("127.0.0.1:0", "ws://127.0.0.1:0"));
    let args =
        ["run", "echo.hasse", "--workers", "1", "--set", "n=20", "--allow-net", "127.0.0.1", "--trace", "t"];
    let ran = folder.hasse(&args).ends(0);
    let expected: String = (0..20).map(|i| format!("HELLO FROM {i}\n")).collect();
    assert_eq!(ran.stdout, expected);
    assert_eq!(folder.hasse(&["replay", "t", "--trace", "again"]).ends(0).stdout, expected);
    assert_eq!(digest(&folder, "t"), digest(&folder, "again"));
}

/// The handshake of RFC 6455, section 1.3, and frames of section 5.2. Who asks for something else is not let in.
#[test]
fn web_socket_server_speaks_to_any_client() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main.uc.Serve]\nstart = true\ndo = '''\n\
                let server = listen(\"ws://127.0.0.1:0\");\nprint(address(server));\nlet client = accept(server);\n\
                let line = read_line(client);\nprint(line);\nwrite_line(client, line.to_upper());\n\
                print(type_name(read_line(client)));\n'''\n";
    let folder = Folder::with("p.hasse", text);
    let mut child = started(&folder, &["run", "p.hasse", "--allow-net", "127.0.0.1"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.next().unwrap().unwrap();
    let address = address.strip_prefix("ws://").unwrap();
    let mut other = TcpStream::connect(address).unwrap();
    other.write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    let request = "GET /talk HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    client.write_all(request.as_bytes()).unwrap();
    let mut replied = BufReader::new(client.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(replied.read_line(&mut head).unwrap() > 0, "{head}");
    }
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    assert!(head.to_lowercase().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
    client.write_all(&[0x81, 0x82, 1, 2, 3, 4, b'h' ^ 1, b'i' ^ 2]).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "hi");
    let mut frame = [0; 4];
    replied.read_exact(&mut frame).unwrap();
    assert_eq!(frame, [0x81, 2, b'H', b'I']);
    client.write_all(&[0x88, 0x80, 0, 0, 0, 0]).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "()");
    Ran::of(child.wait_with_output().unwrap()).ends(0);
}
