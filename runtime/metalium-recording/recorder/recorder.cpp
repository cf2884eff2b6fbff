// From the trampolines to the handlers of the hooks and back.
//
// Locks. Two, taken in this order:
// 1. `order_lock` is held by the outermost hooked call of a thread, from its event to its return, so that the journal's
//    order is the order in which the vendor's library did the work. A call that may wait for the device gives it back
//    before it begins. The vendor's code takes locks of its own under it, and a thread that holds one of those may come
//    here (a callback, an interpreter's lock): each way round is possible, so nobody waits for `order_lock` for longer
//    than a bounded time. A thread that gives up goes on without it and says so: the order of that call is uncertain,
//    and nothing hangs.
// 2. `state_lock` is held while the recorder's own tables change and an entry is appended. It is a leaf: no code of the
//    vendor's runs under it. Calls inside other calls take it alone.
// A thread takes `order_lock` once, however deep its calls go.
#include "recorder.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuts.hpp"
#include "exceptions.hpp"

extern "C" {
// Of the trampolines.
extern void* hallmark_real[];
void* hallmark_enter(hallmark::recorder::Call*);
void hallmark_leave(hallmark::recorder::Call*);
int hallmark_personality(int, int, std::uint64_t, void*, void*);
}

namespace hallmark::recorder {
namespace {

constexpr char kPreloadVariable[] = "LD_PRELOAD=";
constexpr char kLibraryName[] = "/libtt_metal.so";
constexpr int kOrderPatience = 5;  // seconds
constexpr int kEndPatience = 1;    // seconds

enum class Phase : int { Unbound, Binding, Recording, Silent };

std::atomic<Phase> phase{Phase::Unbound};
std::atomic<std::uint32_t> threads{0};
// Calls under way whose inner calls are not recorded. The vendor's library has threads that work for them.
std::atomic<int> suppressing{0};
pthread_mutex_t bind_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
constinit Journal journal;
bool is_forked = false;

struct Thread {
    // Counts from 1; 0 has made no call yet.
    std::uint32_t number;
    int suppressed;
    bool holds_order;
    // In code of the recorder's.
    bool is_busy;
    Call* top;
};
thread_local Thread self __attribute__((tls_model("initial-exec")));

constexpr std::size_t kUnfollowed = 64;
const char* said[kUnfollowed];
std::size_t said_count = 0;

struct Loaded {
    // Its path; else its name decides.
    const char* wanted;
    char path[4096];
    char build_id[65];
    bool found;
};

void read_build_id(const dl_phdr_info& info, Loaded& loaded) {
    for (int index = 0; index < info.dlpi_phnum; ++index) {
        const auto& header = info.dlpi_phdr[index];
        if (header.p_type != PT_NOTE) {
            continue;
        }
        auto at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + header.p_vaddr);
        auto end = at + header.p_memsz;
        std::size_t align = header.p_align == 8 ? 8 : 4;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            auto round = [align](std::size_t length) { return (length + align - 1) / align * align; };
            auto name = at + sizeof note;
            auto value = name + round(note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
                for (std::size_t byte = 0; byte < note.n_descsz && byte < 32; ++byte) {
                    std::snprintf(loaded.build_id + 2 * byte, 3, "%02x", value[byte]);
                }
                return;
            }
            at = value + round(note.n_descsz);
        }
    }
}

int look_at(dl_phdr_info* info, std::size_t, void* result) {
    auto& loaded = *static_cast<Loaded*>(result);
    std::size_t length = std::strlen(info->dlpi_name);
    std::size_t own = sizeof kLibraryName - 1;
    bool is_named = length >= own && std::strcmp(info->dlpi_name + length - own, kLibraryName) == 0;
    bool is_it = loaded.wanted == nullptr ? is_named : std::strcmp(info->dlpi_name, loaded.wanted) == 0;
    if (!is_it || length >= sizeof loaded.path) {
        return 0;
    }
    std::memcpy(loaded.path, info->dlpi_name, length + 1);
    loaded.found = true;
    read_build_id(*info, loaded);
    return 1;
}

