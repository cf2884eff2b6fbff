//! The page of the kernel API beside the headers: each function of one is in the other, with the same signature.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/repository.rs"]
mod repository;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use repository::repository;
use walkdir::WalkDir;

/// Headers that TT-Metalium lacks but kernels may include: the content of their namespace is a part of the API.
const OWN_API: [&str; 2] = ["hallmark/plain_compute.h", "hallmark/thread_mailbox.h"];

/// The definition under which a chip's headers count transactions.
const TRANSACTIONS: &str = "HALLMARK_NOC_COUNTS_TRANSACTIONS";

/// A function that kernels may call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    /// The enclosing structure or namespace; empty for most.
    scope: String,
    /// The declaration in the header without the parts that do not matter to a caller.
    signature: String,
    /// Whether only some chips have it.
    some_chips: bool,
}

/// An open brace.
struct Scope {
    name: String,
    internal: bool,
    private: bool,
}

/// The functions of a header.
fn functions(text: &str, own_api: bool) -> Vec<Function> {
    let mut found = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    let mut declaration = String::new();
    let mut some_chips = false;
    let mut conditions: Vec<bool> = Vec::new();
    // Open braces of a body or of an initial value.
    let mut inside = 0usize;
    let mut continues = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap().trim();
        if std::mem::replace(&mut continues, line.ends_with('\\')) {
            continue;
        }
        if let Some(directive) = line.strip_prefix('#') {
            if directive.starts_with("if") {
                conditions.push(directive.contains(TRANSACTIONS));
            } else if directive.starts_with("endif") {
                conditions.pop();
            } else if let Some((signature, _)) = directive
                .strip_prefix("define ")
                .and_then(|rest| rest.split_once(')'))
                .filter(|(name, _)| {
                    name.split_once('(').is_some_and(|(name, _)| !name.contains(' '))
                        && !name.starts_with("HALLMARK_")
                })
            {
                let signature = format!("{signature})");
                found.push(Function { scope: String::new(), signature, some_chips: false });
            }
            some_chips = conditions.contains(&true);
            continue;
        }
        for letter in line.chars() {
            match letter {
                '{' if inside > 0 => inside += 1,
                '}' if inside > 0 => inside -= 1,
                _ if inside > 0 => {}
                '{' => {
                    let text = std::mem::take(&mut declaration);
                    match opened(text.trim(), own_api) {
                        Opened::Scope(scope) => scopes.push(scope),
                        Opened::Body(signature) => {
                            inside = 1;
                            let visible = scopes.iter().all(|it| !it.internal && !it.private);
                            if let Some(signature) = signature.filter(|_| visible) {
                                let scope =
                                    scopes.last().map(|it| it.name.clone()).unwrap_or_default();
                                found.push(Function { scope, signature, some_chips });
                            }
                        }
                    }
                }
                '}' => {
                    scopes.pop();
                    declaration.clear();
                }
                ';' => declaration.clear(),
                ':' if ["public", "private"].contains(&declaration.trim()) => {
                    scopes.last_mut().unwrap().private = declaration.trim() == "private";
                    declaration.clear();
                }
                letter => declaration.push(letter),
            }
        }
        declaration.push(' ');
    }
    found
}

/// The construct that a brace opens.
enum Opened {
    Scope(Scope),
    /// A function with its signature, or another construct.
    Body(Option<String>),
}

fn opened(text: &str, own_api: bool) -> Opened {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let ["namespace", name] = words.as_slice() {
        let internal = *name == "hallmark" && !own_api;
        let name = if *name == "hallmark" { "hallmark" } else { "" };
        return Opened::Scope(Scope { name: name.to_owned(), internal, private: false });
    }
    let mut names = words.iter().skip_while(|word| !["struct", "enum"].contains(word));
    if names.next().is_some() && !text.contains('(') {
        let name = names.find(|word| **word != "class").unwrap().split('<').next().unwrap();
        return Opened::Scope(Scope { name: name.to_owned(), internal: false, private: false });
    }
    Opened::Body(text.contains('(').then(|| signature(&words)))
}

