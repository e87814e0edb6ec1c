/* FlashScope's CUDA kernels as a C library, libflashscope_gpu.so: attention's forward pass
 *
 *     S = scale Q K'      P = softmax(S) over the keys each row may see      O = P V
 *
 * NAME
 *     flashscope_attention_forward, flashscope_attention_workspace_bytes, flashscope_gpu_version
 *
 * DESCRIPTION
 *     flashscope_attention_forward() checks the call, queues its kernels on `stream` and returns;
 *     it never waits. The stream and all tensors belong to the calling thread's current device:
 *
 *         q, o    (batch, q_heads, q_len, head_dim)      fp16 or bf16
 *         k, v    (batch, kv_heads, kv_len, head_dim)    the same
 *         lse     (batch, q_heads, q_len)                fp32, contiguous; may be null
 *
 *     where head_dim is 32, 64, 96, 128 or 256 (zeros may fill it up) and q_len + kv_len is below
 *     2^31, in any layout whose head_dim is contiguous: a stride is the number of elements from one
 * to the next in (batch, head, row). The stride of a dimension of length 1 is ignored. Strides are
 * multiples of 8 elements and not negative, pointers aligned to 16 bytes (lse: to 4). In q, k and v
 * a stride may be 0 (one row for all). Elements of o must not overlap, neither each other nor q, k,
 * v and lse (the latter is not checked). Tensors without elements may be null.
 *
 *     Query head h reads kv head h / (q_heads / kv_heads). Row r stands at key d = r + kv_len -
 *     q_len (aligned bottom-right) and sees keys d - window_left ... d + window_right; when
 *     causal, none beyond d. lse is the natural logarithm of the sum of exp(S) over the keys seen.
 *     A row that sees no key has O = 0 and lse = -inf. batch, q_len and kv_len may be 0. scale may
 *     have either sign. A zeroed struct has a window of one key: set window_left and window_right
 *     to -1 for none. q_tile and kv_tile are one of the pairs of gpu/kernels/configs.h; a wrong one
 *     is answered with those there are.
 *
 *     On one device, the same call gives the same result bit for bit.
 *
 * WORKSPACE
 *     standard, fa1 and split_kv keep intermediate results in device memory, and automatic may
 *     choose split_kv. Without a workspace they are allocated and freed in the order of the stream
 *     (cudaMallocFromPoolAsync, from a pool that keeps up to 64 MiB between calls). A program that
 *     captures CUDA graphs, or counts its memory, asks for the size and gives one, aligned to 16
 *     bytes; it is in use until the queued kernels have ended.
 *
 * RETURN VALUE
 *     FLASHSCOPE_OK (0): queued; an error of the kernels themselves shows at the stream's next
 *     synchronisation. Else o and lse are not to be used, and `error` (of error_size bytes, may be
 *     null) has one line, cut off where it does not fit and always ending in a 0 byte:
 *
 *     FLASHSCOPE_BAD_CALL       the call is wrong; the line begins with the field
 *     FLASHSCOPE_DEVICE_ERROR   no driver, no device, one that is too old, a library built without
 *                               CUDA, or what CUDA reported
 *     FLASHSCOPE_NO_MEMORY      the host has no memory left
 *
 * THREADS
 *     All functions may be called from several threads at once.
 *
 * EXAMPLE
 *     struct flashscope_attention a = {0};
 *     a.struct_bytes = sizeof a;
 *     a.dtype = FLASHSCOPE_BF16;
 *     a.q = q;  a.k = k;  a.v = v;  a.o = o;
 *     a.batch = 4;  a.q_heads = a.kv_heads = 16;  a.q_len = a.kv_len = 4096;  a.head_dim = 64;
 *     for (int i = 0; i < 3; ++i) {    // (batch, head, row, head_dim), contiguous
 *       static const int64_t strides[3] = {16 * 4096 * 64, 4096 * 64, 64};
 *       a.q_stride[i] = a.k_stride[i] = a.v_stride[i] = a.o_stride[i] = strides[i];
 *     }
 *     a.scale = 0.125f;
 *     a.window_left = a.window_right = -1;
 *     char error[256];
 *     if (flashscope_attention_forward(&a, error, sizeof error) != FLASHSCOPE_OK) puts(error);
 */
#ifndef FLASHSCOPE_GPU_H
#define FLASHSCOPE_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FLASHSCOPE_FP16 = 0, FLASHSCOPE_BF16 = 1 };

enum {
  FLASHSCOPE_AUTOMATIC = 0, /* fa2, or split_kv when there are few query rows */
  FLASHSCOPE_STANDARD = 1,  /* S and P in device memory */
  FLASHSCOPE_FA1 = 2,       /* FlashAttention: outer loop over the keys */
  FLASHSCOPE_FA2 = 3,       /* FlashAttention-2: outer loop over the queries */
  FLASHSCOPE_SPLIT_KV = 4   /* Flash-Decoding: the keys split over blocks, then combined */
};

enum {
  FLASHSCOPE_OK = 0,
  FLASHSCOPE_BAD_CALL = 1,
  FLASHSCOPE_DEVICE_ERROR = 2,
  FLASHSCOPE_NO_MEMORY = 3
};

struct flashscope_attention {
  uint32_t struct_bytes; /* sizeof(struct flashscope_attention): which fields the caller knows */
  int32_t dtype;         /* FLASHSCOPE_FP16 or FLASHSCOPE_BF16 */
  const void* q;
  const void* k;
  const void* v;
  void* o;
  float* lse;
  int64_t batch, q_heads, kv_heads, q_len, kv_len, head_dim;
  int64_t q_stride[3], k_stride[3], v_stride[3], o_stride[3]; /* elements: batch, head, row */
  float scale;                                                /* usually head_dim^-1/2 */
  int32_t causal;                                             /* 0 or not */
  int32_t window_left, window_right;                          /* keys; -1: unbounded, 0: none */
  int32_t algorithm;                                          /* FLASHSCOPE_AUTOMATIC, ... */
  int32_t q_tile, kv_tile;                                    /* a compiled pair; 0: chosen */
  int32_t splits;                                             /* split_kv, 1..128; 0: chosen */
  void* stream;                                               /* cudaStream_t; null: the default */
  /* Read only when struct_bytes covers them: a caller may leave them out. */
  void* workspace; /* null: allocated when needed */
  uint64_t workspace_bytes;
};

int flashscope_attention_forward(const struct flashscope_attention* attention, char* error,
                                 size_t error_size);

/* Sets *bytes to what the call needs as workspace on the current device, 0 when it needs none. Of
 * the call's pointers, none is followed; `workspace` is ignored. */
int flashscope_attention_workspace_bytes(const struct flashscope_attention* attention,
                                         uint64_t* bytes, char* error, size_t error_size);

/* "0.1.0, CUDA 13.0.88, sm_80 sm_90a compute_80": for people, valid for ever. */
const char* flashscope_gpu_version(void);

#ifdef __cplusplus
}
#endif

#endif
