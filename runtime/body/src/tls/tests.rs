//! Encrypted connections of all protocols, to servers of the tests. Clients are child processes, as authorities are read once in a
//! process.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, thread};

use hasse_model::value::Value;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tungstenite::Message;

use crate::clock::Clock;
use crate::databases::Query;
use crate::databases::postgres::Servers;
use crate::http::{self, Asked};
use crate::streams::Streams;
use crate::waiting::{Answer, Pending};

/// Addresses that the child process connects to.
const ADDRESSES: &str = "HASSE_TLS_ADDRESSES";

type Authority = CertifiedIssuer<'static, KeyPair>;
type Encrypted = StreamOwned<ServerConnection, TcpStream>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Serves connections with a certificate for some hosts; returns the address.
fn serve(authority: &Authority, hosts: &[&str], dialog: fn(TcpStream, Arc<ServerConfig>)) -> String {
    let key = KeyPair::generate().unwrap();
    let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
    let certificate = CertificateParams::new(hosts).unwrap().signed_by(&key, authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for peer in listener.incoming() {
            let (peer, config) = (peer.unwrap(), Arc::clone(&config));
            // A client that does not trust the certificate breaks off: its dialog panics.
            thread::spawn(move || dialog(peer, config));
        }
    });
    address
}

fn encrypted(peer: TcpStream, config: Arc<ServerConfig>) -> Encrypted {
    StreamOwned::new(ServerConnection::new(config).unwrap(), peer)
}

fn http(peer: TcpStream, config: Arc<ServerConfig>) {
    let mut stream = encrypted(peer, config);
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        asked.extend(byte);
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello").unwrap();
    stream.conn.send_close_notify();
    stream.flush().unwrap();
}

/// Sends messages back in capitals.
fn socket(peer: TcpStream, config: Arc<ServerConfig>) {
    let mut socket = tungstenite::accept(encrypted(peer, config)).unwrap();
    while let Ok(Message::Text(text)) = socket.read() {
        socket.send(Message::text(text.to_uppercase())).unwrap();
    }
}

/// A packet of MQTT: its first byte and its content, whose length fits one byte.
fn packet(stream: &mut Encrypted) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    let mut content = vec![0; usize::from(head[1])];
    stream.read_exact(&mut content).unwrap();
    (head[0], content)
}

fn topic(peer: TcpStream, config: Arc<ServerConfig>) {
    let mut stream = encrypted(peer, config);
    assert_eq!(packet(&mut stream).0, 0x10, "CONNECT");
    stream.write_all(&[0x20, 2, 0, 0]).unwrap();
    let (kind, subscribed) = packet(&mut stream);
    assert_eq!(kind, 0x82, "SUBSCRIBE");
    stream.write_all(&[0x90, 3, subscribed[0], subscribed[1], 1]).unwrap();
    let (kind, published) = packet(&mut stream);
    assert_eq!(kind & 0xf0, 0x30, "PUBLISH");
    // The topic of one character, then the number of the packet and the message.
    let message = [&[0x30, published.len() as u8 - 2, 0, 1, b't'], &published[5..]].concat();
    stream.write_all(&message).unwrap();
    let _ = stream.read(&mut [0; 64]);
}

/// Refuses a client after its encrypted startup message.
fn postgres(mut peer: TcpStream, config: Arc<ServerConfig>) {
    peer.read_exact(&mut [0; 8]).unwrap();
    peer.write_all(b"S").unwrap();
    let mut stream = encrypted(peer, config);
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    stream.read_exact(&mut vec![0; u32::from_be_bytes(length) as usize - 4]).unwrap();
    let fields = b"SFATAL\0VFATAL\0C28000\0Mhello over TLS\0\0";
    let head = [&b"E"[..], &(fields.len() as u32 + 4).to_be_bytes()].concat();
    stream.write_all(&[&head, &fields[..]].concat()).unwrap();
}

/// Connects to addresses in a child process that trusts the authorities of a file; returns its answers.
fn ask(file: &Path, addresses: &[String]) -> Vec<String> {
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "tls::tests::child_connects", "--nocapture"])
        .env("SSL_CERT_FILE", file)
        .env_remove("SSL_CERT_DIR")
        .env(ADDRESSES, addresses.join(" "))
        .output()
        .unwrap();
    let output = String::from_utf8(child.stdout).unwrap();
    let lines = output.lines().filter_map(|line| line.split_once("answer: "));
    let answers: Vec<String> = lines.map(|(_, answer)| answer.to_owned()).collect();
    assert_eq!(answers.len(), addresses.len(), "{output}\n{}", String::from_utf8_lossy(&child.stderr));
    answers
}

