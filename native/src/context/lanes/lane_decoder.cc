#include "context/lanes/lane_decoder.h"

#include "common/byte_reader.h"

namespace firn {

Status LaneDecoder::open(const uint8_t* bytes, size_t size, uint32_t lanes, uint32_t state_bytes) {
  lanes_ = lanes;
  ByteReader in(bytes, size);
  if (lanes > 1) {
    if (const Status status = in.varint(&main_); status != Status::ok) return status;
    state_bytes = 4;
  }
  const uint8_t* const stored = in.take(size_t{lanes} * state_bytes);
  if (!stored) return Status::truncated;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    for (uint32_t b = 0; b < state_bytes; ++b) states_[lane] |= uint32_t{stored[lane * state_bytes + b]} << (8 * b);
    if (lanes > 1 && states_[lane] < kStateMin) return Status::corrupt;
  }
  if (lanes == 1 && state_bytes > 1 && states_[0] >> (8 * (state_bytes - 1)) == 0) return Status::corrupt;
  if (lanes == 1 && in.left() > 0 && states_[0] < kStateMin) return Status::corrupt;
  if (in.left() % 2 != 0) return Status::corrupt;
  next_ = stored + size_t{lanes} * state_bytes;
  end_ = next_ + in.left();
  return Status::ok;
}

void LaneDecoder::enter_tail() {
  if (next_ != end_) fail(Status::corrupt);
  uint8_t* seed = seeds_.data();
  for (uint32_t lane = lanes_ - 1; lane > 0; --lane, seed += 2) {
    if (states_[lane] >> 16 != 1) fail(Status::corrupt);
    store_le(seed, static_cast<uint16_t>(states_[lane]));
  }
  next_ = seeds_.data();
  end_ = seed;
  lanes_ = 1;
  main_ = 0;
}

Status LaneDecoder::finish() const {
  if (status_ != Status::ok) return status_;
  if (lanes_ > 1) return Status::corrupt;  // the tail was not reached
  return next_ == end_ && states_[0] == 1 ? Status::ok : Status::corrupt;
}

}  // namespace firn
