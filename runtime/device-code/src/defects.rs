//! Deliberate defects of the device code that the suites must detect ([`hallmark_chip::sabotage`]). They change
//! the compiled text, so that other builds contain none of them.

use std::borrow::Cow;

hallmark_chip::planted_defects! {
    /// Kernel images: the last address in a text is not relocated.
    LastSiteNotRelocated,
    /// Kernel API: waiting for pages of a circular buffer is content with one fewer.
    OnePageIsEnoughToRead,
    /// Kernel API: reserving pages of a circular buffer is content with one fewer.
    OnePageIsEnoughToWrite,
    /// Kernel API: pointers into a circular buffer run on at its end.
    PointersRunOn,
    /// Kernel API: pushing pages counts one.
    PushesCountOne,
    /// Kernel API: popping pages counts one.
    PopsCountOne,
    /// Kernel API: the address generator takes the bank after the right one.
    AddressInTheNextBank,
    /// Kernel API: the address generator counts rounds over the banks one page too early.
    AddressOnePageOff,
    /// Kernel API: the address generator takes pages in DRAM for aligned as in L1.
    AddressUnaligned,
    /// Kernel API: the accessor of a sharded buffer forgets the last, partial shard.
    AccessorForgetsPartialShards,
    /// Kernel API: the barrier for reads waits for nothing.
    ReadBarrierWaitsForNothing,
    /// Kernel API: the barrier for writes waits for nothing.
    WriteBarrierWaitsForNothing,
    /// Kernel API: the barrier for atomics waits for nothing.
    AtomicBarrierWaitsForNothing,
    /// Kernel API: nothing is waited for until writes have left.
    FlushWaitsForNothing,
    /// Kernel API: the barrier for a transaction's reads waits for nothing.
    TransactionBarrierWaitsForNothing,
    /// Kernel API: a multicast that should reach its sender does not.
    MulticastDropsItself,
    /// Kernel API: the rectangle of a multicast ends a column early.
    MulticastDropsAColumn,
    /// Kernel API: x and y of a NoC address are swapped.
    NocCoordinatesSwapped,
    /// Kernel API: waiting for a semaphore's value is content with a greater one.
    SemaphoreWaitTakesMore,
    /// Kernel API: waiting for at least a semaphore's value needs one more.
    SemaphoreWaitWantsMore,
    /// Kernel API: an increment of a semaphore adds 1, whatever is asked for.
    IncrementAddsOne,
    /// Kernel API: a semaphore is taken for the next one.
    SemaphoreOfTheNextNumber,
    /// Kernel API: runtime arguments are counted from 1.
    ArgumentsCountedFromOne,
    /// Kernel API: common runtime arguments are a core's own.
    CommonArgumentsAreOwn,
    /// Kernel API: the second packet of a long read comes from where the first one did.
    LongReadsRepeatThemselves,
    /// Kernel start: variables without a value keep what they held.
    VariablesNotZeroed,
    /// Kernel start: the last variable with a value does not get it.
    LastVariableNotSet,
    /// Kernel start: a kernel ends before its writes have arrived.
    KernelEndsBeforeItsWrites,
    /// Firmware: instruction caches keep what they held before a launch.
    OldCodeKept,
    /// Firmware: a launch begins with the page counts that the last one left.
    PageCountsKept,
    /// Firmware: BRISC does not wait for the other cores of its tile.
    DoneBeforeTheOthers,
    /// Firmware: BRISC says that it is done before its kernel runs.
    DoneBeforeTheKernel,
    /// Firmware: the other cores say that they are done before their kernels run.
    FinishedBeforeTheKernel,
    /// Firmware: the last compute thread is not started.
    LastThreadNotStarted,
    /// Kernel API: both NoCs stage inline writes in one line.
    InlineWritesShareALine,
    /// Dispatcher: numbers of events are compared as if they never wrapped.
    EventNumbersUnsigned,
    /// Dispatcher: a command of a trace is carried out when its first bytes are there.
    HalfATraceCommandIsEnough,
}

