#include "binding/engine/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace firn::binding {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

int MappedFile::open(const std::string& path, std::shared_ptr<MappedFile>* file) {
  // Without blocking, so that a named pipe is refused below instead of waited for.
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (descriptor.number() < 0 || fstat(descriptor.number(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EINVAL;
  if (info.st_size == 0) return 0;
  const auto size = static_cast<size_t>(info.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (data == MAP_FAILED) return errno;
  file->reset(new MappedFile(data, size));
  return 0;
}

MappedFile::~MappedFile() { munmap(data_, size_); }

}  // namespace firn::binding
