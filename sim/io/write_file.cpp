// AtomicFile with POSIX calls: the standard library can neither create a file exclusively with the
// permissions of the umask nor flush one to disk.
#include "sim/io/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& name, int error_number) {
  throw Error(fmt::format("{}: can't be written ({}); nothing was changed there", name,
                          std::strerror(error_number)));
}

// The path to replace: behind symbolic links, and surely not a directory or device.
fs::path resolve_target(const std::string& path, const std::string& name) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    throw Error(fmt::format("{}: is a directory; name a file in it", name));
  }
  if (fs::is_regular_file(status)) return fs::canonical(path);
  if (fs::exists(status)) {
    throw Error(fmt::format("{}: is a pipe or device; name an ordinary file", name));
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    throw Error(fmt::format("{}: the folder {} does not exist; create it first", name,
                            printable(folder.string())));
  }
  return path;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : name_(printable(path)) {
  const fs::path target = resolve_target(path, name_);
  if (!target.has_filename()) throw Error(fmt::format("'{}': is not the name of a file", name_));
  target_ = target.string();
  // Not mkstemp: its files are readable by their owner only, whatever the umask says.
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    const auto file_name = fmt::format(".flashscope-{}-{}.tmp", ::getpid(), attempt);
    const std::string candidate = (target.parent_path() / file_name).string();
    descriptor_ = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) temporary_ = candidate;
    if (descriptor_ < 0 && errno != EEXIST) fail(name_, errno);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(name_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  // Data first, name second: after a power cut there is the old file or the whole new one.
  if (::fsync(descriptor_) != 0) fail(name_, errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(name_, errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(name_, errno);
  temporary_.clear();
}

void require_writable(const std::string& path) { const AtomicFile file(path); }

void write_text(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace flashscope::io
