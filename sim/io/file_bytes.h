// The bytes of a whole file, mapped into memory so that a large input costs no copy. Left out:
// pipes and devices (an array is looked at more than once), and a guard against another program
// that shortens the file meanwhile, which ends this one with SIGBUS as for any mapped file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace flashscope::io {

struct FileBytes {
  std::shared_ptr<const std::byte> data;  // not aligned to anything; copies share the mapping
  std::size_t size_bytes = 0;
  std::string name;  // for messages: printable, the path or "path:member"

  std::span<const std::byte> span() const { return {data.get(), size_bytes}; }
};

// Maps a regular file that is not empty. Throws Error when it is missing, unreadable, empty, or a
// directory, pipe or device.
FileBytes map_file(const std::string& path);

}  // namespace flashscope::io
