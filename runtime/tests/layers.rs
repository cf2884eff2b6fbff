//! The modules of this crate, and those of its host, know nothing of the layers above them.

use hallmark_layers::Layered;

fn assert_layered(modules: &str, page: &str) {
    let crate_folder = env!("CARGO_MANIFEST_DIR");
    let layered = Layered { crate_folder, modules, page, heading: "# Layers" };
    let found = layered.contradictions().unwrap_or_else(|error| vec![error.to_string()]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_module_knows_the_layers_above_it() {
    assert_layered("src", "src/lib.rs");
}

#[test]
fn no_module_of_the_host_knows_the_layers_above_it() {
    assert_layered("src/host", "src/host.rs");
}
