// Which files can be mapped, and what is said about those that can't.
#include "sim/io/file_bytes.h"

#include <sys/stat.h>

#include <doctest/doctest.h>

#include "sim/io/write_file.h"
#include "tests/io/io_test_support.h"

using namespace flashscope::io;

TEST_CASE("a mapped file outlives its name and its replacement") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.bin";
  write_text(path, "first");
  const FileBytes file = map_file(path);
  write_text(path, "second");
  std::filesystem::remove(path);
  REQUIRE(file.size_bytes == 5);
  CHECK(std::memcmp(file.data.get(), "first", 5) == 0);
}

TEST_CASE("what is not a regular file with something in it is refused with the reason") {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) { return error_of([&] { map_file(path); }); };
  CHECK(contains(message(folder / "missing.npy"), "missing.npy: can't be opened (No such file"));
  CHECK(contains(message(folder.path()), "is a directory"));
  CHECK(contains(message("/dev/zero"), "/dev/zero: is a pipe or device"));
  write_text(folder / "empty.npy", "");
  CHECK(contains(message(folder / "empty.npy"), "empty.npy: is empty"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(contains(message(folder / "pipe"), "is a pipe or device"));
  CHECK(contains(message(folder / "new\nline"), "new\\x0aline"));
}

TEST_CASE("a file without read permission is refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "secret.npy";
  write_text(path, "x");
  ::chmod(path.c_str(), 0);
  ::chmod(folder.path().c_str(), 0755);
  // The superuser may read anything, so the test steps down meanwhile.
  const bool superuser = ::geteuid() == 0;
  if (superuser) REQUIRE(::seteuid(65534) == 0);
  const std::string message = error_of([&] { map_file(path); });
  if (superuser) REQUIRE(::seteuid(0) == 0);
  CHECK(contains(message, "secret.npy: can't be opened (Permission denied)"));
}
