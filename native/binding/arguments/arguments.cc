#include "binding/arguments/arguments.h"

#include <string>

namespace firn::binding {
namespace {

template <class T>
std::vector<T> copied(Input<T> list) {
  return {list.data, list.data + list.count};
}

}  // namespace

napi_value Arguments::throw_type_error() const {
  const std::string message =
      "firn_core: argument " + std::to_string(wrong_ + 1) + " is of the wrong type or out of range";
  napi_throw_type_error(env_, nullptr, message.c_str());
  return nullptr;
}

template <class T>
Input<T> Arguments::peek(size_t index, napi_typedarray_type type) {
  // Empty arrays may have no memory; the core still tells "empty" from "absent" by the pointer.
  static constexpr T kEmpty{};
  napi_typedarray_type actual;
  size_t count = 0;
  void* data = nullptr;
  const bool read = napi_get_typedarray_info(env_, info_[index], &actual, &count, &data, nullptr, nullptr) == napi_ok;
  if (!read || actual != type) {
    wrong(index);
    return {&kEmpty, 0};
  }
  if (count == 0) return {&kEmpty, 0};
  return {static_cast<const T*>(data), count};
}

template <class T>
Input<T> Arguments::array(size_t index, napi_typedarray_type type) {
  const Input<T> found = peek<T>(index, type);
  if (found.count > 0) pins_.push_back(info_[index]);
  return found;
}

bool Arguments::left_out(size_t index) const {
  napi_valuetype type;
  return napi_typeof(env_, info_[index], &type) == napi_ok && type == napi_undefined;
}

InputBytes Arguments::bytes(size_t index) { return array<uint8_t>(index, napi_uint8_array); }

InputBytes Arguments::optional_bytes(size_t index) { return left_out(index) ? InputBytes{} : bytes(index); }

Output Arguments::optional_output(size_t index) {
  const InputBytes found = optional_bytes(index);
  return {const_cast<uint8_t*>(found.data), found.count};
}

Input<uint16_t> Arguments::words(size_t index) { return array<uint16_t>(index, napi_uint16_array); }

Input<uint32_t> Arguments::numbers(size_t index) { return array<uint32_t>(index, napi_uint32_array); }

Input<float> Arguments::floats(size_t index) { return array<float>(index, napi_float32_array); }

Input<float> Arguments::optional_floats(size_t index) { return left_out(index) ? Input<float>{} : floats(index); }

Input<uint32_t> Arguments::uint32s(size_t index) { return array<uint32_t>(index, napi_uint32_array); }

Input<int32_t> Arguments::int32s(size_t index) { return array<int32_t>(index, napi_int32_array); }

Input<int32_t> Arguments::optional_int32s(size_t index) { return left_out(index) ? Input<int32_t>{} : int32s(index); }

std::vector<int32_t> Arguments::int32_copy(size_t index) { return copied(peek<int32_t>(index, napi_int32_array)); }

std::vector<int32_t> Arguments::optional_int32_copy(size_t index) {
  return left_out(index) ? std::vector<int32_t>() : int32_copy(index);
}

std::vector<uint32_t> Arguments::uint32_copy(size_t index) { return copied(peek<uint32_t>(index, napi_uint32_array)); }

Sketch* Arguments::sketch(size_t index) {
  const Input<uint64_t> words = array<uint64_t>(index, napi_biguint64_array);
  if (words.count != kSketchWords) {
    wrong(index);
    return nullptr;
  }
  return reinterpret_cast<Sketch*>(const_cast<uint64_t*>(words.data));
}

double Arguments::number(size_t index) {
  double value = 0;
  if (napi_get_value_double(env_, info_[index], &value) != napi_ok) wrong(index);
  return value;
}

int64_t Arguments::integer(size_t index, int64_t minimum, int64_t maximum) {
  const double value = number(index);
  if (!(value >= static_cast<double>(minimum) && value <= static_cast<double>(maximum)) ||
      value != static_cast<double>(static_cast<int64_t>(value))) {
    wrong(index);
    return minimum;
  }
  return static_cast<int64_t>(value);
}

uint64_t Arguments::bigint(size_t index) {
  uint64_t value = 0;
  bool lossless = false;
  if (napi_get_value_bigint_uint64(env_, info_[index], &value, &lossless) != napi_ok || !lossless) wrong(index);
  return value;
}

std::string Arguments::text(size_t index) {
  size_t size = 0;
  if (napi_get_value_string_utf8(env_, info_[index], nullptr, 0, &size) != napi_ok) {
    wrong(index);
    return {};
  }
  std::string text(size, '\0');
  napi_get_value_string_utf8(env_, info_[index], text.data(), size + 1, &size);
  return text;
}

}  // namespace firn::binding
