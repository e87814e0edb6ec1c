// Writing a file so that it is either complete or not touched: bytes go to a temporary file in the
// same folder, which takes the place of the old one only when all is on disk. Left out: pipes and
// devices such as /dev/stdout (they can't be replaced), and tidying up after a kill signal, which
// leaves a ".flashscope-*.tmp" behind.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace flashscope::io {

// All members throw Error with the reason; without commit() the destructor removes the temporary.
class AtomicFile {
 public:
  // A symbolic link is followed: the file it points to is the one replaced.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  // Flushes to disk and renames. The result has the permissions of any new file (umask).
  void commit();

 private:
  std::string name_;       // the path as given, for messages
  std::string target_;     // the path with symbolic links resolved
  std::string temporary_;  // empty once renamed
  int descriptor_ = -1;
};

// Throws what write_text() would throw, as far as that is known without writing: before long work
// whose result goes to this file.
void require_writable(const std::string& path);

void write_text(const std::string& path, std::string_view text);

}  // namespace flashscope::io
