#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace isogloss::grammar {

/// A scratch file could not be made, written or read; `code` is the system's error number.
struct ScratchError : std::runtime_error {
  ScratchError(int error_code, std::string file);

  int code;
  std::string path;
};

/// A file of intermediate results: written from front to back, then read likewise. Where the system allows
/// it, it has no name, so that not even a killed program leaves it behind.
class ScratchFile {
 public:
  ScratchFile(const std::string& folder, const std::string& name);
  /// Opens a file that has a name and keeps it: to read what another process has written, or to write it.
  enum class Named { read, write };
  ScratchFile(const std::string& path, Named how);
  ScratchFile(ScratchFile&& other) noexcept = default;
  ScratchFile& operator=(ScratchFile&& other) noexcept = default;
  ~ScratchFile();

  void write(const void* data, std::size_t size) {
    if (size > 0 && std::fwrite(data, 1, size, file_.get()) != size) fail();
    size_ += size;
  }

  /// Ends writing; reading begins at the front.
  void rewind();

  /// Ends writing a file with a name; throws if not all of it could be written.
  void close();

  /// Fewer bytes than asked for only at the end.
  std::size_t read(void* data, std::size_t size);

  std::uint64_t size() const { return size_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void fail() const;

  std::string path_;
  bool named_ = false;
  std::unique_ptr<char[]> buffer_;  // outlives the file that writes through it
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
};

/// Reads a scratch file piece by piece: `fetch(n)` gives the next n bytes, valid until the next call.
class ScratchReader {
 public:
  explicit ScratchReader(ScratchFile file, std::size_t buffer_size = std::size_t{1} << 18);

  /// Null at the end of the file.
  const std::uint8_t* fetch(std::size_t size) {
    if (end_ - begin_ < size && !refill(size)) return nullptr;
    const std::uint8_t* data = buffer_.data() + begin_;
    begin_ += size;
    return data;
  }

 private:
  bool refill(std::size_t size);

  ScratchFile file_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

/// The folder where scratch files go. Many threads may ask for new files.
class ScratchSpace {
 public:
  explicit ScratchSpace(std::string folder) : folder_(std::move(folder)) {}

  ScratchFile new_file() { return ScratchFile(folder_, "run-" + std::to_string(next_.fetch_add(1))); }

 private:
  std::string folder_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace isogloss::grammar