/// A declaration without the parts that do not matter to a caller.
fn signature(words: &[&str]) -> String {
    const LEFT_OUT: [&str; 7] = [
        "FORCE_INLINE",
        "ALWI",
        "inline",
        "constexpr",
        "static",
        "explicit",
        "__attribute__((always_inline))",
    ];
    let mut in_attribute = false;
    let mut words = words.to_vec();
    words.retain(|word| {
        let is_attribute = in_attribute || word.starts_with("[[");
        in_attribute = is_attribute && !word.ends_with("]]");
        !is_attribute && !LEFT_OUT.contains(word)
    });
    // A list of parameters may begin in a line of its own.
    let text = words.join(" ").replace("( ", "(");
    // Cuts off a constructor's initializer list.
    text.split(") : ").next().map_or(text.clone(), |head| {
        if head.len() == text.len() { text.clone() } else { format!("{head})") }
    })
}

/// The page's list: `` - `signature` `` below a heading with the scope, if any, in backticks.
fn listed(page: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let (mut scope, mut some_chips) = (String::new(), false);
    for paragraph in page.lines() {
        if let Some(heading) = paragraph.strip_prefix('#') {
            let named = heading.split('`').nth(1).unwrap_or_default();
            scope = named.to_owned();
            some_chips = false;
        }
        some_chips |= paragraph.contains("Wormhole and Blackhole only");
        if let Some((signature, _)) =
            paragraph.strip_prefix("- `").and_then(|rest| rest.split_once("`:"))
        {
            found.push(Function {
                scope: scope.clone(),
                signature: signature.to_owned(),
                some_chips,
            });
        }
    }
    found
}

fn firmware() -> PathBuf {
    repository().join("runtime/firmware")
}

fn headers(folder: &Path) -> Vec<(String, String)> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    entries
        .filter(|entry| entry.path().extension().is_some_and(|it| it == "h"))
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

/// The declarations in an architecture's headers.
fn declared(architecture: &str) -> BTreeSet<Function> {
    let shared = headers(&firmware().join("include"));
    let own = headers(&firmware().join("architectures").join(architecture).join("hallmark"));
    let debug = headers(&firmware().join("debug/api"));
    let compute = headers(&firmware().join("compute"));
    let compute = compute.into_iter().filter(|(name, _)| !name.starts_with("hallmark/"));
    let compute: Vec<_> = compute.collect();
    let vector_unit = headers(&firmware().join("vector_unit/api"));
    let all = shared.iter().chain(&own).chain(&debug).chain(&compute).chain(&vector_unit);
    all.flat_map(|(name, text)| functions(text, OWN_API.contains(&name.as_str()))).collect()
}

fn differences(left: &BTreeSet<Function>, right: &BTreeSet<Function>) -> Vec<String> {
    let only = |one: &BTreeSet<Function>, other: &BTreeSet<Function>, what: &str| {
        one.difference(other).map(|it| format!("{what}: {it:?}")).collect::<Vec<_>>()
    };
    [only(left, right, "only declared"), only(right, left, "only on the page")].concat()
}

#[test]
fn the_page_lists_each_function_of_the_headers_and_no_other() {
    let page = std::fs::read_to_string(repository().join("suites/KERNEL_API.md")).unwrap();
    let listed: BTreeSet<Function> = listed(&page).into_iter().collect();
    for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
        let declared = declared(architecture);
        assert!(declared.len() > 100, "{declared:#?}");
        let differences = differences(&declared, &listed);
        assert!(differences.is_empty(), "{architecture}:\n{}", differences.join("\n"));
    }
}

