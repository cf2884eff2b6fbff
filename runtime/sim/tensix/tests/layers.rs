//! No module knows the layers above it.

use hallmark_layers::Layered;

#[test]
fn no_module_knows_the_layers_above_it() {
    let layered = Layered {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        modules: "src",
        page: "src/lib.rs",
        heading: "# Layers",
    };
    let found = layered.contradictions().unwrap_or_else(|error| vec![error.to_string()]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
