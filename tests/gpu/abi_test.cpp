// The C ABI: its layout, its errors, and that nothing thrown at it makes it crash.
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "abi_in_c.h"
#include "gpu/launch/flashscope_gpu.h"
#include "sample_call.h"

using namespace flashscope::gpu;

namespace {

constexpr std::uint32_t kFirstBytes = 232;  // without the workspace

// As sample_call(), for a struct.
flashscope_attention sample_struct() {
  const AttentionCall call = sample_call();
  flashscope_attention a = {};
  a.struct_bytes = sizeof a;
  a.q = call.q;
  a.k = call.k;
  a.v = call.v;
  a.o = call.o;
  a.batch = call.batch;
  a.q_heads = call.q_heads;
  a.kv_heads = call.kv_heads;
  a.q_len = call.q_len;
  a.kv_len = call.kv_len;
  a.head_dim = call.head_dim;
  const auto set = [](std::int64_t(&to)[3], const Strides& from) {
    to[0] = from.batch;
    to[1] = from.head;
    to[2] = from.row;
  };
  set(a.q_stride, call.q_stride);
  set(a.k_stride, call.k_stride);
  set(a.v_stride, call.v_stride);
  set(a.o_stride, call.o_stride);
  a.scale = call.scale;
  a.window_left = a.window_right = -1;
  return a;
}

// The code and the line of flashscope_attention_workspace_bytes(), which follows no pointer.
std::pair<int, std::string> workspace_answer(const flashscope_attention& a) {
  std::uint64_t bytes = 0;
  char error[512] = "untouched";
  const int code = flashscope_attention_workspace_bytes(&a, &bytes, error, sizeof error);
  return {code, error};
}

}  // namespace

// Programs in other languages write this struct out by hand (gpu/measure does): it never changes
// but at its end.
TEST_CASE("the struct's layout") {
  constexpr std::array<abi_field, ABI_FIELD_COUNT> kFields = {{
      {"struct_bytes", 0, 4},
      {"dtype", 4, 4},
      {"q", 8, 8},
      {"k", 16, 8},
      {"v", 24, 8},
      {"o", 32, 8},
      {"lse", 40, 8},
      {"batch", 48, 8},
      {"q_heads", 56, 8},
      {"kv_heads", 64, 8},
      {"q_len", 72, 8},
      {"kv_len", 80, 8},
      {"head_dim", 88, 8},
      {"q_stride", 96, 24},
      {"k_stride", 120, 24},
      {"v_stride", 144, 24},
      {"o_stride", 168, 24},
      {"scale", 192, 4},
      {"causal", 196, 4},
      {"window_left", 200, 4},
      {"window_right", 204, 4},
      {"algorithm", 208, 4},
      {"q_tile", 212, 4},
      {"kv_tile", 216, 4},
      {"splits", 220, 4},
      {"stream", 224, 8},
      {"workspace", 232, 8},
      {"workspace_bytes", 240, 8},
  }};
  CHECK(sizeof(flashscope_attention) == 248);
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    CAPTURE(kFields[i].name);
    CHECK(std::string(abi_fields_in_c[i].name) == kFields[i].name);
    CHECK(abi_fields_in_c[i].offset == kFields[i].offset);
    CHECK(abi_fields_in_c[i].size == kFields[i].size);
  }
}

TEST_CASE("C calls it") {
  char error[64] = "untouched";
  CHECK(abi_call_from_c(error, sizeof error) == FLASHSCOPE_OK);  // an empty batch
  CHECK(std::string(error).empty());
}

TEST_CASE("the enums are the C++ ones") {
  CHECK(FLASHSCOPE_AUTOMATIC == static_cast<int>(Algorithm::automatic));
  CHECK(FLASHSCOPE_STANDARD == static_cast<int>(Algorithm::standard));
  CHECK(FLASHSCOPE_FA1 == static_cast<int>(Algorithm::fa1));
  CHECK(FLASHSCOPE_FA2 == static_cast<int>(Algorithm::fa2));
  CHECK(FLASHSCOPE_SPLIT_KV == static_cast<int>(Algorithm::split_kv));
}

TEST_CASE("the version names the project's") {
  CHECK(std::string(flashscope_gpu_version()).starts_with("0."));
}

TEST_CASE("null pointers and wrong sizes are answered, not followed") {
  char error[512];
  std::uint64_t bytes = 0;
  CHECK(flashscope_attention_forward(nullptr, error, sizeof error) == FLASHSCOPE_BAD_CALL);
  CHECK(std::string(error) == "attention is a null pointer");
  CHECK(flashscope_attention_workspace_bytes(nullptr, &bytes, error, sizeof error) ==
        FLASHSCOPE_BAD_CALL);
  flashscope_attention a = sample_struct();
  CHECK(flashscope_attention_workspace_bytes(&a, nullptr, error, sizeof error) ==
        FLASHSCOPE_BAD_CALL);
  CHECK(std::string(error) == "bytes is a null pointer");
  CHECK(flashscope_attention_forward(nullptr, nullptr, 0) == FLASHSCOPE_BAD_CALL);
  CHECK(flashscope_attention_forward(nullptr, nullptr, 100) == FLASHSCOPE_BAD_CALL);
  CHECK(flashscope_attention_forward(nullptr, error, 0) == FLASHSCOPE_BAD_CALL);
  for (const std::uint32_t wrong : {0U, 4U, 231U, 233U, 240U, 249U, 0xFFFFFFFFU}) {
    a.struct_bytes = wrong;
    CHECK(flashscope_attention_forward(&a, error, sizeof error) == FLASHSCOPE_BAD_CALL);
    CHECK(std::string(error) ==
          "struct_bytes is " + std::to_string(wrong) +
              ": this library's struct has 248 bytes, or 232 without the workspace; set it to "
              "sizeof(struct flashscope_attention)");
  }
}

