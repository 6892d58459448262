// JavaScript arguments as plain C++ values. A wrong one is recorded, not thrown: a call reads all its arguments and
// checks once.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "binding/arguments/handle.h"
#include "binding/node_api.h"
#include "firn/dtype.h"
#include "firn/sketch.h"

namespace firn::binding {

// Memory of a typed array. `data` is null only for an argument that was left out.
template <class T>
struct Input {
  const T* data = nullptr;
  size_t count = 0;
};
using InputBytes = Input<uint8_t>;

// Memory of a Uint8Array that a job writes to; `data` is null if it was left out.
struct Output {
  uint8_t* data = nullptr;
  size_t count = 0;
};

class Arguments {
 public:
  explicit Arguments(const Napi::CallbackInfo& info) : info_(info), env_(info.Env()) {}

  napi_env env() const { return env_; }
  size_t count() const { return info_.Length(); }
  bool ok() const { return wrong_ < 0; }
  // Leaves a TypeError naming the first wrong argument pending; returns an empty value.
  napi_value throw_type_error() const;
  // The arrays whose memory jobs use.
  std::span<const napi_value> pins() const { return pins_; }

  InputBytes bytes(size_t index);           // Uint8Array
  InputBytes optional_bytes(size_t index);  // Uint8Array or undefined
  Output optional_output(size_t index);     // Uint8Array or undefined
  Input<uint16_t> words(size_t index);      // Uint16Array
  Input<uint32_t> numbers(size_t index);    // Uint32Array
  Input<float> floats(size_t index);        // Float32Array
  Input<float> optional_floats(size_t index);
  Input<uint32_t> uint32s(size_t index);  // Uint32Array
  Input<int32_t> int32s(size_t index);    // Int32Array
  Input<int32_t> optional_int32s(size_t index);
  // A copy, for small arrays that a job stores.
  std::vector<int32_t> int32_copy(size_t index);  // Int32Array
  std::vector<int32_t> optional_int32_copy(size_t index);
  std::vector<uint32_t> uint32_copy(size_t index);  // Uint32Array
  Sketch* sketch(size_t index);                     // BigUint64Array of kSketchWords entries
  double number(size_t index);
  // A whole number in [minimum, maximum].
  int64_t integer(size_t index, int64_t minimum, int64_t maximum);
  uint64_t bigint(size_t index);
  // A member of an enum whose values are 0..count-1.
  template <class Enum>
  Enum member(size_t index, int64_t count) {
    return static_cast<Enum>(integer(index, 0, count - 1));
  }
  Dtype dtype(size_t index) { return member<Dtype>(index, 3); }
  // Null for anything but a handle of this type.
  template <class T>
  std::shared_ptr<T> handle(size_t index) {
    std::shared_ptr<T> pointer = open_handle<T>(env_, info_[index]);
    if (!pointer) wrong(index);
    return pointer;
  }
  // Lets go of a handle of this type; false, and remembered as wrong, for anything else.
  template <class T>
  bool release(size_t index) {
    if (release_handle<T>(env_, info_[index])) return true;
    wrong(index);
    return false;
  }
  // UTF-8, without a terminator.
  std::string text(size_t index);

 private:
  bool left_out(size_t index) const;
  void wrong(size_t index) {
    if (wrong_ < 0) wrong_ = static_cast<int>(index);
  }
  // Memory of a typed array, not pinned.
  template <class T>
  Input<T> peek(size_t index, napi_typedarray_type type);
  template <class T>
  Input<T> array(size_t index, napi_typedarray_type type);

  const Napi::CallbackInfo& info_;
  napi_env env_;
  int wrong_ = -1;
  std::vector<napi_value> pins_;
};

}  // namespace firn::binding