#[test]
fn the_page_names_each_function_of_the_objects() {
    let page = std::fs::read_to_string(repository().join("suites/KERNEL_API.md")).unwrap();
    let (_, objects) = page.split_once("\n## Objects\n").unwrap();
    let (objects, _) = objects.split_once("\n## ").unwrap();
    let named: BTreeSet<&str> =
        objects.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let mut functions = BTreeSet::new();
    for (_, text) in headers(&firmware().join("object_api/api")) {
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let declares =
                ["FORCE_INLINE ", "uint32_t ", "bool ", "auto ", "void ", "constexpr ", "inline "]
                    .iter()
                    .any(|word| line.starts_with(word));
            let name =
                line.split_once('(').and_then(|(head, _)| head.rsplit([' ', '*', '&']).next());
            let is_name = |name: &str| {
                let mut letters = name.chars();
                letters.next().is_some_and(|first| first.is_ascii_lowercase())
                    && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            };
            if let Some(name) = name.filter(|name| declares && is_name(name)) {
                functions.insert(name.to_owned());
            }
        }
    }
    // What the traits of endpoints tell Noc, and what is private.
    let internal = [
        "accessor_args",
        "accessors",
        "as_address",
        "copy_to",
        "metadata",
        "noc_address",
        "offset_of_accessor",
        "prefetcher_pipe_id",
        "tiles_of",
        "uint32_t",
        "address_of",
        "bytes",
        "dst_addr",
        "dst_addr_mcast",
        "interface",
        "read_address",
        "src_addr",
        "word",
        "write_address",
        "has_flag",
    ];
    let missing = functions.iter().filter(|it| {
        !named.contains(it.as_str())
            && !internal.contains(&it.as_str())
            && !it.starts_with("get_noc")
    });
    let missing: Vec<&String> = missing.collect();
    assert!(functions.len() > 60, "{functions:#?}");
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn the_chips_that_the_page_names_count_transactions() {
    for (architecture, counts) in [("grayskull", false), ("wormhole_b0", true), ("blackhole", true)]
    {
        let own = headers(&firmware().join("architectures").join(architecture).join("hallmark"));
        let defined = format!("#define {TRANSACTIONS}");
        assert_eq!(own.iter().any(|(_, text)| text.contains(&defined)), counts, "{architecture}");
    }
}

#[test]
fn functions_are_found_as_they_are_declared() {
    let header = "
namespace hallmark {
inline void internal(uint32_t value) { use(value); }
}  // namespace hallmark
inline constexpr uint32_t LINES[] = {1, 2};
enum class Kind : uint8_t { ONE, TWO };
// A comment { with a brace.
template <typename T = int, bool posted = false>
FORCE_INLINE T both(uint32_t first,
                    uint8_t noc = noc_index) {
    if (first) { return {}; }
}
#ifdef HALLMARK_NOC_COUNTS_TRANSACTIONS
inline void some(int a) {}
#endif
#define twice(x) (2 * (x))
#define checked(x, ...) \\
    do { (x); } while (0)
#define HALLMARK_INTERNAL(x) (x)
#define plain (1)
struct Pair {
    static constexpr int k = [] { return 1; }();
    constexpr explicit Pair(int a) : a_(a), b_(2) {}
    int a() const { return a_; }
   private:
    int hidden() const { return b_; }
};
void after();
inline void last() {}
";
    let names = |own_api| {
        let found = functions(header, own_api);
        let text = |it: &Function| format!("{}|{}|{}", it.scope, it.signature, it.some_chips);
        found.iter().map(text).collect::<Vec<_>>()
    };
    let expected = [
        "|template <typename T = int, bool posted = false> T both(uint32_t first, uint8_t noc = noc_index)|false",
        "|void some(int a)|true",
        "|twice(x)|false",
        "|checked(x, ...)|false",
        "Pair|Pair(int a)|false",
        "Pair|int a() const|false",
        "|void last()|false",
    ];
    assert_eq!(names(false), expected);
    assert_eq!(names(true).len(), expected.len() + 1);
    let page = "## One\n- `void f()`: it.\n### `Pair`\nOn Wormhole and Blackhole only.\n- `int a() const`: it.\n## Two\n- `g()`:\n";
    let on_page: Vec<_> =
        listed(page).into_iter().map(|it| (it.scope, it.signature, it.some_chips)).collect();
    let row = |scope: &str, signature: &str, some| (scope.to_owned(), signature.to_owned(), some);
    assert_eq!(
        on_page,
        [row("", "void f()", false), row("Pair", "int a() const", true), row("", "g()", false)]
    );
}
