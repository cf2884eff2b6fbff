//! The `hallmark` command.

fn main() -> std::process::ExitCode {
    hallmark_execution::worker::run_if_worker().unwrap_or_else(hallmark::cli::main)
}
