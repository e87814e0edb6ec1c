/* The C ABI as a C11 compiler sees it: its header stands alone, and abi_test.cpp compares the
 * struct's layout with this one. */
#include "abi_in_c.h"

#include "gpu/launch/flashscope_gpu.h"

/* clang-format off */
#define FIELD(name) \
  {#name, offsetof(struct flashscope_attention, name), \
   sizeof((struct flashscope_attention*)0)->name}
/* clang-format on */

const struct abi_field abi_fields_in_c[ABI_FIELD_COUNT] = {
    FIELD(struct_bytes),
    FIELD(dtype),
    FIELD(q),
    FIELD(k),
    FIELD(v),
    FIELD(o),
    FIELD(lse),
    FIELD(batch),
    FIELD(q_heads),
    FIELD(kv_heads),
    FIELD(q_len),
    FIELD(kv_len),
    FIELD(head_dim),
    FIELD(q_stride),
    FIELD(k_stride),
    FIELD(v_stride),
    FIELD(o_stride),
    FIELD(scale),
    FIELD(causal),
    FIELD(window_left),
    FIELD(window_right),
    FIELD(algorithm),
    FIELD(q_tile),
    FIELD(kv_tile),
    FIELD(splits),
    FIELD(stream),
    FIELD(workspace),
    FIELD(workspace_bytes),
};

int abi_call_from_c(char* error, size_t error_size) {
  struct flashscope_attention attention = {0};
  attention.struct_bytes = sizeof attention;
  attention.dtype = FLASHSCOPE_BF16;
  attention.q_heads = attention.kv_heads = 1;
  attention.head_dim = 64;
  attention.window_left = attention.window_right = -1;
  return flashscope_attention_forward(&attention, error, error_size);
}
