//! Allowed signers: OpenSSH's `allowed_signers`, parsed more strictly than by OpenSSH.
//!
//! Every line must state its namespaces, because each is a role. Names and namespaces are no patterns, and
//! times are in UTC, so that a line has the same meaning everywhere. OpenSSH accepts every file that this
//! reader accepts, with the same meaning; the form is described in
//! [ssh-keygen(1)](https://man.openbsd.org/ssh-keygen.1#ALLOWED_SIGNERS).

use std::fmt;

use hallmark_chip::error_checks;
use ssh_key::PublicKey;
use ssh_key::public::KeyData;

use crate::namespace::Namespace;
use crate::timestamp::Timestamp;

/// A problem of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignersProblem {
    /// The line does not consist of names, options, a key type and a key.
    #[error("the line is not `NAME namespaces=\"…\" KIND KEY`")]
    Malformed,
    /// A name that is a pattern or quoted.
    #[error("the name {name:?} is a pattern; write each name on its own or with commas between")]
    Pattern {
        /// The name.
        name: String,
    },
    /// The line names a certificate authority, or its key is a certificate.
    #[error("the line is about certificates; list the signer's own key")]
    Certificate,
    /// An unknown option.
    #[error(
        "the option {option:?} is unknown; the options are `namespaces`, `valid-after` and `valid-before`"
    )]
    UnknownOption {
        /// The option's name.
        option: String,
    },
    /// A repeated option.
    #[error("the option `{option}` stands twice")]
    OptionTwice {
        /// The option's name.
        option: &'static str,
    },
    /// The line states no namespaces.
    #[error("the line states no namespaces; write, for example, namespaces=\"package@hallmark\"")]
    NoNamespaces,
    /// A namespace that Hallmark does not use.
    #[error("the namespace {namespace:?} is unknown; the namespaces are {}", Namespace::list())]
    UnknownNamespace {
        /// The namespace.
        namespace: String,
    },
    /// A time that is not in UTC.
    #[error("the time {time:?} is not written as 20261123Z, 202611230650Z or 20261123065000Z")]
    Time {
        /// The time.
        time: String,
    },
    /// The validity ends before it begins.
    #[error("`valid-before` is earlier than `valid-after`")]
    NeverValid,
    /// The key cannot be read.
    #[error("the key cannot be read: {message}")]
    Key {
        /// The reader's message.
        message: String,
    },
    /// A key of an unsupported kind.
    #[error(
        "keys of the kind {kind} are not verified; use ssh-ed25519 or sk-ssh-ed25519@openssh.com"
    )]
    KeyKind {
        /// The kind.
        kind: String,
    },
    /// A list of revoked keys in OpenSSH's binary form.
    #[error(
        "this is a key revocation list in binary form; list the revoked keys, one public key a line"
    )]
    BinaryList,
}

error_checks!(SignersProblem: Pattern, Certificate, OptionTwice, NoNamespaces, UnknownOption, NeverValid, KeyKind; besides: Malformed, UnknownNamespace, Time, Key, BinaryList);

/// A problem of a file of signers, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignersError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub problem: SignersProblem,
}

impl fmt::Display for SignersError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for SignersError {}

/// A key with its names, its namespaces and its period of validity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowedSigner {
    pub(crate) principals: Vec<String>,
    pub(crate) namespaces: Vec<Namespace>,
    pub(crate) valid_after: Option<Timestamp>,
    pub(crate) valid_before: Option<Timestamp>,
    pub(crate) key: KeyData,
}

/// The keys in a file of allowed signers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Signers {
    pub(crate) allowed: Vec<AllowedSigner>,
}

impl Signers {
    /// Reads a file of allowed signers.
    ///
    /// # Errors
    /// The first line that breaks a rule.
    pub fn parse(text: &str) -> Result<Self, SignersError> {
        let lines = significant_lines(text).map(|(line, text)| {
            allowed_signer(text).map_err(|problem| SignersError { line, problem })
        });
        Ok(Self { allowed: lines.collect::<Result<_, _>>()? })
    }
}

/// Revoked keys, which override any file of allowed signers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Revoked {
    pub(crate) keys: Vec<KeyData>,
}

impl Revoked {
    /// Reads public keys, one per line.
    ///
    /// # Errors
    /// The first line that is not a public key.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignersError> {
        if bytes.starts_with(b"SSHKRL\n") {
            return Err(SignersError { line: 1, problem: SignersProblem::BinaryList });
        }
        let malformed = SignersError { line: 1, problem: SignersProblem::Malformed };
        let text = std::str::from_utf8(bytes).map_err(|_| malformed)?;
        let lines = significant_lines(text)
            .map(|(line, text)| key(text).map_err(|problem| SignersError { line, problem }));
        Ok(Self { keys: lines.collect::<Result<_, _>>()? })
    }
}

