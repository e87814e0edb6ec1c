// Every refusal of a call, by its text, and what must not be refused.
#include "gpu/launch/check.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "sample_call.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::gpu;

namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::string refusal_of(const AttentionCall& call) {
  try {
    check_call(call);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::function<void(AttentionCall&)>& change) {
  AttentionCall call = sample_call();
  change(call);
  return refusal_of(call);
}

}  // namespace

TEST_CASE("a plain call is accepted") { CHECK(refusal_of(sample_call()) == ""); }

TEST_CASE("shapes that no kernel takes are refused by the field's name") {
  CHECK(refusal([](auto& c) { c.dtype = Format::fp32; }) ==
        "dtype is fp32: the kernels take fp16 and bf16");
  CHECK(refusal([](auto& c) { c.batch = -1; }) ==
        "batch is -1: it must be between 0 and 2147482624");
  CHECK(refusal([](auto& c) { c.q_heads = 0; }) ==
        "q_heads is 0: it must be between 1 and 2147482624");
  CHECK(refusal([](auto& c) { c.kv_heads = kHuge; }) ==
        "kv_heads is 9223372036854775807: it must be between 1 and 2147482624");
  CHECK(refusal([](auto& c) { c.q_len = -5; }) ==
        "q_len is -5: it must be between 0 and 2147482624");
  CHECK(refusal([](auto& c) { c.kv_len = std::int64_t{1} << 31; }) ==
        "kv_len is 2147483648: it must be between 0 and 2147482624");
  CHECK(refusal([](auto& c) { c.q_len = c.kv_len = 1500000000; }) ==
        "q_len 1500000000 and kv_len 1500000000 are together 3000000000: at most 2147482624");
  CHECK(refusal([](auto& c) { c.q_heads = 6, c.kv_heads = 4; }) ==
        "q_heads 6 is not a multiple of kv_heads 4");
  CHECK(refusal([](auto& c) { c.batch = 1 << 30, c.q_heads = 2, c.q_len = 5000; }) ==
        "batch 1073741824 x q_heads 2 x q_len 5000 takes more than the 2^31 - 1 blocks that CUDA "
        "launches: call it for one part of the batch at a time");
  CHECK(refusal([](auto& c) { c.batch = c.q_heads = c.kv_heads = 2000000000; }) != "");
}

TEST_CASE("a head_dim without kernels is refused with the list of those that have some") {
  for (const std::int64_t head_dim :
       {std::int64_t{-64}, std::int64_t{0}, std::int64_t{63}, std::int64_t{512},
        std::int64_t{64} + (std::int64_t{1} << 32)}) {
    CHECK(refusal([&](auto& c) { c.head_dim = head_dim; }) ==
          "head_dim is " + std::to_string(head_dim) +
              ": there are kernels for 32, 64, 96, 128 or 256; pad Q, K and V with zeros");
  }
  for (const std::int64_t head_dim : {32, 64, 96, 128, 256}) {
    CHECK(refusal_of(sample_call({.head_dim = head_dim})) == "");
  }
}

TEST_CASE("windows, scales and options") {
  CHECK(refusal([](auto& c) { c.window_left = -2; }) ==
        "window_left is -2: use 0 or more, or -1 for unbounded");
  CHECK(refusal([](auto& c) { c.window_right = -kHuge; }) ==
        "window_right is -9223372036854775807: use 0 or more, or -1 for unbounded");
  CHECK(refusal([](auto& c) { c.window_left = c.window_right = kHuge; }) == "");
  CHECK(refusal([](auto& c) { c.scale = -0.125F; }) == "");
  CHECK(refusal([](auto& c) { c.scale = 0; }) == "");
  CHECK(refusal([](auto& c) { c.scale = NAN; }) ==
        "scale is nan: it must be a finite number, also times log2(e)");
  CHECK(refusal([](auto& c) { c.scale = -INFINITY; }) ==
        "scale is -inf: it must be a finite number, also times log2(e)");
  CHECK(refusal([](auto& c) { c.scale = 3e38F; }) ==
        "scale is 3e+38: it must be a finite number, also times log2(e)");
  CHECK(refusal([](auto& c) { c.algorithm = static_cast<Algorithm>(5); }) ==
        "algorithm is 5: it must be 0 (automatic), 1 (standard), 2 (fa1), 3 (fa2) or 4 (split_kv)");
  CHECK(refusal([](auto& c) { c.q_tile = -1; }) == "q_tile is -1: use 0 to leave it open");
  CHECK(refusal([](auto& c) { c.kv_tile = -64; }) == "kv_tile is -64: use 0 to leave it open");
  CHECK(refusal([](auto& c) { c.splits = 129; }) ==
        "splits is 129: it must be between 1 and 128, or 0 to leave it open");
  CHECK(refusal([](auto& c) { c.splits = -1; }) ==
        "splits is -1: it must be between 1 and 128, or 0 to leave it open");
  CHECK(refusal([](auto& c) { c.splits = 2, c.algorithm = Algorithm::fa2; }) ==
        "splits is 2: fa2 does not split the keys; split_kv does");
  CHECK(refusal([](auto& c) { c.splits = 1, c.algorithm = Algorithm::fa2; }) == "");
}

TEST_CASE("pointers") {
  CHECK(refusal([](auto& c) { c.q = nullptr; }) == "q is a null pointer");
  CHECK(refusal([](auto& c) { c.k = nullptr; }) == "k is a null pointer");
  CHECK(refusal([](auto& c) { c.v = nullptr; }) == "v is a null pointer");
  CHECK(refusal([](auto& c) { c.o = nullptr; }) == "o is a null pointer");
  CHECK(refusal([](auto& c) { c.v = address(0x30008); }) ==
        "v is at 0x30008: it must be aligned to 16 bytes");
  CHECK(refusal([](auto& c) { c.lse = static_cast<float*>(address(0x50002)); }) ==
        "lse is at 0x50002: it must be aligned to 4 bytes");
  CHECK(refusal([](auto& c) { c.lse = static_cast<float*>(address(0x50004)); }) == "");
}

