// In place of upstream's functions that lay texts into sections of the ELF. gcc before release 14 drops the section of a
// variable inside a template, and would put the texts into the core's memory; directives of the assembler do not depend on it.
// Each function is compiled once and without loops, so that its directives come out once and in their order.
namespace hallmark_stand_in {

// Whether a kernel prints for the first time. The release's images of firmware were built without prints, and do not tell the
// host when another kernel begins; so each kernel does, whose variables are 0 at its start.
inline bool is_first_print() {
    static bool has_printed = false;
    const bool is_first = !has_printed;
    has_printed = true;
    return is_first;
}

template <const auto& text, std::size_t... index>
__attribute__((always_inline)) inline void emit(std::index_sequence<index...>) {
    (({
         __asm__ volatile(".pushsection " DEVICE_PRINT_STRINGS_SECTION_NAME ",\"a\",@progbits\n.byte %0\n.popsection" ::"i"(
             static_cast<int>(static_cast<unsigned char>(text[index]))));
     }),
     ...);
}

#if !defined(ARCH_WORMHOLE)
// The lock of the ring of prints. The stand-in compiles without the extension of atomics, which Blackhole's cores have.
extern "C" __attribute__((weak, noinline)) unsigned int exchange(volatile void* word, unsigned int value, int)
    __asm__("__atomic_exchange_4");
extern "C" __attribute__((weak, noinline)) unsigned int exchange(volatile void* word, unsigned int value, int) {
    unsigned int before;
    __asm__ volatile(".option push\n.option arch, +a\namoswap.w.aqrl %0, %1, (%2)\n.option pop"
                     : "=r"(before)
                     : "r"(value), "r"(word)
                     : "memory");
    return before;
}
#endif

}  // namespace hallmark_stand_in

template <typename Tag, typename... ArgsT>
__attribute__((noinline, noclone)) static std::uintptr_t register_string_info() {
    static constexpr auto format =
        device_print_detail::formatting::update_format_string<sizeof(Tag::format()), ArgsT...>(Tag::format()).to_array();
    static constexpr auto file = literal_to_array(Tag::file());
    constexpr int line = Tag::line();
    __asm__ volatile(".pushsection " DEVICE_PRINT_STRINGS_SECTION_NAME ",\"a\",@progbits\n8001:\n.popsection");
    hallmark_stand_in::emit<format>(std::make_index_sequence<format.size()>{});
    __asm__ volatile(".pushsection " DEVICE_PRINT_STRINGS_SECTION_NAME ",\"a\",@progbits\n8002:\n.popsection");
    hallmark_stand_in::emit<file>(std::make_index_sequence<file.size()>{});
    std::uintptr_t address;
    __asm__ volatile(".pushsection " DEVICE_PRINT_STRINGS_INFO_SECTION_NAME
                     ",\"aw\",@progbits\n.p2align 2\n8003: .word 8001b, 8002b, %1, 0\n.popsection\n"
                     "lui %0, %%hi(8003b)\naddi %0, %0, %%lo(8003b)"
                     : "=r"(address)
                     : "i"(line));
    return address;
}

template <typename T>
__attribute__((noinline, noclone)) static const char* register_type_name_string() {
    static constexpr auto name = formatting::get_type_name_string<T>().to_array();
    __asm__ volatile(".pushsection " DEVICE_PRINT_STRINGS_SECTION_NAME ",\"a\",@progbits\n8001:\n.popsection");
    hallmark_stand_in::emit<name>(std::make_index_sequence<name.size()>{});
    const char* address;
    __asm__ volatile("lui %0, %%hi(8001b)\naddi %0, %0, %%lo(8001b)" : "=r"(address));
    return address;
}

