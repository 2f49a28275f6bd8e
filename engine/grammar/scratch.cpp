#include "grammar/scratch.hpp"

#include <cerrno>
#include <cstring>

namespace isogloss::grammar {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 17;

}  // namespace

ScratchError::ScratchError(int error_code, std::string file)
    : std::runtime_error(std::strerror(error_code)), code(error_code), path(std::move(file)) {}

ScratchFile::ScratchFile(const std::string& path)
    : path_(path), buffer_(new char[kBuffer]), file_(std::fopen(path.c_str(), "w+b")) {
  if (!file_) fail();
  std::setvbuf(file_.get(), buffer_.get(), _IOFBF, kBuffer);
  std::remove(path.c_str());  // fails on systems that keep open files; the destructor tries again
}

ScratchFile::~ScratchFile() {
  if (!file_) return;
  file_.reset();
  std::remove(path_.c_str());
}

void ScratchFile::rewind() {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) fail();
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
