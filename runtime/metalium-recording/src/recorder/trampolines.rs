//! The assembly that passes hooked calls to the recorder.
//!
//! A trampoline has the name of a hooked function. It saves the caller's arguments, asks the recorder for the
//! real function, calls that with the same registers and a copy of the stack arguments, passes the result to
//! the recorder, and returns it. Its call frame information lets debuggers and exceptions unwind through it.
//! Its personality routine reports exceptions to the recorder and handles none.

use std::fmt::Write as _;

use hallmark_metalium::Hook;

/// The number of stack argument words copied for the real function: more than any hooked function has.
const STACK_WORDS: usize = 12;
/// The size of `Call` in `recorder/recorder.hpp`, in bytes. It begins with the registers in this order.
const CALL_BYTES: usize = 400;
const REGISTERS: [&str; 7] = ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax"];
/// Offsets in `Call`.
const VECTORS: usize = 64;
const RESULT: usize = 192;
const RESULT_VECTORS: usize = 208;
const INDEX: usize = 240;
const STACK: usize = 248;

/// The assembly for all hooks.
pub(super) fn assembly(hooks: &[Hook]) -> String {
    let mut text = String::from("    .text\n");
    for (index, hook) in hooks.iter().enumerate() {
        let _ = writeln!(
            text,
            "    .globl {symbol}
    .type {symbol}, @function
{symbol}:
    .cfi_startproc
    pushq ${index}
    .cfi_adjust_cfa_offset 8
    jmp hallmark_call
    .cfi_endproc
    .size {symbol}, . - {symbol}",
            symbol = hook.symbol
        );
    }
    text.push_str(&common());
    let _ = writeln!(
        text,
        "    .bss
    .globl hallmark_real
    .hidden hallmark_real
    .align 8
hallmark_real:
    .zero {}
    .section .note.GNU-stack, \"\", @progbits",
        8 * hooks.len()
    );
    text
}

/// The common part of all trampolines. On entry the hook's number is above the return address.
fn common() -> String {
    let save: String = registers(|at, register| format!("movq %{register}, {at}(%rsp)"));
    let save_vectors: String = vectors(|at, vector| format!("movaps %xmm{vector}, {at}(%rsp)"));
    let restore: String = registers(|at, register| format!("movq {at}(%r10), %{register}"));
    let restore_vectors: String = vectors(|at, vector| format!("movaps {at}(%r10), %xmm{vector}"));
    // Above the frame pointer: the caller's frame pointer, the hook's number, the return address, the
    // arguments.
    let copy: String = (0..STACK_WORDS)
        .map(|word| {
            format!("    movq {}(%rbp), %rax\n    movq %rax, {}(%rsp)\n", 24 + 8 * word, 8 * word)
        })
        .collect();
    let copied = 8 * STACK_WORDS;
    format!(
        "    .type hallmark_call, @function
hallmark_call:
    .cfi_startproc
    .cfi_personality 0x1b, hallmark_personality
    .cfi_def_cfa_offset 16
    pushq %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq ${CALL_BYTES}, %rsp
    andq $-16, %rsp
{save}{save_vectors}    movq 8(%rbp), %rax
    movq %rax, {INDEX}(%rsp)
    leaq 24(%rbp), %rax
    movq %rax, {STACK}(%rsp)
    movq %rsp, %rdi
    call hallmark_enter
    movq %rax, %r11
    movq %rsp, %r10
    subq ${copied}, %rsp
{copy}{restore}{restore_vectors}    call *%r11
    addq ${copied}, %rsp
    movq %rax, {RESULT}(%rsp)
    movq %rdx, {rdx}(%rsp)
    movaps %xmm0, {RESULT_VECTORS}(%rsp)
    movaps %xmm1, {xmm1}(%rsp)
    movq %rsp, %rdi
    call hallmark_leave
    movq {RESULT}(%rsp), %rax
    movq {rdx}(%rsp), %rdx
    movaps {RESULT_VECTORS}(%rsp), %xmm0
    movaps {xmm1}(%rsp), %xmm1
    leave
    .cfi_def_cfa %rsp, 16
    addq $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size hallmark_call, . - hallmark_call
",
        rdx = RESULT + 8,
        xmm1 = RESULT_VECTORS + 16,
    )
}

fn registers(line: impl Fn(usize, &str) -> String) -> String {
    let lines = REGISTERS.iter().enumerate();
    lines.map(|(place, register)| format!("    {}\n", line(8 * place, register))).collect()
}

fn vectors(line: impl Fn(usize, usize) -> String) -> String {
    (0..8).map(|vector| format!("    {}\n", line(VECTORS + 16 * vector, vector))).collect()
}

/// The table of hooks as `recorder/hooks.cpp` includes it.
pub(super) fn table(hooks: &[Hook]) -> String {
    let line = |hook: &Hook| {
        let blocking = hook.blocking.map_or("NOWHERE".to_owned(), |place| place.to_string());
        format!("HOOK({}, \"{}\", {blocking})\n", hook.handler, hook.symbol)
    };
    hooks.iter().map(line).collect()
}

/// The linker's version script: only the hooked functions are exported.
pub(super) fn exports(hooks: &[Hook]) -> String {
    let names: String = hooks.iter().map(|hook| format!("    {};\n", hook.symbol)).collect();
    format!("{{\n  global:\n{names}  local: *;\n}};\n")
}