TEST_CASE("tensors without elements need neither pointers nor strides") {
  AttentionCall call = sample_call({.kv_len = 0});
  call.k = call.v = nullptr;
  call.k_stride = call.v_stride = {-1, 3, kHuge};
  CHECK(refusal_of(call) == "");
  for (const bool no_batch : {false, true}) {
    call = sample_call();
    (no_batch ? call.batch : call.q_len) = 0;
    call.q = call.k = call.v = call.o = nullptr;
    call.q_stride = call.k_stride = call.v_stride = call.o_stride = {-1, 3, kHuge};
    CHECK(refusal_of(call) == "");
    CHECK(is_empty(call));
  }
}

TEST_CASE("strides") {
  CHECK(refusal([](auto& c) { c.q_stride.row = -64; }) ==
        "q_stride of the row is -64: negative strides are not supported");
  CHECK(refusal([](auto& c) { c.k_stride.head += 4; }) ==
        "k_stride of the head is 32004: it must be a multiple of 8 elements, which are read 16 "
        "bytes at a time");
  CHECK(refusal([](auto& c) { c.v_stride.batch = kHuge - 7; }) ==
        "v_stride of the batch is 9223372036854775800: the tensor's end is beyond 2^63 bytes");
  CHECK(refusal([](auto& c) { c.q_stride.row = std::int64_t{1} << 60; }) ==
        "q_stride of the row is 1152921504606846976: the tensor's end is beyond 2^63 bytes");
  // One row, one head, all batches for all: fine to read, not to write.
  CHECK(refusal([](auto& c) { c.q_stride = c.k_stride = c.v_stride = {0, 0, 0}; }) == "");
  CHECK(refusal([](auto& c) { c.o_stride.head = 0; }) ==
        "o_stride of the head is 0: elements of o overlap, which needs at least 64");
  CHECK(refusal([](auto& c) { c.o_stride.row = 56; }) ==
        "o_stride of the row is 56: elements of o overlap, which needs at least 64");
  CHECK(refusal([](auto& c) { c.o_stride.head -= 8; }) ==
        "o_stride of the head is 19192: elements of o overlap, which needs at least 19200");

  AttentionCall single =
      sample_call({.batch = 1, .q_heads = 1, .kv_heads = 1, .q_len = 1, .kv_len = 1});
  single.q_stride = single.k_stride = single.v_stride = single.o_stride = {-1, 0, 3};
  CHECK(refusal_of(single) == "");  // no stride of a dimension of length 1 is used
}

TEST_CASE("the layouts that frameworks use are accepted") {
  const Sizes s{.q_heads = 8, .kv_heads = 8, .q_len = 300, .kv_len = 300};
  AttentionCall call = sample_call(s);
  // (batch, row, head, head_dim)
  const Strides bshd = {s.q_len * s.q_heads * s.head_dim, s.head_dim, s.q_heads * s.head_dim};
  call.q_stride = call.k_stride = call.v_stride = call.o_stride = bshd;
  CHECK(refusal_of(call) == "");
  // Views into one (batch, row, 3, head, head_dim) tensor.
  const Strides packed = {3 * bshd.batch, s.head_dim, 3 * bshd.row};
  call.q_stride = call.k_stride = call.v_stride = packed;
  CHECK(refusal_of(call) == "");
}

// o's check against a list of all its elements: what is accepted never overlaps, and every order of
// dimensions, with or without gaps, is accepted.
TEST_CASE("o's elements never overlap in an accepted call") {
  const auto seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::int64_t{std::uniform_int_distribution<int>(low, high)(random)};
  };
  int accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    AttentionCall call = sample_call({number(1, 3), number(1, 3), 1, number(1, 4), 1, 32});
    const std::array<std::int64_t, 3> lengths = {call.batch, call.q_heads, call.q_len};
    const bool nested = round % 2 == 0;
    std::array<std::int64_t, 3> strides = {};
    if (nested) {
      std::array<std::size_t, 3> order = {0, 1, 2};
      std::ranges::shuffle(order, random);
      std::int64_t extent = 32;
      for (const std::size_t d : order) {
        strides[d] = extent + 8 * number(0, 2);
        extent = strides[d] * lengths[d];
      }
    } else {
      for (auto& stride : strides) stride = 8 * number(0, 30);
    }
    call.o_stride = {strides[0], strides[1], strides[2]};
    std::multiset<std::int64_t> elements;
    for (std::int64_t b = 0; b < lengths[0]; ++b) {
      for (std::int64_t h = 0; h < lengths[1]; ++h) {
        for (std::int64_t r = 0; r < lengths[2]; ++r) {
          for (std::int64_t d = 0; d < 32; ++d) {
            elements.insert(b * strides[0] + h * strides[1] + r * strides[2] + d);
          }
        }
      }
    }
    const bool overlaps =
        std::set<std::int64_t>(elements.begin(), elements.end()).size() != elements.size();
    const bool is_accepted = refusal_of(call).empty();
    accepted += is_accepted ? 1 : 0;
    INFO("lengths ", lengths[0], " ", lengths[1], " ", lengths[2], ", strides ", strides[0], " ",
         strides[1], " ", strides[2]);
    if (is_accepted) CHECK_FALSE(overlaps);
    if (nested) CHECK(is_accepted);
  }
  CHECK(accepted > 1000);
}
