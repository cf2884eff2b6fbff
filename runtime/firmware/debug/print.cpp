// Linked into kernels that print. It stands around kernel_main (`--wrap`): a kernel ends when the host has taken all that it
// printed, because its image may be replaced afterwards.

#include "hallmark/arguments.h"
#include "hallmark/print.h"

// The block lies in the image, and so in L1, where the host can read it. Its fourth word says who prints.
#define PRINT_BLOCK_TEXT_OF(x) #x
#define PRINT_BLOCK_NUMBER(x) PRINT_BLOCK_TEXT_OF(x)
asm(".pushsection .text.hallmark.print, \"ax\", @progbits\n"
    ".balign 16\n"
    ".globl hallmark_print_block\n"
    ".type hallmark_print_block, @object\n"
    ".size hallmark_print_block, 1040\n"
    "hallmark_print_block:\n"
    ".zero 12\n"
    ".4byte " PRINT_BLOCK_NUMBER(PROCESSOR_INDEX) "\n"
    ".zero 1024\n"
    ".popsection");

static_assert(sizeof(hallmark::PrintBlock) == 1040, "the assembler counts the same bytes");

extern "C" volatile hallmark::PrintBlock hallmark_print_block;
extern "C" void __real__Z11kernel_mainv();

namespace {

// Waits until the host has left no more than so many words.
void wait_for_host(uint32_t left) {
    while (hallmark_print_block.written - hallmark_print_block.taken > left) {
        invalidate_l1_cache();
    }
}

}  // namespace

extern "C" __attribute__((noinline)) void hallmark_print(const uint32_t* words, uint32_t count) {
    if (hallmark_print_block.host == 0) {
        return;
    }
    wait_for_host(hallmark::kPrintWords - count);
    const uint32_t written = hallmark_print_block.written;
    for (uint32_t i = 0; i < count; ++i) {
        hallmark_print_block.words[(written + i) % hallmark::kPrintWords] = words[i];
    }
    hallmark_print_block.written = written + count;
}

extern "C" void __wrap__Z11kernel_mainv() {
    __real__Z11kernel_mainv();
    wait_for_host(0);
}