TEST_CASE("a message is cut off where the caller's buffer ends") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{10}}) {
    char error[16];
    std::memset(error, '#', sizeof error);
    CHECK(flashscope_attention_forward(nullptr, error, size) == FLASHSCOPE_BAD_CALL);
    CHECK(std::string(error) == std::string("attention is a null pointer").substr(0, size - 1));
    for (std::size_t i = size; i < sizeof error; ++i) CHECK(error[i] == '#');
  }
}

TEST_CASE("fields beyond struct_bytes are not read") {
  // In memory of exactly the shorter size: the address sanitizer would notice.
  std::array<char, kFirstBytes> memory = {};
  flashscope_attention a = sample_struct();
  a.struct_bytes = kFirstBytes;
  a.head_dim = 63;
  std::memcpy(memory.data(), &a, kFirstBytes);
  char error[512];
  CHECK(flashscope_attention_forward(reinterpret_cast<const flashscope_attention*>(memory.data()),
                                     error, sizeof error) == FLASHSCOPE_BAD_CALL);
  CHECK(std::string(error).starts_with("head_dim is 63: "));
}

TEST_CASE("fields reach the checks under their own names") {
  const auto message = [](auto change) {
    flashscope_attention a = sample_struct();
    change(a);
    const auto [code, text] = workspace_answer(a);
    CHECK(code == FLASHSCOPE_BAD_CALL);
    return text.substr(0, text.find(' '));
  };
  CHECK(message([](auto& a) { a.dtype = 2; }) == "dtype");
  CHECK(message([](auto& a) { a.q = address(0x10002); }) == "q");
  CHECK(message([](auto& a) { a.k = nullptr; }) == "k");
  CHECK(message([](auto& a) { a.v = nullptr; }) == "v");
  CHECK(message([](auto& a) { a.o = nullptr; }) == "o");
  CHECK(message([](auto& a) { a.lse = static_cast<float*>(address(1)); }) == "lse");
  CHECK(message([](auto& a) { a.batch = -1; }) == "batch");
  CHECK(message([](auto& a) { a.q_heads = 7; }) == "q_heads");
  CHECK(message([](auto& a) { a.kv_heads = -1; }) == "kv_heads");
  CHECK(message([](auto& a) { a.q_len = -1; }) == "q_len");
  CHECK(message([](auto& a) { a.kv_len = -1; }) == "kv_len");
  CHECK(message([](auto& a) { a.head_dim = 65; }) == "head_dim");
  for (int i = 0; i < 3; ++i) {
    CHECK(message([&](auto& a) { a.q_stride[i] = -8; }) == "q_stride");
    CHECK(message([&](auto& a) { a.k_stride[i] = -8; }) == "k_stride");
    CHECK(message([&](auto& a) { a.v_stride[i] = -8; }) == "v_stride");
    CHECK(message([&](auto& a) { a.o_stride[i] = 0; }) == "o_stride");
  }
  CHECK(message([](auto& a) { a.scale = 3.4e38F; }) == "scale");
  CHECK(message([](auto& a) { a.window_left = -2; }) == "window_left");
  CHECK(message([](auto& a) { a.window_right = -2; }) == "window_right");
  CHECK(message([](auto& a) { a.algorithm = 99; }) == "algorithm");
  CHECK(message([](auto& a) { a.q_tile = -1; }) == "q_tile");
  CHECK(message([](auto& a) { a.kv_tile = -1; }) == "kv_tile");
  CHECK(message([](auto& a) { a.splits = 1000; }) == "splits");
}

TEST_CASE("a right call: its workspace, or in one line why there is no device") {
  flashscope_attention a = sample_struct();
  a.algorithm = FLASHSCOPE_FA2;
  std::uint64_t bytes = 77;
  char error[512];
  const int code = flashscope_attention_workspace_bytes(&a, &bytes, error, sizeof error);
  if (has_device()) {
    CHECK(code == FLASHSCOPE_OK);
    CHECK(bytes == 0);
    CHECK(std::string(error).empty());
    return;
  }
  CHECK(code == FLASHSCOPE_DEVICE_ERROR);
  const std::string text = error;
  CHECK(text.size() > 10);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(flashscope_attention_forward(&a, error, sizeof error) == FLASHSCOPE_DEVICE_ERROR);
  CHECK(text == error);
}

TEST_CASE("random bytes never crash it") {
  const auto seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20000; ++round) {
    flashscope_attention a = {};
    if (round % 2 == 0) {  // all fields
      std::array<std::uint64_t, sizeof a / 8> words = {};
      // Small numbers get further than large ones.
      for (auto& word : words) word = random() >> (random() % 64);
      std::memcpy(&a, words.data(), sizeof a);
    } else {  // four bytes of a right call
      a = sample_struct();
      const auto value = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
      std::memcpy(reinterpret_cast<char*>(&a) + random() % (sizeof a / 4) * 4, &value, 4);
    }
    if (random() % 8 != 0) a.struct_bytes = random() % 2 == 0 ? sizeof a : kFirstBytes;
    const auto [code, text] = workspace_answer(a);
    CHECK((code >= FLASHSCOPE_OK && code <= FLASHSCOPE_DEVICE_ERROR));
    CHECK((code == FLASHSCOPE_OK) == text.empty());
    CHECK(text.find('\n') == std::string::npos);
    a.head_dim |= 1;  // wrong for sure: forward must not follow these pointers
    char error[64];
    CHECK(flashscope_attention_forward(&a, error, sizeof error) == FLASHSCOPE_BAD_CALL);
  }
}
