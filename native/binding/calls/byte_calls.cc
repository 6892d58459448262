#include <fcntl.h>

#include <cerrno>
#include <string>

#include "binding/calls/calls.h"
#include "binding/engine/mapped_file.h"
#include "binding/results.h"
#include "firn/checksum.h"

namespace firn::binding {
namespace {

// A hint, which the system may ignore.
class ForgetFile final : public Job {
 public:
  explicit ForgetFile(int descriptor) : descriptor_(descriptor) {}

 private:
  Status execute() override {
#ifdef POSIX_FADV_DONTNEED
    posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
#endif
    return Status::ok;
  }
  int descriptor_;
};

}  // namespace

napi_value crc32c_call(Arguments& args) {
  const InputBytes bytes = args.bytes(0);
  const auto seed = static_cast<uint32_t>(args.integer(1, 0, UINT32_MAX));
  if (!args.ok()) return args.throw_type_error();
  napi_value value;
  return napi_create_uint32(args.env(), crc32c(bytes.data, bytes.count, seed), &value) == napi_ok ? value : nullptr;
}

napi_value forget_file(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const auto descriptor = static_cast<int>(args.integer(1, 0, INT32_MAX));
  return start(args, engine, std::make_unique<ForgetFile>(descriptor));
}

// Returns the ArrayBuffer, or the errno of the system call that failed.
napi_value map_file(Arguments& args) {
  const auto engine = args.handle<Engine>(0);
  const std::string path = args.text(1);
  if (!args.ok()) return args.throw_type_error();
  const napi_env env = args.env();
  std::shared_ptr<MappedFile> file;
  if (const int error = MappedFile::open(path, &file)) return status_value(env, error);
  if (!file) {
    napi_value empty;
    return napi_create_arraybuffer(env, 0, nullptr, &empty) == napi_ok ? empty : nullptr;
  }
  if (const napi_value buffer = engine->borrow(std::move(file))) return buffer;
  // The runtime may limit the size of buffers, or not allow buffers over foreign memory.
  napi_value ignored;
  napi_get_and_clear_last_exception(env, &ignored);
  return status_value(env, EFBIG);
}

}  // namespace firn::binding
