// In place of the vendor compiler's header of this name: REPLAY (opcode 4), pushed as an instruction.
#pragma once
#include <cstdint>
namespace lltt {
enum ExecBool : bool { NoExec, Exec };
constexpr std::uint32_t replay_insn(unsigned start, unsigned length) { return 0x04000000u | start << 14 | length << 4; }
inline volatile std::uint32_t* instruction_push() { return reinterpret_cast<volatile std::uint32_t*>(0xFFE40000u); }
template <ExecBool E = NoExec>
[[gnu::always_inline]] inline void record(unsigned start, unsigned length) {
    *instruction_push() = replay_insn(start, length) | unsigned(E) << 1 | 1;
}
[[gnu::always_inline]] inline void replay(unsigned start, unsigned length) {
    *instruction_push() = replay_insn(start, length);
}
}  // namespace lltt
