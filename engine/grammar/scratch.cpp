#include "grammar/scratch.hpp"

#include <cerrno>
#include <cstring>

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace isogloss::grammar {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 17;

/// A file without a name, or null where the system or the file system has no such thing.
std::FILE* open_nameless([[maybe_unused]] const std::string& folder) {
#if defined(O_TMPFILE)
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return nullptr;
  if (std::FILE* file = ::fdopen(descriptor, "w+b")) return file;
  ::close(descriptor);
#endif
  return nullptr;
}

}  // namespace

ScratchError::ScratchError(int error_code, std::string file)
    : std::runtime_error(std::strerror(error_code)), code(error_code), path(std::move(file)) {}

ScratchFile::ScratchFile(const std::string& folder, const std::string& name)
    : path_(folder + "/" + name), buffer_(new char[kBuffer]), file_(open_nameless(folder)) {
  if (!file_) {
    file_.reset(std::fopen(path_.c_str(), "w+b"));
    if (!file_) fail();
    named_ = std::remove(path_.c_str()) != 0;  // some systems keep the name of an open file
  }
  std::setvbuf(file_.get(), buffer_.get(), _IOFBF, kBuffer);
}

ScratchFile::ScratchFile(const std::string& path, Named how)
    : path_(path),
      buffer_(new char[kBuffer]),
      file_(std::fopen(path.c_str(), how == Named::read ? "rb" : "wb")) {
  if (!file_) fail();
  std::setvbuf(file_.get(), buffer_.get(), _IOFBF, kBuffer);
}

ScratchFile::~ScratchFile() {
  if (!file_) return;
  file_.reset();
  if (named_) std::remove(path_.c_str());
}

void ScratchFile::rewind() {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) fail();
}

void ScratchFile::close() {
  if (std::fclose(file_.release()) != 0) fail();
}

std::size_t ScratchFile::read(void* data, std::size_t size) {
  const std::size_t got = std::fread(data, 1, size, file_.get());
  if (got < size && std::ferror(file_.get())) fail();
  return got;
}

void ScratchFile::fail() const { throw ScratchError(errno == 0 ? EIO : errno, path_); }

ScratchReader::ScratchReader(ScratchFile file, std::size_t buffer_size)
    : file_(std::move(file)), buffer_(buffer_size) {
  file_.rewind();
}

bool ScratchReader::refill(std::size_t size) {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (size > buffer_.size()) buffer_.resize(size);
  end_ += file_.read(buffer_.data() + end_, buffer_.size() - end_);
  return end_ >= size;
}

}  // namespace isogloss::grammar