int list(dl_phdr_info* info, std::size_t, void* result) {
    static_cast<std::vector<std::string>*>(result)->emplace_back(info->dlpi_name);
    return 0;
}

// A function of any library but this one. A library that was loaded with RTLD_LOCAL is found only by its path.
void* found_anywhere(const char* symbol) {
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&hallmark_enter), &own);
    std::vector<std::string> paths;
    dl_iterate_phdr(list, &paths);
    for (const auto& path : paths) {
        // Behind the empty name stands the program, whose first library is this one.
        void* handle = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
        if (handle == nullptr) {
            continue;
        }
        void* function = dlsym(handle, symbol);
        dlclose(handle);
        Dl_info in;
        if (function != nullptr && dladdr(function, &in) != 0 && in.dli_fbase != own.dli_fbase) {
            return function;
        }
    }
    return nullptr;
}

// The vendor's library, which may have another name than it is installed with.
void find_library(Loaded& loaded) {
    dl_iterate_phdr(look_at, &loaded);
    if (loaded.found) {
        return;
    }
    Dl_info in;
    void* function = found_anywhere(hooks[0].symbol);
    if (function != nullptr && dladdr(function, &in) != 0 && in.dli_fname != nullptr) {
        loaded.wanted = in.dli_fname;
        dl_iterate_phdr(look_at, &loaded);
    }
}

void* find_real(std::size_t index) {
    void* real = dlsym(RTLD_NEXT, hooks[index].symbol);
    return real != nullptr ? real : found_anywhere(hooks[index].symbol);
}

[[noreturn]] void stop_without(const char* symbol) {
    std::fprintf(stderr, "hallmark: no loaded library has the function %s, which the command called\n", symbol);
    std::abort();
}

// Programs that the vendor's library starts from here on, its compiler above all, are not recorded. The text is changed
// where it lies: another thread may be reading the environment.
void leave_environment() {
    Dl_info own;
    if (dladdr(reinterpret_cast<const void*>(&hallmark_enter), &own) == 0 || own.dli_fname == nullptr) {
        return;
    }
    std::size_t length = std::strlen(own.dli_fname);
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (std::strncmp(*entry, kPreloadVariable, sizeof kPreloadVariable - 1) != 0) {
            continue;
        }
        char* at = std::strstr(*entry, own.dli_fname);
        if (at == nullptr) {
            continue;
        }
        char* rest = at + length;
        if (*rest == ':' || *rest == ' ') {
            ++rest;
        }
        std::memmove(at, rest, std::strlen(rest) + 1);
    }
}

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void append_library(const char* path) {
    char folder[4096];
    if (getcwd(folder, sizeof folder) == nullptr) {
        folder[0] = 0;
    }
    std::string cache = variable("TT_METAL_CACHE");
    Payload payload;
    payload.u32(static_cast<std::uint32_t>(getpid()));
    payload.text(path);
    payload.text(variable("TT_METAL_RUNTIME_ROOT"));
    payload.text(folder);
    payload.text(cache.empty() ? std::string(variable("HOME")) + "/.cache" : cache);
    payload.boolean(std::strcmp(variable("TT_METAL_SLOW_DISPATCH_MODE"), "1") == 0);
    payload.boolean(*variable("TT_METAL_SIMULATOR") != 0);
    for (const char* selected : {kOnlyVariable, kSkipVariable, kFromVariable, kUntilVariable}) {
        payload.text(variable(selected));
    }
    append(Kind::LibraryLoaded, payload);
}

void forked() {
    is_forked = true;
    phase.store(Phase::Silent);
    said_count = 0;
}