/// A defect of the device code: a text in one file, and its replacement.
#[derive(Clone, Copy, Debug)]
pub struct DevicePatch {
    defect: Defect,
    /// The file, relative to `runtime/firmware`.
    pub file: &'static str,
    right: &'static str,
    wrong: &'static str,
}

const ARGUMENTS: &str = "include/hallmark/arguments.h";
const DATAFLOW: &str = "include/api/dataflow/dataflow_api.h";
const KERNEL_START: &str = "kernel_start.cpp";
const BRISC: &str = "brisc.cpp";
const DISPATCHER: &str = "dispatch.cpp";

const fn patch(
    defect: Defect,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
) -> DevicePatch {
    DevicePatch { defect, file, right, wrong }
}

const PATCHES: &[DevicePatch] = &[
    patch(
        Defect::OnePageIsEnoughToRead,
        ARGUMENTS,
        "while (static_cast<uint16_t>(cb_received(cb_id) - acknowledged) < pages) {",
        "while (static_cast<uint16_t>(cb_received(cb_id) - acknowledged) < pages - 1) {",
    ),
    patch(
        Defect::OnePageIsEnoughToWrite,
        ARGUMENTS,
        "while (capacity - static_cast<uint16_t>(received - cb_acknowledged(cb_id)) < pages) {",
        "while (capacity - static_cast<uint16_t>(received - cb_acknowledged(cb_id)) < pages - 1) {",
    ),
    patch(
        Defect::PointersRunOn,
        ARGUMENTS,
        "return pointer == buffer.fifo_limit ? pointer - buffer.fifo_size : pointer;",
        "return pointer;",
    ),
    patch(
        Defect::PushesCountOne,
        ARGUMENTS,
        "received = received + pages;",
        "received = received + 1;",
    ),
    patch(
        Defect::PopsCountOne,
        ARGUMENTS,
        "acknowledged = acknowledged + pages;",
        "acknowledged = acknowledged + 1;",
    ),
    patch(
        Defect::AddressInTheNextBank,
        DATAFLOW,
        "return bank_address(dram, id % banks,",
        "return bank_address(dram, (id + 1) % banks,",
    ),
    patch(
        Defect::AddressOnePageOff,
        DATAFLOW,
        "base + (id / banks) * stride",
        "base + ((id + 1) / banks) * stride",
    ),
    patch(
        Defect::AddressUnaligned,
        DATAFLOW,
        "const uint32_t alignment = dram ? kDramAlignment : 16;",
        "const uint32_t alignment = 16 + 0 * dram;",
    ),
    patch(
        Defect::AccessorForgetsPartialShards,
        "include/hallmark/sharded_spec.h",
        "grid_.side[side] = (tensor_[side] + shard_[side] - 1) / shard_[side];",
        "grid_.side[side] = tensor_[side] / shard_[side];",
    ),
    patch(
        Defect::ReadBarrierWaitsForNothing,
        DATAFLOW,
        "hallmark::wait_for_count(noc, hallmark::kNocReadResponses, noc_reads_num_issued[noc]);",
        "static_cast<void>(noc);",
    ),
    patch(
        Defect::WriteBarrierWaitsForNothing,
        DATAFLOW,
        "hallmark::wait_for_count(noc, hallmark::kNocWriteAcks, noc_nonposted_writes_acked[noc]);",
        "static_cast<void>(noc);",
    ),
    patch(
        Defect::AtomicBarrierWaitsForNothing,
        DATAFLOW,
        "hallmark::wait_for_count(noc, hallmark::kNocAtomicResponses, noc_nonposted_atomics_acked[noc]);",
        "static_cast<void>(noc);",
    ),
    patch(
        Defect::FlushWaitsForNothing,
        DATAFLOW,
        "hallmark::wait_for_count(noc, hallmark::kNocWritesSent, noc_nonposted_writes_num_issued[noc]);",
        "static_cast<void>(noc);",
    ),
    patch(
        Defect::TransactionBarrierWaitsForNothing,
        DATAFLOW,
        "void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {\n    \
         hallmark::wait_for_count(noc, hallmark::kNocOutstanding + 4 * trid, 0);",
        "void noc_async_read_barrier_with_trid(uint32_t, uint8_t = noc_index) {",
    ),
    patch(
        Defect::MulticastDropsItself,
        DATAFLOW,
        "hallmark::multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, true, noc);",
        "hallmark::multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests - 1, linked, false, noc);",
    ),
    patch(
        Defect::MulticastDropsAColumn,
        DATAFLOW,
        "const uint32_t end = hallmark::noc_x_on(noc_x_end, noc)",
        "const uint32_t end = hallmark::noc_x_on(noc_x_end - (noc_x_end > noc_x_start), noc)",
    ),
    patch(
        Defect::NocCoordinatesSwapped,
        DATAFLOW,
        "return hallmark::noc_address_of(hallmark::noc_x_on(noc_x, noc) | (hallmark::noc_y_on(noc_y, noc) << 6), addr);",
        "return hallmark::noc_address_of(hallmark::noc_y_on(noc_y, noc) | (hallmark::noc_x_on(noc_x, noc) << 6), addr);",
    ),
    patch(
        Defect::SemaphoreWaitTakesMore,
        DATAFLOW,
        "while (*sem_addr != val);",
        "while (static_cast<int32_t>(*sem_addr - val) < 0);",
    ),
    patch(
        Defect::SemaphoreWaitWantsMore,
        DATAFLOW,
        "while (*sem_addr < val);",
        "while (*sem_addr <= val);",
    ),
    patch(
        Defect::IncrementAddsOne,
        DATAFLOW,
        "noc_register(noc_id, kAtomicBuffer, kNocData) = incr;\n    constexpr",
        "noc_register(noc_id, kAtomicBuffer, kNocData) = incr != 0;\n    constexpr",
    ),
    patch(
        Defect::SemaphoreOfTheNextNumber,
        ARGUMENTS,
        "semaphore_id * hallmark::kSemaphoreStride;",
        "(semaphore_id + 1) * hallmark::kSemaphoreStride;",
    ),
    patch(
        Defect::ArgumentsCountedFromOne,
        ARGUMENTS,
        "return hallmark::unique_args + 4 * arg_idx;",
        "return hallmark::unique_args + 4 * (arg_idx + 1);",
    ),
    patch(
        Defect::CommonArgumentsAreOwn,
        ARGUMENTS,
        "return hallmark::common_args + 4 * arg_idx;",
        "return hallmark::unique_args + 4 * arg_idx;",
    ),
    patch(
        Defect::LongReadsRepeatThemselves,
        DATAFLOW,
        "            src_noc_addr += NOC_MAX_BURST_SIZE;\n",
        "",
    ),
    patch(
        Defect::VariablesNotZeroed,
        KERNEL_START,
        "for (uint32_t* to = __bss_start; to != __bss_end; ++to) {\n        *to = 0;\n    }",
        "",
    ),
    patch(
        Defect::LastVariableNotSet,
        KERNEL_START,
        "for (uint32_t* to = __data_start; to != __data_end; ++to, ++from) {",
        "for (uint32_t* to = __data_start; to + 1 < __data_end; ++to, ++from) {",
    ),
    patch(
        Defect::KernelEndsBeforeItsWrites,
        KERNEL_START,
        "wait_for(NOC_INDEX, kNocWriteAcks, noc_nonposted_writes_acked[NOC_INDEX]);",
        "",
    ),
    patch(
        Defect::OldCodeKept,
        BRISC,
        "    write_config(kConfigInvalidateCaches, kAllCores);\n",
        "",
    ),
    patch(
        Defect::PageCountsKept,
        BRISC,
        "if (launch_word(block, kLaunchCircularBufferCount) != 0) {",
        "if (launch_word(block, kLaunchCircularBufferCount) > 0xFFFF) {",
    ),
    patch(
        Defect::DoneBeforeTheOthers,
        BRISC,
        "wait_until(mailbox(kMailboxFinished + 4 * core), number);",
        "continue;",
    ),
    patch(
        Defect::DoneBeforeTheKernel,
        BRISC,
        "        run_kernel(block);",
        "        mailbox(kMailboxDone) = number;\n        run_kernel(block);",
    ),
    patch(
        Defect::FinishedBeforeTheKernel,
        "subordinate.cpp",
        "        run_kernel(mailbox(kMailboxLaunchBlock));\n        profile_launch_ends();\n        finished = last;",
        "        finished = last;\n        run_kernel(mailbox(kMailboxLaunchBlock));",
    ),
    patch(
        Defect::LastThreadNotStarted,
        BRISC,
        "        if (processors & (1u << core)) {\n            mailbox(kMailboxStart",
        "        if (core < kSubordinates && (processors & (1u << core))) {\n            mailbox(kMailboxStart",
    ),
    patch(
        Defect::InlineWritesShareALine,
        DATAFLOW,
        "kInlineStaging + 16 * (2 * PROCESSOR_INDEX + noc);",
        "kInlineStaging + 16 * (2 * PROCESSOR_INDEX);",
    ),
    patch(
        Defect::EventNumbersUnsigned,
        DISPATCHER,
        "while (static_cast<int32_t>(reached - number) < 0) {",
        "while (reached < number) {",
    ),
    patch(
        Defect::HalfATraceCommandIsEnough,
        DISPATCHER,
        "if (position == arrived || position + command_size(command) > arrived) {",
        "if (position == arrived) {",
    ),
];

