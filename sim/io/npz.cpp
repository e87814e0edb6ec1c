// Members of .npz archives through libzip.
#include "sim/io/npz.h"

#include <algorithm>
#include <memory>
#include <new>
#include <span>

#include <fmt/format.h>
#include <zip.h>

#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/io/npy.h"
#include "sim/io/npy_header.h"

namespace flashscope::io {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr zip_uint64_t kMaxDeflateRatio = 1032;  // 258 bytes from 2 bits (zlib's technical notes)

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using MemberStream = std::unique_ptr<zip_file_t, CloseMember>;

// The archive reads from `file`, which must outlive it.
Archive open_archive(const FileBytes& file) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(file.data.get(), file.size_bytes, 0, &error);
  zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (!archive) {
    zip_source_free(source);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw Error(fmt::format("{}: can't be read as an npz archive ({}); save it again with np.savez",
                            file.name, reason));
  }
  zip_error_fini(&error);
  return Archive(archive);
}

std::vector<std::string> file_names(zip_t* archive) {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    names.emplace_back(name ? name : "");
  }
  return names;
}

std::vector<std::string> member_names(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  }
  return names;
}

zip_uint64_t find_member(zip_t* archive, const std::string& member, const std::string& file_name) {
  const std::vector<std::string> names = file_names(archive);
  for (const std::string& wanted : {member, member + std::string(kSuffix)}) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end()) continue;
    if (std::find(found + 1, names.end(), wanted) != names.end()) {
      throw Error(fmt::format("{}: holds {} twice; save it again with np.savez", file_name,
                              quoted_name(wanted)));
    }
    return static_cast<zip_uint64_t>(found - names.begin());
  }
  throw Error(fmt::format("{}: member {} not found; the archive has: {}", file_name,
                          quoted_name(member), name_list(member_names(names))));
}

// Size after unpacking, once it is sure that the member can be unpacked and may be of that size.
std::size_t unpacked_bytes(zip_t* archive, zip_uint64_t index, const FileBytes& file,
                           const std::string& name) {
  zip_stat_t status;
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & kNeeded) != kNeeded) {
    throw Error(fmt::format("{}: the zip directory does not describe it; save it again", name));
  }
  if (status.encryption_method != ZIP_EM_NONE) {
    throw Error(fmt::format("{}: is encrypted; save it without a password", name));
  }
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
    throw Error(fmt::format("{}: zip compression method {} is not read; save it with np.savez",
                            name, status.comp_method));
  }
  if (status.size / kMaxDeflateRatio > file.size_bytes) {
    throw Error(fmt::format("{}: claims {} bytes, more than an archive of {} bytes can hold", name,
                            status.size, file.size_bytes));
  }
  return static_cast<std::size_t>(status.size);
}

std::shared_ptr<std::byte> allocate(std::size_t size_bytes, const std::string& name) {
  try {
    return {new std::byte[size_bytes], std::default_delete<std::byte[]>()};
  } catch (const std::bad_alloc&) {
    throw Error(
        fmt::format("{}: unpacks to {} bytes, more than there is memory", name, size_bytes));
  }
}

void read_exactly(zip_file_t* stream, std::span<std::byte> target, const std::string& name) {
  while (!target.empty()) {
    const zip_int64_t count = zip_fread(stream, target.data(), target.size());
    if (count <= 0) {
      throw Error(fmt::format("{}: damaged ({}); save it again", name,
                              count < 0 ? zip_file_strerror(stream) : "it ends early"));
    }
    target = target.subspan(static_cast<std::size_t>(count));
  }
}

// libzip compares the checksum when it meets the end, not before.
void expect_end(zip_file_t* stream, const std::string& name) {
  std::byte extra{};
  const zip_int64_t count = zip_fread(stream, &extra, 1);
  if (count == 0) return;
  throw Error(fmt::format("{}: damaged ({}); save it again", name,
                          count < 0 ? zip_file_strerror(stream) : "it is longer than declared"));
}

}  // namespace

Array read_npz_member(const std::string& path, const std::string& member) {
  return parse_npz_member(map_file(path), member);
}

Array parse_npz_member(const FileBytes& file, const std::string& member) {
  const Archive archive = open_archive(file);
  const zip_uint64_t index = find_member(archive.get(), member, file.name);
  const std::string name = fmt::format("{}:{}", file.name, printable(member));
  const std::size_t size_bytes = unpacked_bytes(archive.get(), index, file, name);
  const MemberStream stream(zip_fopen_index(archive.get(), index, 0));
  if (!stream) {
    throw Error(fmt::format("{}: can't be unpacked ({}); save it again", name,
                            zip_strerror(archive.get())));
  }

  // The header first: what it declares must agree with the zip directory before the rest is
  // unpacked.
  std::vector<std::byte> start(std::min(size_bytes, kMaxNpyPreambleBytes));
  read_exactly(stream.get(), start, name);
  check_npy_size(parse_npy_header(start, name), static_cast<std::int64_t>(size_bytes), name);
  const std::shared_ptr<std::byte> bytes = allocate(size_bytes, name);
  std::copy(start.begin(), start.end(), bytes.get());
  read_exactly(stream.get(), std::span(bytes.get(), size_bytes).subspan(start.size()), name);
  expect_end(stream.get(), name);
  return parse_npy({bytes, size_bytes, name});
}

std::vector<std::string> npz_members(const std::string& path) {
  const FileBytes file = map_file(path);
  return member_names(file_names(open_archive(file).get()));
}

}  // namespace flashscope::io
