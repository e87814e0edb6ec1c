// map_file() with POSIX calls: the standard library has no memory mapping.
#include "sim/io/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::io {
namespace {

struct Descriptor {
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  const int number_;
};

void require_regular(const struct stat& status, const std::string& name) {
  if (S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a directory; name a file", name));
  throw Error(fmt::format("{}: is a pipe or device; save its contents to a file first", name));
}

}  // namespace

FileBytes map_file(const std::string& path) {
  const std::string name = printable(path);
  // Without O_NONBLOCK, opening a pipe waits for somebody to write to it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number_ < 0) {
    throw Error(fmt::format("{}: can't be opened ({}); check the path and its permissions", name,
                            std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(file.number_, &status) != 0) {
    throw Error(fmt::format("{}: can't be examined ({})", name, std::strerror(errno)));
  }
  require_regular(status, name);
  if (status.st_size == 0) throw Error(fmt::format("{}: is empty; save it again", name));

  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, file.number_, 0);
  if (address == MAP_FAILED) {
    throw Error(fmt::format("{}: can't be mapped into memory ({})", name, std::strerror(errno)));
  }
  const auto unmap = [size_bytes](const std::byte* start) {
    ::munmap(const_cast<std::byte*>(start), size_bytes);
  };
  return {{static_cast<const std::byte*>(address), unmap}, size_bytes, name};
}

}  // namespace flashscope::io
