//! TLS by `rustls`, with the cryptography of `ring`.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore};

/// Certificates of the authorities that are trusted, and the configuration of clients that trust them.
struct Trusted {
    certificates: Vec<CertificateDer<'static>>,
    config: Arc<ClientConfig>,
}

/// The authorities, which are read once in a process.
fn trusted() -> Result<&'static Trusted, String> {
    static TRUSTED: OnceLock<Result<Trusted, String>> = OnceLock::new();
    TRUSTED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Trusted, String> {
    let found = rustls_native_certs::load_native_certs();
    let certificates = found.certs;
    let mut roots = RootCertStore::empty();
    let (n_added, _) = roots.add_parsable_certificates(certificates.iter().cloned());
    if n_added == 0 {
        let errors: Vec<String> = found.errors.iter().map(|error| format!(": {error}")).collect();
        return Err(format!(
            "no certificates of authorities were found; the variable SSL_CERT_FILE names a file of them{}",
            errors.concat()
        ));
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Trusted { certificates, config: Arc::new(config) })
}

fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    Arc::clone(PROVIDER.get_or_init(|| Arc::new(ring::default_provider())))
}

/// Returns an error in a build without TLS.
pub(crate) fn check() -> Result<(), String> {
    Ok(())
}

/// The configuration of clients.
///
/// # Errors
/// No authorities are found.
pub(crate) fn config() -> Result<Arc<ClientConfig>, String> {
    Ok(Arc::clone(&trusted()?.config))
}

/// The configuration of requests to `https://`.
///
/// # Errors
/// No authorities are found.
#[cfg(feature = "http")]
pub(crate) fn http_config() -> Result<ureq::tls::TlsConfig, String> {
    static CONFIG: OnceLock<ureq::tls::TlsConfig> = OnceLock::new();
    let certificates = &trusted()?.certificates;
    let make = || {
        let certificates = certificates.iter().map(|found| ureq::tls::Certificate::from_der(found));
        ureq::tls::TlsConfig::builder()
            .root_certs(certificates.collect::<Vec<_>>().into())
            .unversioned_rustls_crypto_provider(provider())
            .build()
    };
    Ok(CONFIG.get_or_init(make).clone())
}

/// The reason why the certificate of a server was refused, if an error says so.
pub(crate) fn refusal(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(rustls::Error::InvalidCertificate(reason)) = error.downcast_ref() {
            return Some(format!("the server's certificate is not trusted: {}", reason_of(reason)));
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}

fn reason_of(reason: &CertificateError) -> String {
    match reason {
        CertificateError::UnknownIssuer => {
            "its authority is unknown; the variable SSL_CERT_FILE names a file of authorities".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("it is for another host ({reason})")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::BadSignature => "its signature is wrong".to_owned(),
        CertificateError::Revoked => "it was revoked".to_owned(),
        reason => reason.to_string(),
    }
}

/// An encrypted connection, which one thread reads while others write.
#[derive(Clone)]
pub(crate) struct Encrypted(Arc<Shared>);

struct Shared {
    peer: TcpStream,
    /// Locked while bytes are encrypted and written, which keeps them in order. Locked before the session.
    sending: Mutex<()>,
    /// Never locked while the peer is waited for: it may wait for what the other thread has to say.
    session: Mutex<ClientConnection>,
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encrypted").finish_non_exhaustive()
    }
}

/// Encrypts a connection to a host.
///
/// # Errors
/// The certificate is not trusted; the other side does not speak TLS.
pub(crate) fn connect(host: &str, peer: &TcpStream) -> Result<Encrypted, String> {
    let name = ServerName::try_from(host.to_owned()).map_err(|_| format!("`{host}` is no name of a host"))?;
    let mut session = ClientConnection::new(config()?, name).map_err(|error| error.to_string())?;
    let fault = |error: io::Error| refusal(&error).unwrap_or_else(|| format!("TLS: {error}"));
    let peer = peer.try_clone().map_err(fault)?;
    while session.is_handshaking() {
        session.complete_io(&mut &peer).map_err(fault)?;
    }
    Ok(Encrypted(Arc::new(Shared { peer, sending: Mutex::new(()), session: Mutex::new(session) })))
}

impl Encrypted {
    /// Ends what is written.
    pub(crate) fn end(&self) {
        self.0.session.lock().send_close_notify();
        // The peer may be gone already: errors do not matter.
        let _ = self.0.send(&[]);
    }
}

impl Shared {
    /// Encrypts and writes bytes, and what the session itself has to say.
    fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        let _sending = self.sending.lock();
        loop {
            let mut encrypted = Vec::new();
            let mut session = self.session.lock();
            let n_taken = session.writer().write(bytes)?;
            while session.wants_write() {
                session.write_tls(&mut encrypted)?;
            }
            drop(session);
            (&self.peer).write_all(&encrypted)?;
            bytes = &bytes[n_taken..];
            if bytes.is_empty() {
                return Ok(());
            }
        }
    }
}

impl Read for Encrypted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Shared { peer, session, .. } = &*self.0;
        loop {
            match session.lock().reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // A connection that breaks off. Messages know by themselves whether they are whole.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            // Waits without the session. What has come then, nobody else reads.
            peer.peek(&mut [0])?;
            let mut held = session.lock();
            held.read_tls(&mut &*peer)?;
            let processed = held.process_new_packets();
            let has_reply = held.wants_write();
            drop(held);
            if has_reply {
                self.0.send(&[])?;
            }
            processed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
    }
}

impl Write for Encrypted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
