// SPDX-License-Identifier: MIT
// lwIP's configuration: IPv4, ARP, ICMP and TCP by the raw API, in one thread, every pool of a
// fixed size.
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_SOCKET 0
#define LWIP_NETCONN 0

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 1
#define LWIP_ICMP 1
#define LWIP_UDP 0
#define LWIP_RAW 0
#define LWIP_TCP 1
#define LWIP_STATS 0
#define LWIP_NETIF_LOOPBACK 1 // 127.0.0.1, and the machine's own address
#define LWIP_LOOPBACK_MAX_PBUFS 0
#define SO_REUSE 1 // a server that comes back takes its port while old connections end
#define LWIP_NETIF_TX_SINGLE_PBUF 1 // a frame is one piece: the driver takes it as it is

#define MEM_ALIGNMENT 8
#define MEM_LIBC_MALLOC 1 // heap.c
#define mem_clib_malloc net_heap_alloc
#define mem_clib_free net_heap_free
#define PBUF_POOL_SIZE 256 // frames received and not yet taken
#define PBUF_POOL_BUFSIZE 1536
#define MEMP_NUM_PBUF 64

// Clients of servers, connections inside of the machine (two each), and closing ones.
#define MEMP_NUM_TCP_PCB 192
#define MEMP_NUM_TCP_PCB_LISTEN 64
#define TCP_LISTEN_BACKLOG 1
#define TCP_DEFAULT_LISTEN_BACKLOG 64

#define TCP_MSS 8000 // over 127.0.0.1; a network's frames are shorter, and say so by their MTU
#define TCP_WND (32 * 1460)
#define LWIP_WND_SCALE 1 // for a send buffer past 64 KB
#define TCP_RCV_SCALE 0
#define TCP_SND_BUF (128 * 1024)
#define TCP_SND_QUEUELEN 512
#define TCP_SNDLOWAT (32 * 1024)
#define MEMP_NUM_TCP_SEG (24 * TCP_SND_QUEUELEN)
#define TCP_QUEUE_OOSEQ 1
#define TCP_OOSEQ_MAX_PBUFS 32
#define LWIP_TCP_KEEPALIVE 1
#define TCP_MSL 1000 // ms: the only network is inside the emulator

#define LWIP_CHECKSUM_ON_COPY 1
#define LWIP_CHECKSUM_CTRL_PER_NETIF 1 // none over 127.0.0.1: nothing but memory lies between
#define LWIP_CHKSUM net_checksum
#define LWIP_CHKSUM_COPY(to, from, count) net_checksum_copy(to, from, count)

#endif