Phase bound() {
    prepare_to_catch();
    static Loaded loaded;
    find_library(loaded);
    // The reference keeps the library where it is: a command that unloads it would leave the trampolines behind.
    void* handle = loaded.found ? dlopen(loaded.path, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
    for (std::size_t index = 0; handle != nullptr && index < hook_count; ++index) {
        hallmark_real[index] = dlsym(handle, hooks[index].symbol);
    }
    const char* folder = variable(kFolderVariable);
    if (handle == nullptr || *folder == 0 || !journal.open(folder, loaded.build_id)) {
        return Phase::Silent;
    }
    if (std::strcmp(loaded.build_id, HALLMARK_BUILD_ID) != 0 || !library.bind(handle)) {
        journal.end(End::Refused, 0);
        return Phase::Silent;
    }
    vendors_globals = reinterpret_cast<decltype(vendors_globals)>(dlsym(handle, "__cxa_get_globals"));
    pthread_atfork(nullptr, nullptr, forked);
    cuts().prepare();
    StateLock lock;
    append_library(loaded.path);
    return Phase::Recording;
}

void bind() {
    pthread_mutex_lock(&bind_lock);
    if (phase.load() == Phase::Unbound) {
        phase.store(Phase::Binding);
        Phase next = Phase::Silent;
        guarded([&] { next = bound(); });
        leave_environment();
        phase.store(next);
    }
    pthread_mutex_unlock(&bind_lock);
}

bool lock_within(pthread_mutex_t& lock, int seconds) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    return pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until) == 0;
}

bool take_order() {
    if (lock_within(order_lock, kOrderPatience)) {
        return true;
    }
    unfollowed("the order of calls that several threads made at the same time");
    return false;
}

void give_order_back(Call& call) {
    if (call.is_ordered) {
        call.is_ordered = false;
        self.holds_order = false;
        pthread_mutex_unlock(&order_lock);
    }
}

}  // namespace

StateLock::StateLock() { pthread_mutex_lock(&state_lock); }
StateLock::~StateLock() { pthread_mutex_unlock(&state_lock); }

void append(Kind kind, const Payload& payload, const void* data, std::size_t length) {
    if (!journal.append(kind, self.number - 1, payload, data, length)) {
        phase.store(Phase::Silent);
    }
}

bool append_memory(Kind kind, const Payload& payload, const void* data, std::size_t length) {
    auto result = journal.append_memory(kind, self.number - 1, payload, data, length);
    if (result == Journal::Result::Stopped) {
        phase.store(Phase::Silent);
    }
    return result != Journal::Result::Unreadable;
}

void append_call(Call& call, Kind kind, const Payload& payload) {
    append(kind, payload);
    call.is_begun = true;
}

void unfollowed(const char* what) {
    StateLock lock;
    for (std::size_t index = 0; index < said_count; ++index) {
        if (std::strcmp(said[index], what) == 0) {
            return;
        }
    }
    if (said_count == kUnfollowed) {
        return;
    }
    said[said_count++] = what;
    Payload payload;
    payload.text(what, std::strlen(what));
    append(Kind::Unfollowed, payload);
}

void release_order() {
    for (auto call = self.top; call != nullptr; call = call->outer) {
        give_order_back(*call);
    }
}

bool may_be_work_for_a_call() { return suppressing != 0; }

bool is_told_to_block(const Call& call) {
    int place = hooks[call.index].blocking;
    return place != Hook::kNowhere && (call.argument[place] & 1) != 0;
}

void* real_of(const Call& call) {
    void*& real = hallmark_real[call.index];
    if (real == nullptr) {
        guarded([&] { real = find_real(call.index); });
    }
    if (real == nullptr) {
        stop_without(hooks[call.index].symbol);
    }
    return real;
}