/// The lines that are neither empty nor comments, with their numbers from 1.
fn significant_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    let lines =
        lines.map(|(index, line)| (index.saturating_add(1), line.trim_matches([' ', '\t'])));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn key(text: &str) -> Result<KeyData, SignersProblem> {
    let kind = text.split([' ', '\t']).next().unwrap_or_default();
    if kind.contains("-cert-v0") {
        SignersProblem::Certificate.refuse()?;
    }
    let key = PublicKey::from_openssh(text)
        .map_err(|error| SignersProblem::Key { message: error.to_string() })?;
    if !is_verified(key.key_data()) {
        SignersProblem::KeyKind { kind: key.algorithm().as_str().to_owned() }.refuse()?;
    }
    Ok(key.key_data().clone())
}

/// Whether signatures by keys of this kind can be verified.
pub(crate) fn is_verified(key: &KeyData) -> bool {
    key.is_ed25519() || key.is_sk_ed25519()
}

fn allowed_signer(line: &str) -> Result<AllowedSigner, SignersProblem> {
    let (names, rest) = line.split_once([' ', '\t']).ok_or(SignersProblem::Malformed)?;
    let principals: Vec<String> = names.split(',').map(str::to_owned).collect();
    if principals.iter().any(String::is_empty) {
        return Err(SignersProblem::Malformed);
    }
    let is_pattern = |name: &&String| name.contains(['*', '?', '!', '"']);
    if let Some(name) = principals.iter().find(is_pattern) {
        SignersProblem::Pattern { name: name.clone() }.refuse()?;
    }
    let rest = rest.trim_start_matches([' ', '\t']);
    let (options, rest) = options(rest)?;
    let Options { namespaces, valid_after, valid_before } = options;
    let key = key(rest)?;
    if namespaces.is_none() {
        SignersProblem::NoNamespaces.refuse()?;
    }
    let namespaces = namespaces.unwrap_or_else(|| Namespace::ALL.to_vec());
    if valid_after.zip(valid_before).is_some_and(|(after, before)| before < after) {
        SignersProblem::NeverValid.refuse()?;
    }
    Ok(AllowedSigner { principals, namespaces, valid_after, valid_before, key })
}

#[derive(Default)]
struct Options {
    namespaces: Option<Vec<Namespace>>,
    valid_after: Option<Timestamp>,
    valid_before: Option<Timestamp>,
}

/// The options at the beginning of a text, and the rest.
fn options(text: &str) -> Result<(Options, &str), SignersProblem> {
    let mut options = Options::default();
    let mut rest = text;
    loop {
        let end = rest.find(['=', ',', ' ', '\t']).ok_or(SignersProblem::Malformed)?;
        let (name, after) = rest.split_at_checked(end).ok_or(SignersProblem::Malformed)?;
        let Some(value) = after.strip_prefix('=') else {
            return match name {
                "cert-authority" => Err(SignersProblem::Certificate),
                // A line without options.
                _ if rest == text && !after.starts_with(',') => Ok((options, rest)),
                _ => Err(SignersProblem::UnknownOption { option: name.to_owned() }),
            };
        };
        let quoted = value.strip_prefix('"').and_then(|value| value.split_once('"'));
        let (value, after) = quoted.ok_or(SignersProblem::Malformed)?;
        let once = |is_set: bool, option| {
            if is_set { SignersProblem::OptionTwice { option }.refuse() } else { Ok(()) }
        };
        match name {
            "namespaces" => {
                once(options.namespaces.is_some(), "namespaces")?;
                options.namespaces =
                    Some(value.split(',').map(namespace).collect::<Result<_, _>>()?);
            }
            "valid-after" => {
                once(options.valid_after.is_some(), "valid-after")?;
                options.valid_after = Some(time(value)?);
            }
            "valid-before" => {
                once(options.valid_before.is_some(), "valid-before")?;
                options.valid_before = Some(time(value)?);
            }
            other => SignersProblem::UnknownOption { option: other.to_owned() }.refuse()?,
        }
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None if after.starts_with([' ', '\t']) => {
                return Ok((options, after.trim_start_matches([' ', '\t'])));
            }
            None => return Err(SignersProblem::Malformed),
        }
    }
}

fn namespace(text: &str) -> Result<Namespace, SignersProblem> {
    Namespace::named(text)
        .ok_or_else(|| SignersProblem::UnknownNamespace { namespace: text.to_owned() })
}

fn time(text: &str) -> Result<Timestamp, SignersProblem> {
    let digits =
        text.strip_suffix('Z').filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let whole = digits.and_then(|digits| match digits.len() {
        8 => Some(format!("{digits}000000")),
        12 => Some(format!("{digits}00")),
        14 => Some(digits.to_owned()),
        _ => None,
    });
    whole
        .and_then(|whole| Timestamp::in_form(&whole, "%Y%m%d%H%M%S").ok())
        .ok_or_else(|| SignersProblem::Time { time: text.to_owned() })
}
