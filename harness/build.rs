//! Links Hallmark's executables to a fixed address.
//!
//! A test starts two or three processes. A position-independent executable adjusts some 70 000 addresses in each of
//! them, and has the system copy every page that holds one. What a worker is given is checked by Rust, so nothing
//! depends on where its code lies.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg=-no-pie");
    }
}
