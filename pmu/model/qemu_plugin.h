// SPDX-License-Identifier: MIT
// The part of QEMU's public plugin interface, version 4 (QEMU 9.2 and later), that we use. It is
// declared here because distributions do not ship its header. So is the part of glib in which
// registers and memory come back. QEMU itself provides all of it.
//
// Callbacks run on the thread of their virtual CPU, between two instructions, except where noted.
#ifndef MODEL_QEMU_PLUGIN_H
#define MODEL_QEMU_PLUGIN_H

#include <orrery/types.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

// The version of the interface that a plugin is written for.
extern PLUGIN_EXPORT int qemu_plugin_version;

typedef u64 qemu_plugin_id_t;

typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus, max_vcpus;
        } system;
    };
} qemu_info_t;

// QEMU calls it once, before virtual CPUs exist. If it does not return 0, QEMU does not start.
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                      char **argv);

struct qemu_plugin_tb;   // a translation block while it is translated
struct qemu_plugin_insn; // an instruction of it
struct qemu_plugin_scoreboard;
struct qemu_plugin_register;
typedef u32 qemu_plugin_meminfo_t;

// A 64-bit word of each CPU's element of a scoreboard.
typedef struct {
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_cb_flags {
    QEMU_PLUGIN_CB_NO_REGS,
    QEMU_PLUGIN_CB_R_REGS, // the callback may read registers and memory
};

enum qemu_plugin_mem_rw {
    QEMU_PLUGIN_MEM_R = 1,
    QEMU_PLUGIN_MEM_W = 2,
    QEMU_PLUGIN_MEM_RW = 3,
};

enum qemu_plugin_op {
    QEMU_PLUGIN_INLINE_ADD_U64,
    QEMU_PLUGIN_INLINE_STORE_U64,
};

// Unsigned comparisons of a scoreboard's word with a constant.
enum qemu_plugin_cond {
    QEMU_PLUGIN_COND_NEVER,
    QEMU_PLUGIN_COND_ALWAYS,
    QEMU_PLUGIN_COND_EQ,
    QEMU_PLUGIN_COND_NE,
    QEMU_PLUGIN_COND_LT,
    QEMU_PLUGIN_COND_LE,
    QEMU_PLUGIN_COND_GT,
    QEMU_PLUGIN_COND_GE,
};

typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned vcpu, void *data);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned vcpu, qemu_plugin_meminfo_t info, u64 address,
                                          void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

// Removes all that the plugin has registered, and all translated code; then, with all CPUs stopped,
// calls done. Returns before that. A second call before done is ignored.
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t done);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           qemu_plugin_vcpu_tb_trans_cb_t callback);

// Before an instruction, in the order of registration.
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            qemu_plugin_vcpu_udata_cb_t callback,
                                            enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
                                                 qemu_plugin_vcpu_udata_cb_t callback,
                                                 enum qemu_plugin_cb_flags flags,
                                                 enum qemu_plugin_cond condition,
                                                 qemu_plugin_u64 word, u64 constant, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                         enum qemu_plugin_op op,
                                                         qemu_plugin_u64 word, u64 constant);

// Before a block.
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
                                               qemu_plugin_vcpu_udata_cb_t callback,
                                               enum qemu_plugin_cb_flags flags,
                                               enum qemu_plugin_cond condition,
                                               qemu_plugin_u64 word, u64 constant, void *data);

void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
                                                       enum qemu_plugin_op op, qemu_plugin_u64 word,
                                                       u64 constant);

// After each access of an instruction that did not fault.
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      qemu_plugin_vcpu_mem_cb_t callback,
                                      enum qemu_plugin_cb_flags flags,
                                      enum qemu_plugin_mem_rw which, void *data);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *out, size_t bytes);
u64 qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
// Returns where the machine's memory with the instruction lies in QEMU, or NULL if it is in none.
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_bytes);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned vcpu);

typedef struct {
    char *data;
    unsigned len;
} GArray;

typedef struct {
    u8 *data;
    unsigned len;
} GByteArray;

typedef struct {
    struct qemu_plugin_register *handle;
    const char *name;
    const char *feature;
} qemu_plugin_reg_descriptor;

// Returns the registers of the CPU that runs the callback, as qemu_plugin_reg_descriptor elements.
// The caller frees the array.
GArray *qemu_plugin_get_registers(void);
// Appends the register as the guest would store it. Returns its number of bytes, or negative.
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *out);
bool qemu_plugin_read_memory_vaddr(u64 address, GByteArray *out, size_t bytes);

char *g_array_free(GArray *array, int free_data);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned bytes);

#endif