/// Not a test of its own: the client of the others.
#[test]
fn child_connects() {
    let Ok(addresses) = env::var(ADDRESSES) else { return };
    for address in addresses.split(' ') {
        // The name of this test may be on the line.
        println!("\nanswer: {:?}", answer(address));
    }
}

fn answer(address: &str) -> Answer {
    let clock = Clock::new(false);
    let block = |pending: Pending| pending.block(&clock, None, false);
    if address.starts_with("https://") {
        let message = http::Message::default();
        let asked = Asked { method: "GET", url: address, message, limit: Duration::from_secs(60) };
        let Value::Map(reply) = http::send(asked).and_then(block)? else { panic!("no reply") };
        return Ok(reply.iter().find(|(name, _)| &***name == "body").unwrap().1.clone());
    }
    if address.starts_with("postgres://") {
        let query = Query { database: address, text: "select 1", values: Vec::new() };
        return Servers::default().ask(query).and_then(block);
    }
    let streams = Arc::new(Streams::default());
    let Value::Int(number) = streams.connect(address).and_then(block)? else { panic!("no stream") };
    // More than fits the buffers of a session.
    let (short, long) = ("hello", "x".repeat(if address.starts_with("wss") { 1 << 20 } else { 8 }));
    for line in [short, &long] {
        streams.write_line(number, line).and_then(block)?;
        let read = streams.line(number).and_then(block)?;
        if line == short {
            println!("\nread: {read:?}");
        }
        if address.starts_with("mqtts") {
            return Ok(read);
        }
        assert_eq!(read, Value::String(Arc::from(line.to_uppercase())));
    }
    Ok(Value::String(Arc::from(short)))
}

/// The servers of an authority, all protocols.
fn servers(authority: &Authority, hosts: &[&str]) -> Vec<String> {
    vec![
        format!("https://{}/", serve(authority, hosts, http)),
        format!("wss://{}/path", serve(authority, hosts, socket)),
        format!("mqtts://{}/t", serve(authority, hosts, topic)),
        format!("postgres://me@{}/db?sslmode=require", serve(authority, hosts, postgres)),
    ]
}

fn file_of(folder: &Path, authority: &Authority) -> std::path::PathBuf {
    let path = folder.join("authority.pem");
    fs::write(&path, authority.pem()).unwrap();
    path
}

#[test]
fn servers_of_a_trusted_authority_are_spoken_to() {
    let (folder, authority) = (tempfile::tempdir().unwrap(), authority("ours"));
    let answers = ask(&file_of(folder.path(), &authority), &servers(&authority, &["127.0.0.1"]));
    for answer in &answers[..3] {
        assert_eq!(answer, "Ok(String(\"hello\"))");
    }
    assert_eq!(answers[3], "Err(\"PostgreSQL: FATAL: hello over TLS\")");
}

#[test]
fn certificate_of_an_unknown_authority_is_refused() {
    let (folder, ours, other) = (tempfile::tempdir().unwrap(), authority("ours"), authority("other"));
    for answer in ask(&file_of(folder.path(), &other), &servers(&ours, &["127.0.0.1"])) {
        assert!(
            answer.contains("the server's certificate is not trusted: its authority is unknown"),
            "{answer}"
        );
    }
}

#[test]
fn certificate_for_another_host_is_refused() {
    let (folder, authority) = (tempfile::tempdir().unwrap(), authority("ours"));
    for answer in ask(&file_of(folder.path(), &authority), &servers(&authority, &["example.org"])) {
        assert!(answer.contains("is not trusted: it is for another host"), "{answer}");
    }
}

#[test]
fn missing_file_of_authorities_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nowhere.pem");
    for answer in ask(&file, &servers(&authority("ours"), &["127.0.0.1"])) {
        assert!(answer.contains("no certificates of authorities were found"), "{answer}");
        assert!(answer.contains("nowhere.pem"), "{answer}");
    }
}
