#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "calls.h"
#include "firn/checksum.h"
#include "results.h"

namespace firn::binding {
namespace {

struct Mapped {
  void* data = nullptr;
  size_t size = 0;
  int error = 0;  // errno, or 0
};

// An empty file is mapped nowhere: data stays null.
Mapped map_open_file(int file) {
  struct stat info;
  if (fstat(file, &info) != 0) return {.error = errno};
  if (S_ISDIR(info.st_mode)) return {.error = EISDIR};
  if (!S_ISREG(info.st_mode)) return {.error = EINVAL};
  if (info.st_size == 0) return {};
  const auto size = static_cast<size_t>(info.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) return {.error = errno};
  return {.data = data, .size = size};
}

void unmap(void* data, size_t size) { munmap(data, size); }

}  // namespace

napi_value crc32c_call(Arguments& args) {
  const InputBytes bytes = args.bytes(0);
  const auto seed = static_cast<uint32_t>(args.integer(1, 0, UINT32_MAX));
  if (!args.ok()) return args.throw_type_error();
  napi_value value;
  return napi_create_uint32(args.env(), crc32c(bytes.data, bytes.count, seed), &value) == napi_ok ? value : nullptr;
}

// Returns the ArrayBuffer, or the errno of the system call that failed.
napi_value map_file(Arguments& args) {
  const std::string path = args.text(0);
  if (!args.ok()) return args.throw_type_error();
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return status_value(args.env(), errno);
  const Mapped mapped = map_open_file(file);
  close(file);
  if (mapped.error != 0) return status_value(args.env(), mapped.error);
  if (!mapped.data) {
    napi_value empty;
    return napi_create_arraybuffer(args.env(), 0, nullptr, &empty) == napi_ok ? empty : nullptr;
  }
  if (const napi_value buffer = external_array_buffer(args.env(), mapped.data, mapped.size, unmap)) return buffer;
  // The runtime has a largest buffer of its own.
  napi_value ignored;
  napi_get_and_clear_last_exception(args.env(), &ignored);
  return status_value(args.env(), EFBIG);
}

}  // namespace firn::binding
