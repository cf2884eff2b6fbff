// The objects of the data-movement API in the namespace of earlier releases. Today they have none.
#pragma once

#include <stdint.h>

class CircularBuffer;
class DataflowBuffer;
class Noc;
struct MulticastEndpoint;
struct UnicastEndpoint;
template <typename T>
struct noc_traits_t;
template <typename Release>
class Lock;

namespace experimental {

#define HALLMARK_EARLIER(name) using name [[gnu::unavailable("today this is " #name ", without experimental::")]] = ::name

HALLMARK_EARLIER(CircularBuffer);
HALLMARK_EARLIER(DataflowBuffer);
HALLMARK_EARLIER(MulticastEndpoint);
HALLMARK_EARLIER(Noc);
HALLMARK_EARLIER(UnicastEndpoint);
template <typename T>
HALLMARK_EARLIER(noc_traits_t)<T>;
template <typename Release>
HALLMARK_EARLIER(Lock)<Release>;

#undef HALLMARK_EARLIER

// Their names are those of templates with further parameters.
template <auto... kValues>
struct Semaphore {
    static_assert(sizeof...(kValues) > 64, "experimental::Semaphore is today Semaphore (api/dataflow/noc_semaphore.h)");
    template <typename... Arguments>
    explicit Semaphore(Arguments...) {}
};
template <typename... Types>
struct CoreLocalMem {
    static_assert(sizeof...(Types) > 64, "experimental::CoreLocalMem is today CoreLocalMem (api/core_local_mem.h)");
    template <typename... Arguments>
    explicit CoreLocalMem(Arguments...) {}
};

}  // namespace experimental
