# Sourced by its neighbours: a virtual environment with tt-umd under target/, and where that is.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=${CARGO_TARGET_DIR:-target}
python=$target/tt-umd/bin/python
export PYTHONDONTWRITEBYTECODE=1
if ! "$python" -c 'import tt_umd' 2>/dev/null; then
  python3 -m venv "$target/tt-umd"
  "$python" -m pip install --quiet --disable-pip-version-check --require-hashes -r scripts/tt-umd/requirements.txt
fi

build_library() {
  # With the features of the whole workspace, so that what was built with it is not built again.
  cargo build --quiet --locked --workspace --lib
  library=$target/debug/libhallmark_sim_library.so
}