namespace {

void run(void (*handle)(Call&), Call& call) {
    if (!guarded([&] { handle(call); })) {
        call.has_failed = true;
        unfollowed(hooks[call.index].unrecorded);
    }
}

void* enter(Call& call) {
    if (phase.load(std::memory_order_acquire) <= Phase::Binding && !self.is_busy) {
        self.is_busy = true;
        if (self.number == 0) {
            self.number = ++threads;
        }
        bind();
        self.is_busy = false;
    }
    // Every call is linked, so that an exception finds the call whose frame it leaves.
    call.outer = self.top;
    self.top = &call;
    call.is_followed = false;
    call.suppresses = false;
    call.is_ordered = false;
    call.is_begun = false;
    call.blocks = false;
    call.has_failed = false;
    void* real = real_of(call);
    if (phase.load(std::memory_order_acquire) != Phase::Recording) {
        if (is_forked && !self.is_busy) {
            is_forked = false;
            journal.note_forked_call();
        }
        return real;
    }
    const Handler& handler = *hooks[call.index].handler;
    if (self.is_busy || (self.suppressed != 0 && !handler.always)) {
        return real;
    }
    self.is_busy = true;
    if (self.number == 0) {
        self.number = ++threads;
    }
    call.is_followed = true;
    if (handler.is_ordered && !self.holds_order) {
        call.is_ordered = self.holds_order = take_order();
    }
    if (handler.before != nullptr) {
        run(handler.before, call);
    }
    if (handler.suppresses) {
        call.suppresses = true;
        ++self.suppressed;
        ++suppressing;
    }
    if (call.blocks) {
        give_order_back(call);
    }
    self.is_busy = false;
    return real;
}

void finish(Call& call) {
    self.top = call.outer;
    if (call.suppresses) {
        --self.suppressed;
        --suppressing;
    }
}

void leave(Call& call) {
    finish(call);
    if (!call.is_followed) {
        return;
    }
    const Handler& handler = *hooks[call.index].handler;
    bool is_recorded = phase.load(std::memory_order_acquire) == Phase::Recording;
    // What comes after the call relies on what came before it.
    if (handler.after != nullptr && is_recorded && !call.has_failed) {
        self.is_busy = true;
        run(handler.after, call);
        self.is_busy = false;
    }
    give_order_back(call);
}

void threw(Call& call, const char* text) {
    finish(call);
    if (call.is_begun && phase.load(std::memory_order_acquire) == Phase::Recording) {
        self.is_busy = true;
        Payload payload;
        payload.text(text, std::strlen(text));
        guarded([&] {
            StateLock lock;
            append(Kind::CallThrew, payload);
        });
        self.is_busy = false;
    }
    give_order_back(call);
}

// Late in the process's own end: what is called after it is still recorded.
__attribute__((destructor)) void ended() {
    // A handler of a signal may end the process within an entry; the recording has no end then.
    if (phase.load() == Phase::Recording && !is_forked && lock_within(state_lock, kEndPatience)) {
        if (self.number == 0) {
            self.number = ++threads;
        }
        append(Kind::ProcessEnded, Payload());
        journal.end(End::Ended, 0);
        pthread_mutex_unlock(&state_lock);
    }
}

}  // namespace
}  // namespace hallmark::recorder

void* hallmark_enter(hallmark::recorder::Call* call) {
    int error = errno;
    void* real = hallmark::recorder::enter(*call);
    errno = error;
    return real;
}

void hallmark_leave(hallmark::recorder::Call* call) {
    int error = errno;
    hallmark::recorder::leave(*call);
    errno = error;
}

// Asked by the unwinder for each frame of a trampoline, twice: the first time, who handles an exception is looked for; the
// second time, frames are left.
int hallmark_personality(int, int actions, std::uint64_t language, void* exception, void*) {
    constexpr int kLeaves = 2;
    constexpr int kForced = 8;
    constexpr int kContinue = 8;
    auto call = hallmark::recorder::self.top;
    if ((actions & kLeaves) != 0 && call != nullptr) {
        const char* text = (actions & kForced) != 0 ? "the thread was ended"
                                                    : hallmark::recorder::text_of(language, exception);
        hallmark::recorder::threw(*call, text);
    }
    return kContinue;
}
