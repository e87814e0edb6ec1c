/* What abi_in_c.c shows to abi_test.cpp. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ABI_FIELD_COUNT = 28 };

struct abi_field {
  const char* name;
  size_t offset, size;
};
extern const struct abi_field abi_fields_in_c[ABI_FIELD_COUNT];

/* A call for an empty batch, written as in the header's example. */
int abi_call_from_c(char* error, size_t error_size);

#ifdef __cplusplus
}
#endif
