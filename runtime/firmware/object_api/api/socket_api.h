// Sockets, between chips and with the host. Captures do not have them: a kernel may name what it has, but not call it.
#pragma once

#include <stdint.h>

#include "api/alignment.h"
#include "api/debug/assert.h"
#include "hallmark/refused.h"
#include "internal/circular_buffer_interface.h"
#include "internal/risc_attribs.h"
#include "noc_parameters.h"
#ifndef HALLMARK_COMPUTE
#include "api/dataflow/dataflow_api.h"
#endif

// The members that kernels name, by upstream's names.
struct D2HSocketInterface {
    uint32_t bytes_sent_addr_hi, data_addr_hi, pcie_xy_enc;
};

struct D2DSocketSendInterface {
    uint32_t downstream_enc_base_addr;
};

struct SocketSenderInterface {
    uint32_t config_addr, write_ptr, bytes_sent, bytes_acked_base_addr, page_size, num_downstreams;
    uint32_t downstream_fifo_total_size, downstream_fifo_curr_size, downstream_fifo_addr, downstream_bytes_sent_addr;
    uint32_t is_d2h;
    union {
        D2HSocketInterface d2h;
        D2DSocketSendInterface d2d;
    };
};

struct H2DSocketInterface {
    uint32_t bytes_acked_addr_lo, bytes_acked_addr_hi, data_addr_lo, data_addr_hi, pcie_xy_enc;
};

struct D2DSocketRecvInterface {
    uint32_t upstream_mesh_id, upstream_chip_id, upstream_noc_y, upstream_noc_x, upstream_bytes_acked_addr;
};

struct SocketReceiverInterface {
    uint32_t config_addr, read_ptr, bytes_acked, bytes_sent_addr, page_size, fifo_addr, fifo_total_size, fifo_curr_size;
    uint32_t is_h2d;
    union {
        H2DSocketInterface h2d;
        D2DSocketRecvInterface d2d;
    };
};

struct d2h_sender_socket_md {
    uint32_t bytes_sent_addr_hi, data_addr_hi, pcie_xy_enc;
};

struct d2d_sender_socket_md {
    uint32_t downstream_mesh_id, downstream_chip_id, downstream_noc_y, downstream_noc_x;
};

union sender_downstream_encoding {
    d2h_sender_socket_md d2h;
    d2d_sender_socket_md d2d;
};

#define HALLMARK_NO_SOCKETS "Hallmark has no sockets: its host API makes none"
#define HALLMARK_OF_SOCKETS(name) HALLMARK_REFUSED_RESULT(void, name, HALLMARK_NO_SOCKETS)

HALLMARK_REFUSED_RESULT(SocketSenderInterface, create_sender_socket_interface, HALLMARK_NO_SOCKETS)
HALLMARK_REFUSED_RESULT(SocketReceiverInterface, create_receiver_socket_interface, HALLMARK_NO_SOCKETS)
HALLMARK_REFUSED_RESULT(sender_downstream_encoding, get_downstream_encoding, HALLMARK_NO_SOCKETS)
HALLMARK_REFUSED_RESULT(bool, socket_wait_for_pages, HALLMARK_NO_SOCKETS)
HALLMARK_OF_SOCKETS(set_sender_socket_page_size)
HALLMARK_OF_SOCKETS(set_receiver_socket_page_size)
HALLMARK_OF_SOCKETS(socket_reserve_pages)
HALLMARK_OF_SOCKETS(socket_push_pages)
HALLMARK_OF_SOCKETS(socket_pop_pages)
HALLMARK_OF_SOCKETS(socket_barrier)
HALLMARK_OF_SOCKETS(socket_notify_receiver)
HALLMARK_OF_SOCKETS(socket_notify_sender)
HALLMARK_OF_SOCKETS(fabric_socket_notify_receiver)
HALLMARK_OF_SOCKETS(fabric_socket_notify_sender)
HALLMARK_OF_SOCKETS(fabric_socket_notify_sender_stateful)
HALLMARK_OF_SOCKETS(fabric_set_unicast_route)
HALLMARK_OF_SOCKETS(update_socket_config)
HALLMARK_OF_SOCKETS(assign_local_cb_to_socket)

// Functions by which kernels of sockets reach the host's memory. Each enumeration has only one of upstream's values.
enum CQNocFlags { CQ_NOC_SNDL };
enum CQNocWait { CQ_NOC_WAIT };
enum CQNocSend { CQ_NOC_SEND };
HALLMARK_OF_SOCKETS(noc_read_with_state)
HALLMARK_OF_SOCKETS(noc_wwrite_with_state)

#undef HALLMARK_OF_SOCKETS
#undef HALLMARK_NO_SOCKETS
