// A written file is complete, or the old one is as it was and nothing is left beside it.
#include "sim/io/write_file.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "tests/io/io_test_support.h"

using namespace flashscope::io;

namespace {

// Lets files grow to `bytes` only: writing further fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

std::string write_error(const std::string& path, const std::string& text = "new") {
  return error_of([&] { write_text(path, text); });
}

}  // namespace

TEST_CASE("writing creates and replaces files, with the permissions of the umask") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.txt";
  write_text(path, "old");
  const mode_t old_mask = ::umask(027);
  write_text(path, "new");
  ::umask(old_mask);
  CHECK(file_content(path) == "new");
  CHECK(folder.file_count() == 1);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("a name without a folder is written to the current one") {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_text("here.txt", "here");
  std::filesystem::current_path(before);
  CHECK(file_content(folder / "here.txt") == "here");
}

TEST_CASE("a failed write leaves the old file, removes the temporary and says why") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.txt";
  write_text(path, "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = write_error(path, std::string(5000, 'x'));
  }
  CHECK(contains(message, "out.txt: can't be written (File too large)"));
  CHECK(file_content(path) == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("without commit nothing is written") {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "out.txt");
    file.write("half of it");
  }
  CHECK(folder.file_count() == 0);
}

TEST_CASE("a symbolic link is followed, not replaced") {
  const TemporaryFolder folder;
  write_text(folder / "target.txt", "old");
  std::filesystem::create_symlink("target.txt", folder / "link.txt");
  write_text(folder / "link.txt", "new");
  CHECK(std::filesystem::is_symlink(folder / "link.txt"));
  CHECK(file_content(folder / "target.txt") == "new");
}

TEST_CASE("places that can't be written to are refused with the reason") {
  const TemporaryFolder folder;
  CHECK(contains(write_error(folder.path()), "is a directory"));
  CHECK(contains(write_error(folder / "no/such.txt"), "no does not exist; create it first"));
  CHECK(contains(write_error("/dev/null"), "/dev/null: is a pipe or device"));
  CHECK(contains(write_error(""), "is not the name of a file"));
  write_text(folder / "file", "");
  CHECK(contains(write_error(folder / "file/x"), "file does not exist"));
  CHECK(contains(write_error(folder / std::string(300, 'n')), "File name too long"));
}

TEST_CASE("a folder without write permission is refused") {
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0555);
  // The superuser may write anywhere, so the test steps down meanwhile.
  const bool superuser = ::geteuid() == 0;
  if (superuser) REQUIRE(::seteuid(65534) == 0);
  const std::string message = write_error(folder / "out.txt");
  if (superuser) REQUIRE(::seteuid(0) == 0);
  ::chmod(folder.path().c_str(), 0755);
  CHECK(contains(message, "out.txt: can't be written (Permission denied)"));
  CHECK(folder.file_count() == 0);
}