impl DevicePatch {
    /// The change of the defect with this name, if it is a defect of the device code.
    pub fn of(name: &str) -> Option<&'static Self> {
        let index = DEFECTS.iter().position(|defect| defect.name == name)?;
        PATCHES.iter().find(|patch| patch.defect as usize == index)
    }

    /// Whether it changes the resident firmware of a bundle; otherwise it changes kernels.
    pub fn is_firmware(&self) -> bool {
        super::headers::text(self.file).is_none()
    }

    /// The file's text with the defect; `None` unless the original text occurs exactly once.
    pub fn applied(&self, text: &str) -> Option<String> {
        (text.matches(self.right).count() == 1).then(|| text.replacen(self.right, self.wrong, 1))
    }
}

/// A file of kernel builds, with the active defect if it belongs to this file.
pub(super) fn planted_in(file: &str, text: &'static str) -> Cow<'static, str> {
    let here = |patch: &&DevicePatch| planted(patch.defect) && patch.file == file;
    PATCHES
        .iter()
        .find(here)
        .and_then(|patch| patch.applied(text))
        .map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_change_fits_its_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware");
        for patch in PATCHES {
            let text = std::fs::read_to_string(root.join(patch.file)).unwrap();
            let changed = patch.applied(&text);
            assert!(changed.is_some_and(|changed| changed != text), "{patch:?}");
        }
    }

    #[test]
    fn kernels_and_firmware_are_told_apart() {
        let firmware = |name| DevicePatch::of(name).unwrap().is_firmware();
        assert!(firmware("PageCountsKept") && firmware("FinishedBeforeTheKernel"));
        assert!(!firmware("VariablesNotZeroed") && !firmware("PopsCountOne"));
    }

    #[test]
    fn a_defect_of_the_host_is_no_change_of_the_device_code() {
        assert!(DevicePatch::of("LastSiteNotRelocated").is_none());
        assert!(DevicePatch::of("PagesUnaligned").is_none());
    }
}
