// Marks a function that the CUDA kernels run too.
#pragma once

#if defined(__CUDACC__)
#define FLASHSCOPE_HOST_DEVICE __host__ __device__
#else
#define FLASHSCOPE_HOST_DEVICE
#endif
