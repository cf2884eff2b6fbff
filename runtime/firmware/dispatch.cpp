// A dispatcher: takes commands from its ring and carries them out for one command queue. What the words
// mean stands in runtime/device-code/src/dispatch_abi.rs.
//
// Everything goes over NoC 0 and one command buffer, and on one virtual channel but for multicasts, so that
// what is sent first arrives first where that counts: data before the status that tells of it, and that only
// once the data is acknowledged.

#include "bring_up.h"
#include "dispatch_abi.h"
#include "firmware.h"
#include "hallmark/noc.h"

uint8_t my_x[2];
uint8_t my_y[2];
uint32_t noc_reads_num_issued[2];
uint32_t noc_nonposted_writes_num_issued[2];
uint32_t noc_nonposted_writes_acked[2];
uint32_t noc_nonposted_atomics_acked[2];
uint32_t noc_posted_writes_num_issued[2];

namespace hallmark {

// Kernels find theirs here; a dispatcher has none.
uint32_t launch_block;
uint32_t unique_args;
uint32_t common_args;

namespace {

constexpr uint32_t kNoc0 = 0;
constexpr uint32_t kChannel = 1;
constexpr uint32_t kMulticastChannel = 4;

// What the status line says, and what of it the host has been told.
uint32_t consumed;
uint32_t produced;
uint32_t finished;
uint32_t begun;
uint32_t event;
uint32_t told;

uint32_t go;
uint32_t workers_awaited;
bool running;

volatile uint32_t& word_at(uint32_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

volatile uint32_t& control(uint32_t offset) { return word_at(kDispatchControl + offset); }

uint32_t config(uint32_t offset) { return control(kControlConfig + offset); }

uint64_t tile_address(uint32_t tile, uint32_t address) {
    return (static_cast<uint64_t>(tile << kNocUpperAddressBits) << 32) | address;
}

uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

void write_barrier() { wait_for_count(kNoc0, kNocWriteAcks, noc_nonposted_writes_acked[kNoc0]); }

void read_barrier() { wait_for_count(kNoc0, kNocReadResponses, noc_reads_num_issued[kNoc0]); }

void write_out(uint32_t from, uint64_t to, uint32_t size) {
    while (size > 0) {
        const uint32_t part = smaller(size, kNocMaxBurst);
        write_packet(kNoc0, kChannel, from, to, part, false);
        from += part;
        to += part;
        size -= part;
    }
}

// An entry of a command's list: a tile, or the corners of a rectangle of tiles and their number.
uint32_t receivers(uint32_t entry) { return entry < 1u << kRectangleTiles ? 1 : entry >> kRectangleTiles; }

void send(uint32_t from, uint32_t entry, uint32_t address, uint32_t size) {
    if (entry < 1u << kRectangleTiles) {
        write_out(from, tile_address(entry, address), size);
        return;
    }
    uint64_t to = tile_address(entry & ((1u << kRectangleTiles) - 1), address);
    while (size > 0) {
        const uint32_t part = smaller(size, kNocMaxBurst);
        // As upstream, which saw hangs otherwise: an unlinked multicast waits for all writes before it.
        write_barrier();
        multicast_packet(kNoc0, kMulticastChannel, from, to, part, receivers(entry), false, false);
        from += part;
        to += part;
        size -= part;
    }
}

void read_in(uint64_t from, uint32_t to, uint32_t size) {
    while (size > 0) {
        const uint32_t part = smaller(size, kNocMaxBurst);
        read_packet(kNoc0, kChannel, from, to, part);
        from += part;
        to += part;
        size -= part;
    }
}

uint64_t host_address(uint32_t offset) {
    const uint64_t base = (static_cast<uint64_t>(config(kConfigHostHigh)) << 32) | config(kConfigHostLow);
    return tile_address(config(kConfigHostTile), 0) + base + offset;
}

// Tells the host how far everything is. What was written before has arrived.
void publish() {
    write_barrier();
    word_at(kDispatchStatusLine + kStatusConsumed) = consumed;
    word_at(kDispatchStatusLine + kStatusProduced) = produced;
    word_at(kDispatchStatusLine + kStatusFinished) = finished;
    word_at(kDispatchStatusLine + kStatusBegun) = begun;
    word_at(kDispatchStatusLine + kStatusEvent) = event;
    settle_store(&word_at(kDispatchStatusLine + kStatusEvent));
    write_out(kDispatchStatusLine, host_address(0), kStatusSize);
    told = consumed;
}

uint32_t operand(uint32_t command, uint32_t number) { return word_at(command + 4 * number); }

uint32_t count_of(uint32_t command) { return operand(command, 0) >> 8; }

void write_tiles(uint32_t command) {
    const uint32_t address = operand(command, 2);
    const uint32_t length = operand(command, 3);
    const uint32_t count = count_of(command);
    const uint32_t tiles = command + kCommandHeader;
    const uint32_t data = ((tiles + 4 * count + 15) & ~15u) + (address & 15);
    for (uint32_t index = 0; index < count; ++index) {
        send(data, word_at(tiles + 4 * index), address, length);
    }
}

void copy_to_tiles(uint32_t command) {
    const uint32_t address = operand(command, 2);
    const uint32_t length = operand(command, 3);
    const uint32_t source = operand(command, 4);
    const uint32_t count = count_of(command);
    const uint32_t tiles = command + 2 * kCommandHeader;
    for (uint32_t index = 0; index < count; ++index) {
        send(source, word_at(tiles + 4 * index), address, length);
    }
}

// Bytes of the completion space that are free from `position` on, which may lie a gap further than what
// the host has yet to take.
uint32_t space(uint32_t position) {
    const uint32_t size = config(kConfigCompletionSize);
    const uint32_t used = position - control(kControlDrained);
    return used < size ? size - used : 0;
}

// Waits until the host has taken so much that at least so many are.
uint32_t wait_for_space(uint32_t position, uint32_t least) {
    uint32_t free;
    do {
        free = space(position);
    } while (free < least);
    return free;
}

void read_to_host(uint32_t command) {
    uint32_t address = operand(command, 2);
    uint32_t length = operand(command, 3);
    const uint32_t tile = operand(command, 4);
    const uint32_t size = config(kConfigCompletionSize);
    uint32_t position = ((produced + kCompletionAlignment - 1) & ~(kCompletionAlignment - 1)) +
                        (address & (kCompletionAlignment - 1));
    while (length > 0) {
        const uint32_t least = smaller(length, size / 2);
        uint32_t free = space(position);
        if (free < least) {
            // The host learns what it can take.
            publish();
            free = wait_for_space(position, least);
        }
        const uint32_t place = position & (size - 1);
        const uint32_t skew = address & (kCompletionAlignment - 1);
        uint32_t part = smaller(length, free);
        part = smaller(part, size - place);
        part = smaller(part, kDispatchStagingSize - kCompletionAlignment);
        // What was sent from there has left.
        write_barrier();
        read_in(tile_address(tile, address), kDispatchStaging + skew, part);
        read_barrier();
        write_out(kDispatchStaging + skew, host_address(kCompletionSpace + place), part);
        address += part;
        position += part;
        length -= part;
        produced = position;
    }
}

void launch(uint32_t command) {
    const uint32_t count = count_of(command);
    const uint32_t tiles = command + kCommandHeader;
    begun += 1;
    // Before anything can go wrong in the launch the host knows which one it is.
    publish();
    // The configuration has arrived, and so has what is overwritten now.
    write_barrier();
    go += 2;
    if (go == 0) {
        go = 2;
    }
    const uint32_t own = static_cast<uint32_t>(my_x[kNoc0]) | (static_cast<uint32_t>(my_y[kNoc0]) << 6);
    word_at(kDispatchGoLine + kMailboxLaunchBlock) = operand(command, 2);
    word_at(kDispatchGoLine + kMailboxGo) = go;
    word_at(kDispatchGoLine + kMailboxCompletionTile) = own;
    word_at(kDispatchGoLine + kMailboxCompletionAddress) = kDispatchControl + kControlWorkersDone;
    settle_store(&word_at(kDispatchGoLine + kMailboxCompletionAddress));
    const uint32_t mailbox = config(kConfigMailbox);
    for (uint32_t index = 0; index < count; ++index) {
        const uint32_t entry = word_at(tiles + 4 * index);
        send(kDispatchGoLine, entry, mailbox, 16);
        workers_awaited += receivers(entry);
    }
    wait_until(control(kControlWorkersDone), workers_awaited);
}

void record_event(uint32_t number) {
    event = number;
    publish();
    const uint32_t peer = config(kConfigPeerTile);
    if (peer != 0) {
        write_barrier();
        const uint32_t target = kControlEvents + 16 * config(kConfigQueue);
        word_at(kDispatchEventLine) = number;
        settle_store(&word_at(kDispatchEventLine));
        write_out(kDispatchEventLine, tile_address(peer, kDispatchControl + target), 4);
    }
}

void wait_for_event(uint32_t number) {
    volatile uint32_t& reached = control(kControlEvents + 16 * (1 - config(kConfigQueue)));
    while (static_cast<int32_t>(reached - number) < 0) {
    }
}

void execute(uint32_t command);

uint32_t command_size(uint32_t command) { return operand(command, 1); }

// Asks for some pages of a trace, which lie in the DRAM banks by turns.
void fetch_pages(uint32_t base, uint32_t first, uint32_t last, uint32_t to) {
    const uint32_t banks = word_at(kDispatchBankTables + kBankDramCount);
    for (uint32_t page = first; page < last; ++page) {
        const uint32_t entry = kDispatchBankTables + kBankDram + (page % banks) * kBankStride;
        const uint32_t address = word_at(entry + 8) + base + (page / banks) * kTracePage;
        read_in(tile_address(word_at(entry), address), to, kTracePage);
        to += kTracePage;
    }
}

// While one half of the buffer is carried out, the other one is filled. A command may pass from one half to
// the other, but not the buffer's end.
void replay(uint32_t base, uint32_t pages) {
    constexpr uint32_t kHalf = kDispatchTraceSize / 2;
    const uint32_t total = pages * kTracePage;
    uint32_t position = 0;
    uint32_t requested = 0;
    uint32_t arrived = 0;
    const auto request = [&] {
        // What is there may still be on its way to somewhere.
        write_barrier();
        const uint32_t next = smaller(requested + kHalf, total);
        fetch_pages(base, requested / kTracePage, next / kTracePage,
                    kDispatchTrace + (requested & (kDispatchTraceSize - 1)));
        requested = next;
    };
    while (position < total) {
        const uint32_t command = kDispatchTrace + (position & (kDispatchTraceSize - 1));
        if (position == arrived || position + command_size(command) > arrived) {
            if (requested == arrived) {
                request();
            }
            read_barrier();
            arrived = requested;
        }
        const uint32_t half_begun = position & ~(kHalf - 1);
        if (requested == arrived && requested < total && requested - half_begun <= kHalf) {
            request();
        }
        position += command_size(command);
        execute(command);
    }
}

// Carries out commands that lie here.
void call(uint32_t address, uint32_t length) {
    // A command before may have changed them.
    write_barrier();
    const uint32_t end = address + length;
    while (address != end) {
        const uint32_t size = command_size(address);
        execute(address);
        address += size;
    }
}

void execute(uint32_t command) {
    const uint32_t first = operand(command, 2);
    switch (operand(command, 0) & 0xFF) {
        case kOperationWrite:
            return write_tiles(command);
        case kOperationCopy:
            return copy_to_tiles(command);
        case kOperationCall:
            return call(first, operand(command, 3));
        case kOperationRead:
            return read_to_host(command);
        case kOperationLaunch:
            return launch(command);
        case kOperationRecord:
            return record_event(first);
        case kOperationWait:
            return wait_for_event(first);
        case kOperationReplay:
            return replay(first, operand(command, 3));
        case kOperationFinish:
            finished = first;
            return publish();
        case kOperationEnd:
            running = false;
            return;
        default:
            return;
    }
}

void boot() {
    const uint32_t noc_xy = config(kConfigNocXy);
    my_x[0] = noc_xy & 0xFF;
    my_x[1] = (noc_xy >> 8) & 0xFF;
    my_y[0] = (noc_xy >> 16) & 0xFF;
    my_y[1] = noc_xy >> 24;
    noc_reads_num_issued[kNoc0] = noc_status(kNoc0, kNocReadResponses);
    noc_nonposted_writes_acked[kNoc0] = noc_status(kNoc0, kNocWriteAcks);
    set_transaction(kNoc0, kWriteBuffer, 0);
    set_transaction(kNoc0, kReadBuffer, 0);
    consumed = config(kConfigFirstPosition);
    told = consumed;
    produced = config(kConfigFirstCompletion);
    event = config(kConfigFirstEvent);
    go = config(kConfigFirstGo);
    workers_awaited = config(kConfigFirstDone);
    running = true;
    for (uint32_t offset = 0; offset < kStatusSize; offset += 4) {
        word_at(kDispatchStatusLine + offset) = 0;
    }
    control(kControlAbi) = kDispatchAbi;
    settle_store(&control(kControlAbi));
    control(kControlBootStatus) = kBootReady;
}

}  // namespace
}  // namespace hallmark

extern "C" void firmware_main() {
    using namespace hallmark;
    configure_core();
    boot();
    const uint32_t ring_size = config(kConfigRingSize);
    uint32_t written = consumed;
    while (running) {
        if (consumed == written) {
            if (told != consumed) {
                publish();
            }
            written = wait_for_change(control(kControlWritten), written);
        }
        const uint32_t command = kDispatchRing + (consumed & (ring_size - 1));
        const uint32_t size = command_size(command);
        execute(command);
        consumed += size;
        if (consumed - told >= ring_size / 4) {
            publish();
        }
    }
    publish();
    write_barrier();
}
